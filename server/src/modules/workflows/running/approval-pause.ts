import { z } from "zod";
import type { Outcome } from "../../../kernel/contracts/charge.ts";

const APPROVAL_HOURS = 24;
const WithApproval = z.object({ approvalId: z.string(), approvalExpiresAt: z.string() });
const Approved = z.looseObject({ status: z.enum(["approved", "rejected"]) });

/** An approval has its own record and is decided there, through the API, the link or a channel, or by resuming the run. */
export function approvalPause(
  tool: string,
  { detail, extra }: Outcome & { ok: false },
  shown: object,
  now: Temporal.Instant,
) {
  const { approvalId, approvalExpiresAt } = WithApproval.safeParse(extra).data ?? {};
  return {
    reason:
      approvalId === undefined
        ? (detail ?? `${tool} needs an approval.`)
        : `A person must approve or reject ${approvalId}, on the page that approvers get by email or through the API; an agent cannot. The run then continues by itself. read_approval says who may decide.`,
    resolution: Approved,
    shown: { ...shown, ...(approvalId === undefined ? {} : { approvalId }) },
    timeoutHours:
      approvalExpiresAt === undefined ? APPROVAL_HOURS : now.until(approvalExpiresAt).total({ unit: "hours" }),
    onTimeout: { status: "rejected" as const },
    ...(approvalId === undefined ? {} : { event: { name: "approval_decided", subject: approvalId } }),
  };
}
