import { z } from "zod";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import { Claim, describeClaim, Hash, NO_SUCH_TRIP, requireHash } from "../escrow/index.ts";
import type { Trip } from "../trips/index.ts";
import type { Stores } from "./context.ts";

interface UnlockPorts {
  stores: Pick<Stores, "trips">;
  clock: Clock;
}

/** Resets the count of wrong codes. */
export const unlockTrip = defineRoute({
  id: "unlock_trip",
  method: "POST",
  path: "/api/trips/:tripId/unlock",
  tag: "escrow",
  summary: "Unlock a trip's claim",
  description:
    "Lets the guest try codes again after too many wrong ones. Asked again it changes nothing. 409 when the trip cannot be claimed any more.",
  scope: "escrow:write",
  params: z.object({ tripId: Hash.describe("0x and 64 hex digits, as prefund_trip answered it") }),
  answers: { 200: { description: "It is unlocked.", schema: z.object({ tripId: z.string(), claim: Claim }) } },
  errors: { not_found: NO_SUCH_TRIP, conflict: "The trip cannot be claimed, so there is nothing to unlock." },
  async run({ principal, params, fail }, { stores: { trips }, clock }: UnlockPorts) {
    const { tenantId, environment } = principal;
    const tripId = requireHash(params.tripId);
    const trip = await trips.find(tenantId, environment, tripId);
    if (trip === undefined) throw fail("not_found");
    const reason = reasonNotClaimable(trip, clock.now());
    if (reason !== undefined) throw fail("conflict", { detail: `${reason}, so there is nothing to unlock.` });
    await trips.unlock(tenantId, environment, tripId);
    const unlocked = await trips.find(tenantId, environment, tripId);
    if (unlocked === undefined) throw fail("not_found");
    return { tripId, claim: describeClaim(unlocked) };
  },
});

function reasonNotClaimable(trip: Trip, now: Temporal.Instant): string | undefined {
  if (trip.guestWallet !== undefined) return "The trip has been claimed";
  if (trip.state === "failed") return "The trip was never funded";
  if (Temporal.Instant.compare(now, trip.expiresAt) >= 0) return "The trip has expired and cannot be claimed any more";
  if (trip.state === "closed") return "The trip has been closed";
  return undefined;
}
