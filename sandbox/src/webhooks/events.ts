import { toIso } from "../clock.ts";
import { newId } from "../ids.ts";
import type { Queryable } from "../storage/database.ts";
import { enqueueAll } from "./disturbances.ts";
import type { EventType } from "./event-types.ts";

const ORGANISATION_ID = "org_0000SandboxOperator000";

/** Records an event with one delivery for every endpoint that wants it; in the transaction of what it tells of. */
export async function emit(
  tx: Queryable,
  type: EventType,
  object: Record<string, unknown>,
  nowMs: number,
  onlyEndpoint?: string,
): Promise<string> {
  const id = newId("wev");
  const body = JSON.stringify({
    id,
    api_version: "v2",
    type,
    data: { object },
    live_mode: false,
    idempotency_key: typeof object.id === "string" ? object.id : id,
    created_at: toIso(nowMs),
    identity_organisation_id: ORGANISATION_ID,
  });
  await tx.query("INSERT INTO webhook_events (id, type, body, created_ms) VALUES ($1,$2,$3,$4)", [
    id,
    type,
    body,
    nowMs,
  ]);
  const { rows } = await tx.query<{ id: string }>(
    "SELECT id FROM webhook_endpoints WHERE active AND (id = $2 OR ($2::text IS NULL AND events ? $1))",
    [type, onlyEndpoint ?? null],
  );
  await enqueueAll(
    tx,
    { id, type },
    rows.map((endpoint) => endpoint.id),
    Math.floor(nowMs),
  );
  return id;
}
