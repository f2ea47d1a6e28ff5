import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import type { ApprovalOwner } from "./approvals.ts";
import type { Stores } from "./context.ts";

/** The approval that allowed a purchase, for an answer about it. */
export const UsedApproval = z.object({
  approvalId: z.string(),
  decidedBy: z.string().nullable().describe("The user who approved it"),
  decidedByName: wordsOfOthers().nullable().describe("null: not a person of the tenant, or no longer one"),
  decidedAt: z.string().nullable(),
  reason: wordsOfOthers().nullable(),
});

/** Null: the call needed none. */
export async function describeUsedApproval(
  { approvals, persons }: Pick<Stores, "approvals" | "persons">,
  owner: ApprovalOwner,
  callId: string,
): Promise<z.input<typeof UsedApproval> | null> {
  const [used] = await approvals.usedBy(owner, callId);
  if (used === undefined) return null;
  const { id, decidedBy, decidedAt, reason } = used;
  const decider = decidedBy === undefined ? undefined : await persons.find(owner, decidedBy);
  return {
    approvalId: id,
    decidedBy: decidedBy ?? null,
    decidedByName: decider?.name ?? null,
    decidedAt: decidedAt?.toString() ?? null,
    reason: reason ?? null,
  };
}
