import { z } from "zod";
import { StepFailure, type Steps } from "../kernel/workflow.ts";

/** What the workflows read of the answers of tools, and the parts that they share. */

const TripAnswer = z.object({
  tripId: z.string(),
  state: z.string(),
  claim: z.object({ guestWallet: z.string().nullable() }),
});

const Segment = z.object({ carrier: z.string() });
export const FlightOffer = z.object({
  id: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  slices: z.array(z.object({ durationMinutes: z.number(), segments: z.array(Segment) })),
});
export type FlightOffer = z.infer<typeof FlightOffer>;

const Verdict = z.object({
  decision: z.enum(["allow", "warn", "require_approval", "deny"]),
  policyId: z.string(),
  version: z.number(),
  violations: z.array(z.record(z.string(), z.unknown())),
});

export const Approval = z.object({ status: z.enum(["approved", "rejected"]) });
const Claimed = z.object({ status: z.enum(["claimed", "expired"]) });

const CLAIM_HOURS = 72;
const APPROVAL_HOURS = 24;

/** Waits until the guest has claimed the trip. */
export async function waitForClaim({ call, pause }: Steps, tripId: string): Promise<void> {
  const trip = await call("read_trip", { tripId }, TripAnswer);
  if (trip.state !== "funded") {
    throw new StepFailure("trip_not_ready", `The trip is ${trip.state}; a run needs one that is funded.`);
  }
  if (trip.claim.guestWallet !== null) return;
  const { status } = await pause({
    ...{ step: "guest_claim", reason: "The guest has not claimed the trip yet. The claim link is with the guest." },
    ...{ resolution: Claimed, by: "service", event: { name: "trip_claimed", subject: trip.tripId } },
    ...{ timeoutHours: CLAIM_HOURS, onTimeout: { status: "expired" } },
  });
  if (status === "expired") throw new StepFailure("claim_expired", "The guest did not claim the trip in time.");
}

/** What check_policy judges, as its input has it. */
export interface JudgedOffer {
  kind: "flight" | "hotel";
  priceUsd: number;
  carrierIata?: string;
  durationHours?: number;
  cabin?: string;
  supplierId?: string;
  pricePerNightUsd?: number;
}

/** The first of the choices that the policy lets through; where none passes by itself, the first one that a person approves. */
export async function chooseWithinPolicy<Choice>(
  { call, pause }: Steps,
  policyId: string,
  choices: readonly { choice: Choice; offer: JudgedOffer; shown: object }[],
): Promise<Choice> {
  let toApprove: { choice: Choice; shown: object; verdict: z.infer<typeof Verdict> } | undefined;
  for (const { choice, offer, shown } of choices) {
    const verdict = await call("check_policy", { policyId, offer }, Verdict);
    if (verdict.decision === "allow" || verdict.decision === "warn") return choice;
    if (verdict.decision === "require_approval") toApprove ??= { choice, shown, verdict };
  }
  if (toApprove === undefined)
    throw new StepFailure("policy_denied", `The policy ${policyId} denies every offer found.`);
  const { choice, shown, verdict } = toApprove;
  const { status } = await pause({
    ...{ step: "approval", reason: `The policy ${verdict.policyId} wants a person's approval of this offer.` },
    ...{ resolution: Approval, by: "person", shown: { offer: shown, verdict } },
    ...{ timeoutHours: APPROVAL_HOURS, onTimeout: { status: "rejected" } },
  });
  if (status === "rejected") throw new StepFailure("approval_rejected", "The offer was not approved.");
  return choice;
}

/** In whole cents, with room for a price that moves by as much as `percent`. */
export function upperBound(amount: string, percent: bigint): string {
  const [whole = "0", cents = ""] = amount.split(".");
  const inCents = BigInt(whole) * 100n + BigInt(cents.padEnd(2, "0").slice(0, 2));
  const bound = (inCents * (100n + percent) + 99n) / 100n;
  return `${bound / 100n}.${(bound % 100n).toString().padStart(2, "0")}`;
}
