import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";

/** Writes one line. Call it inside the transaction of the recorded change, so that neither exists without the other. */
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

/** A line of the append-only log of changes to keys, tenants, travelers or money. */
interface AuditEntry {
  /** Undefined: the deployment itself. */
  tenantId?: string;
  /** `command`, `svc:<keyId>`, a user id, or `job:<name>`. */
  actor: string;
  /** For example `key.mint`. */
  action: string;
  subjectId?: string;
  /** Never a secret, a document number or card data. */
  details?: Readonly<Record<string, unknown>>;
}
