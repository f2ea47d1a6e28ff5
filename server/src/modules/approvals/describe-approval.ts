import { z } from "zod";
import { formatDecimal } from "../../domain/money.ts";
import { detailsOfOthers, wordsOfOthers } from "../../domain/schemas.ts";
import { buildServiceAccountId, findKeyId } from "../../domain/user-ids.ts";
import { APPROVAL_STATES, type Approval, listKnownTravelers } from "./approvals.ts";

export const ApprovalAnswer = z.object({
  approvalId: z.string(),
  state: z
    .enum([...APPROVAL_STATES, "expired"])
    .describe(
      "approved: the same call succeeds once. replaced: the call changed and another approval was requested, or the run that asked was cancelled",
    ),
  tool: z.string(),
  travelerId: z.string().describe("The first who travels, if known; otherwise the traveler of the caller"),
  travelerIds: z
    .array(z.string())
    .readonly()
    .nullable()
    .describe("Everyone who travels by the purchase; null: nothing is bought, or not all are users here"),
  amount: z.string().nullable().describe("In US dollars, or the amount that a transfer moves; null: not known"),
  isMinimum: z.boolean().describe("true: services of unknown price are added to amount"),
  tolerance: z.string().describe("How much the amount may rise"),
  policyId: z.string(),
  policyVersion: z.int(),
  role: z.enum(["approver", "finance", "admin"]).describe("Role that decides, besides admin; never the requester"),
  requestedBy: z.string().describe("The requester: a user, or svc:<keyId> for an agent's key"),
  requestedByKey: z.string().describe("svc:<keyId> of the key that asked, even if it asked as a user"),
  requestedFor: z.string().nullable().describe("The user whom the call named; null: none"),
  requestedAt: z.string(),
  expiresAt: z.string(),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable(),
  reason: wordsOfOthers().nullable(),
  usedAt: z.string().nullable(),
  evidence: detailsOfOthers("The facts shown to the approver: the purchase, the payment, and the policy's verdict"),
});

export function describeApproval(approval: Approval, now: Temporal.Instant): z.output<typeof ApprovalAnswer> {
  const { id, amount, tolerance, requestedAt, decidedBy, decidedAt, reason, usedAt, expiresAt, evidence } = approval;
  const { tool, travelerId, policyId, policyVersion, role, requestedBy, requestedKeyId } = approval;
  const travelerIds = listKnownTravelers(approval);
  return {
    approvalId: id,
    state: stateAt(approval, now),
    tool,
    travelerId: travelerIds?.[0] ?? travelerId,
    travelerIds,
    isMinimum: isMinimum(approval),
    amount: amount === undefined ? null : formatDecimal(amount),
    tolerance: formatDecimal(tolerance),
    policyId,
    policyVersion,
    role,
    requestedBy,
    requestedAt: requestedAt.toString(),
    requestedByKey: buildServiceAccountId(requestedKeyId),
    requestedFor: askedForBy(approval),
    expiresAt: expiresAt.toString(),
    decidedBy: decidedBy ?? null,
    decidedAt: decidedAt?.toString() ?? null,
    reason: reason ?? null,
    usedAt: usedAt?.toString() ?? null,
    evidence,
  };
}

const AskedFor = z.looseObject({ askedForUserId: z.string().nullable() });

/** Approvals of earlier releases lack this field; those requests never named a person as whom the key could not act. */
function askedForBy({ evidence, requestedBy }: Approval): string | null {
  const { data } = AskedFor.safeParse(evidence);
  if (data !== undefined) return data.askedForUserId;
  return findKeyId(requestedBy) === undefined ? requestedBy : null;
}

/** The field of the evidence that tells it. */
const PartlyPriced = z.looseObject({ bought: z.looseObject({ priceAtLeastUsd: z.string() }) });

function isMinimum({ evidence }: Pick<Approval, "evidence">): boolean {
  return PartlyPriced.safeParse(evidence).success;
}

function stateAt({ state, expiresAt }: Approval, now: Temporal.Instant): Approval["state"] | "expired" {
  const isOpen = state === "pending" || state === "approved";
  return isOpen && Temporal.Instant.compare(expiresAt, now) <= 0 ? "expired" : state;
}
