import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { readHash, tripStateErrors } from "../../escrow/index.ts";
import { readGuestLink } from "../../invitations/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { findUnlockable, UnlockedClaim, unlockOwnClaim } from "../unlock-trip.ts";

const errors = {
  trip_not_found: tripStateErrors.trip_not_found,
  claim_closed: "The trip can no longer be claimed, so there is nothing to unlock.",
} as const;

export const unlockClaim = defineTool({
  name: "unlock_claim",
  title: "Unlock a trip's claim",
  summary: "Let the guest try claim codes again after five wrong ones, or get a lost guest link again.",
  area: "escrow",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stores", "clock", "claimKeys"],
  input: z.strictObject({ tripId: z.string() }),
  output: UnlockedClaim,
  errors,
  // The trip of a link that nobody has used.
  example: (_today, { guestLink, tripId }) => ({ tripId: readGuestLink(guestLink)?.tripId ?? tripId }),

  plan: () => EMPTY_PLAN,

  async probe(input, ports) {
    await requireUnlockable(input, ports);
  },

  async run(input, ports) {
    const own = await requireUnlockable(input, ports);
    const unlocked = await unlockOwnClaim(ports, own);
    if (unlocked === undefined) throw refused("trip_not_found");
    return unlocked;
  },
});

/** The caller's trip, which can still be claimed. */
async function requireUnlockable(
  input: { tripId: string },
  { stores, clock, caller: { tenantId, environment } }: Pick<Ports, "stores" | "clock"> & { caller: Caller },
) {
  const tripId = readHash(input.tripId);
  if (tripId === undefined) throw refused("trip_not_found");
  const own = { tenantId, environment, tripId };
  const found = await findUnlockable({ stores, clock }, own);
  if (found === undefined) throw refused("trip_not_found");
  if (found.reason !== undefined) throw refused("claim_closed", found.reason);
  return own;
}

const refused = (code: keyof typeof errors, detail: string = errors[code]): Failure => new Failure(code, { detail });
