import { z } from "zod";
import { defineRoute } from "../../kernel/contracts/route.ts";
import { shownOnce } from "../../kernel/contracts/shown-once.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { Claim, describeClaim, Hash, NO_SUCH_TRIP, requireHash } from "../escrow/index.ts";
import { buildTripGuestLink } from "../invitations/index.ts";
import type { Trip } from "../trips/index.ts";
import type { Stores } from "./context.ts";

interface UnlockPorts {
  stores: Pick<Stores, "trips">;
  clock: Clock;
  claimKeys: ClaimKeys;
}

interface OwnTrip {
  tenantId: string;
  environment: Environment;
  tripId: ReturnType<typeof requireHash>;
}

export const UnlockedClaim = z.object({
  tripId: z.string(),
  claim: Claim,
  guestLink: shownOnce(z.string()).describe("The same as prefund_trip's, for the guest only"),
});

/** Undefined: the tenant has no such trip. `reason`: why it cannot be claimed any more; undefined: it can. */
export async function findUnlockable(
  { stores, clock }: Omit<UnlockPorts, "claimKeys">,
  { tenantId, environment, tripId }: OwnTrip,
): Promise<{ reason: string | undefined } | undefined> {
  const trip = await stores.trips.find(tenantId, environment, tripId);
  if (trip === undefined) return undefined;
  const reason = reasonNotClaimable(trip, clock.now());
  return { reason: reason && `${reason}, so there is nothing to unlock.` };
}

/** Lets the guest try codes again, and makes the link anew, as none is stored. Undefined: the trip is gone. */
export async function unlockOwnClaim(
  { stores: { trips }, claimKeys }: Omit<UnlockPorts, "clock">,
  { tenantId, environment, tripId }: OwnTrip,
): Promise<z.input<typeof UnlockedClaim> | undefined> {
  await trips.unlock(tenantId, environment, tripId);
  const unlocked = await trips.find(tenantId, environment, tripId);
  return unlocked && { tripId, claim: describeClaim(unlocked), guestLink: buildTripGuestLink(claimKeys, unlocked) };
}

/** Resets the count of wrong codes. */
export const unlockTrip = defineRoute({
  id: "unlock_trip",
  method: "POST",
  path: "/api/trips/:tripId/unlock",
  tag: "escrow",
  summary: "Unlock a trip's claim",
  description:
    "Lets the guest try codes again after too many wrong ones, and returns the guest's link. Repeating it changes nothing. Returns 409 if the trip can no longer be claimed.",
  scope: "escrow:write",
  params: z.object({ tripId: Hash.describe("0x and 64 hex digits, from prefund_trip") }),
  answers: { 200: { description: "The claim is unlocked.", schema: UnlockedClaim } },
  errors: { not_found: NO_SUCH_TRIP, conflict: "The trip cannot be claimed, so there is nothing to unlock." },
  async run({ principal: { tenantId, environment }, params, fail }, ports: UnlockPorts) {
    const own = { tenantId, environment, tripId: requireHash(params.tripId) };
    const found = await findUnlockable(ports, own);
    if (found === undefined) throw fail("not_found");
    if (found.reason !== undefined) throw fail("conflict", { detail: found.reason });
    const unlocked = await unlockOwnClaim(ports, own);
    if (unlocked === undefined) throw fail("not_found");
    return unlocked;
  },
});

function reasonNotClaimable(trip: Trip, now: Temporal.Instant): string | undefined {
  if (trip.guestWallet !== undefined) return "The trip has been claimed";
  if (trip.state === "failed") return "The trip was never funded";
  if (Temporal.Instant.compare(now, trip.expiresAt) >= 0) return "The trip has expired and can no longer be claimed";
  if (trip.state === "closed") return "The trip has been closed";
  return undefined;
}
