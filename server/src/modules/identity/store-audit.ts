import { currentOrigin, currentTraceId, type TraceOrigin } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { nameProgram } from "./name-program.ts";

/** Writes one line. Call it inside the transaction of the recorded change, so that neither exists without the other. */
export async function appendAudit(queryable: Queryable, entry: AuditEntry, clock: Clock): Promise<void> {
  const origin = entry.origin ?? currentOrigin();
  await queryable
    .insertInto("auditLog")
    .values({
      at: clock.now().toString(),
      tenantId: entry.tenantId ?? null,
      environment: entry.environment,
      actor: entry.actor,
      traceId: currentTraceId(),
      action: entry.action,
      subjectId: entry.subjectId ?? null,
      address: origin?.address ?? null,
      program: nameProgram(origin?.program),
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}

/** A line of the append-only log of changes to keys, tenants, travelers or money. */
interface AuditEntry {
  /** Undefined: the deployment itself. */
  tenantId?: string;
  /** Null: the tenant or the deployment as a whole. Both environments of the tenant show such a line. */
  environment: Environment | null;
  /** `command`, `svc:<keyId>`, a user id, `operator`, or `job:<name>`. */
  actor: string;
  /** For example `key.mint`. */
  action: string;
  subjectId?: string;
  /** Never a secret, a document number or card data. */
  details?: Readonly<Record<string, unknown>>;
  /** Left out: that of the current trace. */
  origin?: TraceOrigin;
}
