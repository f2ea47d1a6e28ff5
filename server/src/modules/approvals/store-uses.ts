import { sql } from "kysely";
import { Failure } from "../../domain/errors.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Approval, ApprovalOwner } from "./approvals.ts";

/** Longer than a process can stand still and go on. */
const KEPT_DAYS = 7;

export async function useApproval(
  db: Queryable,
  clock: Clock,
  { tenantId, environment, id }: ApprovalOwner & Pick<Approval, "id">,
  callId: string,
): Promise<void> {
  const usedAt = clock.now().toString();
  const { numUpdatedRows } = await db
    .updateTable("approval")
    .set({ state: "used", callId, usedAt })
    .where((where) => where.and({ tenantId, environment, id, state: "approved" }))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await db
    .insertInto("approvalUse")
    .values({ callId, tenantId, environment, approvalId: id, usedAt, traceId: currentTraceId() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The approval that let the call through is still its own, or becomes it again. Throws Failure when it is another one's by now. */
export async function takeApprovalAgain(db: Queryable, clock: Clock, callId: string): Promise<void> {
  const found = await db
    .selectFrom("approvalUse")
    .innerJoin("approval", "approval.id", "approvalUse.approvalId")
    .select(["approval.id", "approval.tenantId", "approval.environment", "approval.state"])
    .select(["approval.callId", "approval.expiresAt"])
    .where("approvalUse.callId", "=", callId)
    .forUpdate("approval")
    .executeTakeFirst();
  if (found === undefined || found.callId === callId) return;
  const code = lostBecause(found, clock.now());
  if (code !== undefined) {
    const detail =
      "This call stood still for so long that its approval was given back, and it did nothing. Send it again.";
    throw new Failure(code, { detail, extra: { approvalId: found.id } });
  }
  await useApproval(db, clock, found, callId);
}

function lostBecause(
  { state, expiresAt }: Pick<Approval, "state" | "expiresAt">,
  now: Temporal.Instant,
): string | undefined {
  if (state === "used") return "approval_used";
  if (state === "revoked") return "approval_revoked";
  if (state !== "approved") return "approval_required";
  return Temporal.Instant.compare(expiresAt, now) <= 0 ? "approval_expired" : undefined;
}

/**
 * Of calls that have failed and done nothing outside. One that was asked for again meanwhile stays as it is. The call is locked: one
 * that wakes up and begins something outside comes before this, or finds the approval given back.
 */
export async function giveApprovalsBack(db: Queryable, which: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with over as (
      select approval.id from call join approval on approval.call_id = call.id
      where ${which} and approval.state = 'used'
        and call.state = 'released' and call.effect in ('none', 'failed')
        and not exists (select 1 from approval later where later.tenant_id = approval.tenant_id
          and later.network = approval.network and later.call_hash = approval.call_hash
          and later.position > approval.position)
      for update of call, approval)
    update approval set state = 'approved', call_id = null, used_at = null from over where approval.id = over.id`.execute(
    db,
  );
}

export async function pruneApprovalUses(db: Queryable, clock: Clock): Promise<void> {
  const before = clock.now().subtract({ hours: KEPT_DAYS * 24 });
  await pruneRows(db, "approval_use", sql`used_at < ${before.toString()}::timestamptz`);
}
