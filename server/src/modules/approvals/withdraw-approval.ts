import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import type { Approval, ApprovalOwner } from "./approvals.ts";

/**
 * Ends an undecided approval that is no longer wanted; the same call may ask for another one. A decision that is being stored
 * wins: its row is locked, and waiting for it could deadlock, as it goes on to lock the run.
 */
export async function withdrawApproval(
  db: Queryable,
  clock: Clock,
  { tenantId, environment, id }: ApprovalOwner & Pick<Approval, "id">,
  by: string,
): Promise<void> {
  const undecided = await db
    .selectFrom("approval")
    .select("tool")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("id", "=", id)
    .where("state", "=", "pending")
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (undecided === undefined) return;
  await db.updateTable("approval").set({ state: "replaced" }).where("id", "=", id).execute();
  const details = { network: environment, to: "replaced", tool: undecided.tool };
  const entry = { tenantId, environment, actor: by, action: "approval.withdraw", subjectId: id, details };
  await appendAudit(db, entry, clock);
}
