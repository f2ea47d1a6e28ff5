import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Approvals, what was decided of them, and the budget, read past the service. */

const Micro = z.string().transform(BigInt);
/** Its call has failed and has done nothing outside: a job gives it back, unless another was asked for meanwhile. */
const FAILED =
  "exists (select from call c where c.id = a.call_id and c.state = 'released' and c.effect in ('none', 'failed'))";
const ASKED_AGAIN = "exists (select from approval l where l.call_hash = a.call_hash and l.position > a.position)";

const Approval = z.object({
  id: z.string(),
  state: z.string(),
  call_id: z.string().nullable(),
  /** With its tolerance. */
  most: Micro.nullable(),
  requested_by: z.string(),
  /** Whose own key has asked; null: an agent's. */
  asker: z.string().nullable(),
  decided_by: z.string().nullable(),
  /** Used after it was approved, and before it expired. */
  in_time: z.boolean(),
  /** Its call has failed without an effect, and another approval had been asked for meanwhile: it is not given back then. */
  in_vain: z.boolean(),
});
const Decision = z.object({ approval_id: z.string(), by: z.string(), to: z.string() });
const Counter = z.object({ used: Micro, most: Micro });

export interface ApprovalBooks {
  approvals: readonly z.infer<typeof Approval>[];
  /** As the audit log has them, which nobody can change. */
  decisions: readonly z.infer<typeof Decision>[];
  /** Empty: nothing was spent of it. */
  budget: readonly z.infer<typeof Counter>[];
}

/** Approvals that are still to be given back. */
export async function readOpenApprovals(deployment: Pick<Deployment, "query">): Promise<string[]> {
  const text = `select a.id from approval a where a.state = 'used' and ${FAILED} and not ${ASKED_AGAIN}`;
  const open = z.array(z.object({ id: z.string() })).parse(await deployment.query(text));
  return open.length === 0 ? [] : [`${open.length} approvals of calls that did nothing`];
}

export async function readApprovalBooks(
  deployment: Pick<Deployment, "query">,
  budgetId: string,
): Promise<ApprovalBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  return {
    // Before the approvals: each of these decisions is in them.
    decisions: await read(
      Decision,
      "select subject_id as approval_id, actor as by, details->>'to' as to from audit_log where action = 'approval.decide'",
    ),
    approvals: await read(
      Approval,
      `select a.id, a.state, a.call_id, (a.amount_micro + a.tolerance_micro)::text as most, a.requested_by, a.decided_by,
        k.person_id as asker,
        coalesce(a.used_at >= a.decided_at and a.used_at < a.expires_at, a.state <> 'used') as in_time,
        ${FAILED} and ${ASKED_AGAIN} as in_vain
        from approval a join api_key k on k.id = a.requested_key_id`,
    ),
    budget: await read(
      Counter,
      `select c.used_micro::text as used, b.amount_micro::text as most from spend_counter c
        join budget b on b.tenant_id = c.tenant_id and b.environment = c.environment
          and c.account = 'budget:' || b.budget_id
        where b.budget_id = '${budgetId}'`,
    ),
  };
}
