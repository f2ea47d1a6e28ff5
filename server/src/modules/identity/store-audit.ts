import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AuditEntry } from "./audit.ts";

/** Writes one line. Call it inside the transaction of the change it tells of, so that neither exists without the other. */
export async function appendAudit(queryable: Queryable, entry: AuditEntry, clock: Clock): Promise<void> {
  await queryable
    .insertInto("auditLog")
    .values({
      at: clock.now().toString(),
      tenantId: entry.tenantId ?? null,
      actor: entry.actor,
      traceId: currentTraceId(),
      action: entry.action,
      subjectId: entry.subjectId ?? null,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}
