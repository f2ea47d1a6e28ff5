import { z } from "zod";
import type { Micro } from "../../domain/money.ts";
import type { Environment } from "../../ports/identity.ts";
import type { PersonRole } from "../identity/index.ts";
import type { ApprovalTerms } from "../policy/index.ts";

/**
 * - pending: undecided.
 * - approved: the call succeeds once.
 * - used: a call has succeeded or is in progress.
 * - replaced: the call changed before it was decided or made, and another approval was requested; or the run that requested it
 *   was cancelled.
 */
export const APPROVAL_STATES = ["pending", "approved", "rejected", "revoked", "replaced", "used"] as const;
type ApprovalState = (typeof APPROVAL_STATES)[number];

export interface ApprovalOwner {
  tenantId: string;
  environment: Environment;
}

export function toOwner({ tenantId, environment }: ApprovalOwner): ApprovalOwner {
  return { tenantId, environment };
}

/** The exact call that an approval allows. */
export interface Binding {
  /** Hash of the tool, its arguments and the caller. */
  callHash: string;
  /** Hash of the purchase and its travelers, the payees, and the policy with its version. */
  contentHash: string;
  /**
   * Hash of everything but the offer's id and the price: equal for the same flights and fare. Undefined if some are
   * unknown, or if it is no flight.
   */
  fareHash: string | undefined;
  /** Hash of the purchase and its travelers, or of the payment and its payee, whichever call makes it. Undefined if too little is known. */
  rejectionHash: string | undefined;
  /** The total in micro-units, or the part whose price is known. Undefined if no price is known. */
  amount: Micro | undefined;
}

export interface Approval extends ApprovalOwner, Binding {
  id: string;
  tool: string;
  travelerId: string;
  policyId: string;
  policyVersion: number;
  tolerance: Micro;
  /** The facts shown to the approver. */
  evidence: Readonly<Record<string, unknown>>;
  role: ApprovalTerms["role"];
  /** A user of the tenant, or a key's service account. */
  requestedBy: string;
  requestedKeyId: string;
  requestedAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
  state: ApprovalState;
  decidedBy: string | undefined;
  decidedWith: "key" | "token" | "link" | "channel" | undefined;
  decidedAt: Temporal.Instant | undefined;
  reason: string | undefined;
  usedAt: Temporal.Instant | undefined;
}

export type NewApproval = Omit<Approval, "state" | "decidedBy" | "decidedWith" | "decidedAt" | "reason" | "usedAt">;

/** The travelers in the evidence. */
const Traveled = z.looseObject({ travelerIds: z.array(z.string()).nullable() }).nullish();
const Trip = z.looseObject({ bought: Traveled, purpose: Traveled });

/** The travelers of the purchase, or of the purchase for which money is set aside. Empty if there is no purchase. */
export function listTravelers({ evidence, travelerId }: Pick<Approval, "evidence" | "travelerId">): readonly string[] {
  const { bought, purpose } = Trip.safeParse(evidence).data ?? {};
  return [bought, purpose].flatMap((trip) => (trip == null ? [] : (trip.travelerIds ?? [travelerId])));
}

/** The travelers of the purchase, or of the one for which money is set aside. Null: there is none, or not all of them are users. */
export function listKnownTravelers({ evidence }: Pick<Approval, "evidence">): readonly string[] | null {
  const { bought, purpose } = Trip.safeParse(evidence).data ?? {};
  return bought?.travelerIds ?? purpose?.travelerIds ?? null;
}

export interface Decision {
  to: "approved" | "rejected" | "revoked";
  by: string;
  with: "key" | "token" | "link" | "channel";
  reason: string | undefined;
}

export interface ApprovalPage {
  limit: number;
  before?: string | undefined;
  /** `pending` leaves out those that ran out; `expired` are those, and approvals that no call has used in time. */
  state?: ApprovalState | "expired" | undefined;
  /** For a person: the approvals that these roles decide and that the person did not request. */
  decidableBy?: { personId: string; roles: readonly PersonRole[] } | undefined;
}
