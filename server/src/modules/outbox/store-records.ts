import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { MessageTable } from "../../platform/database/generated-tables.ts";
import type {
  ChannelRecord,
  RecordChannel,
  RecordFilter,
  RecordSource,
  RecordState,
} from "../../ports/channel-records.ts";
import type { Clock } from "../../ports/clock.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "outbox.messageRecords": MessageRecords;
  }
}

export type MessageRecords = Omit<RecordSource, "channels" | "knowsTrips">;

const CARRIERS: Readonly<Partial<Record<RecordChannel, string>>> = {
  email: "mail",
  slack: "slack",
  whatsapp: "whatsapp",
};
const STATES = { intended: "waiting", sending: "waiting", sent: "done", kept: "kept", failed: "failed" } as const;
/** A message that is sent again is of use for so long. */
const AGAIN = { hours: 24 };

const moment = (at: Temporal.Instant) => sql<Temporal.Instant>`${at.toString()}::timestamptz`;
const statesShownAs = (state: RecordState) =>
  (["intended", "sending", "sent", "kept", "failed"] as const).filter((own) => STATES[own] === state);

/** Messages as records of the channels that carry them. */
export function createMessageRecords(db: Queryable, clock: Clock): MessageRecords {
  return {
    async list({ tenantId, environment }, filter) {
      const { channel, state, tripId, traceId, from, until, before, limit }: RecordFilter = filter;
      const carrier = CARRIERS[channel];
      const states = state === undefined ? undefined : statesShownAs(state);
      if (carrier === undefined || states?.length === 0) return [];
      let query = db
        .selectFrom("message")
        .select(["id", "kind", "state", "attempts", "failureCode", "encryptedMail", "recordId", "traceId"])
        .select(["createdAt", "updatedAt", "bounced"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("carrier", "=", carrier)
        .orderBy("createdAt", "desc")
        .orderBy(sql`id collate "C"`, "desc")
        .limit(limit);
      if (states !== undefined) {
        const isBounced = sql<boolean>`bounced is not null`;
        query =
          state === "failed"
            ? query.where(({ eb, or }) => or([eb("state", "in", states), isBounced]))
            : query.where("state", "in", states).where("bounced", "is", null);
      }
      if (tripId !== undefined) query = query.where("recordId", "=", tripId);
      if (traceId !== undefined) query = query.where("traceId", "=", traceId);
      if (from !== undefined) query = query.where("createdAt", ">=", moment(from));
      if (until !== undefined) query = query.where("createdAt", "<", moment(until));
      if (before !== undefined)
        query = query.where(sql<boolean>`(created_at, id collate "C") < (${moment(before.at)}, ${before.id})`);
      return (await query.execute()).map(describe);
    },

    /** Nothing is sent twice: another message for the same reason may have gone meanwhile. */
    async resend({ tenantId, environment }, id) {
      const { rows } = await sql<{ state: MessageTable["state"]; isChanged: boolean }>`
        with found as (
          select id, state, message_key from message
          where id = ${id} and tenant_id = ${tenantId} and network = ${environment}
          for update),
        changed as (
          update message set state = 'intended', failure_code = null, attempts = 0, quiet_until = null, worker_id = null,
            worker_seen_at = null, expires_at = ${moment(clock.now().add(AGAIN))}, updated_at = ${moment(clock.now())}
          from found where message.id = found.id and found.state = 'failed'
            and (message.encrypted_mail is not null or message.record_id is not null)
            and not exists (
              select 1 from message as other
              where other.tenant_id = ${tenantId} and other.network = ${environment}
                and other.message_key = found.message_key and other.state <> 'failed')
          returning message.id)
        select state, exists (select 1 from changed) as "isChanged" from found`.execute(db);
      const [row] = rows;
      if (row === undefined) return undefined;
      return row.isChanged ? "waiting" : "not_failed";
    },
  };
}

interface MessageRow {
  id: string;
  kind: string;
  state: keyof typeof STATES;
  attempts: number;
  failureCode: string | null;
  encryptedMail: string | null;
  recordId: string | null;
  traceId: string | null;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
  bounced: string | null;
}

function describe(row: MessageRow): ChannelRecord {
  const { id, kind, state, attempts, failureCode, encryptedMail, recordId, traceId, createdAt: at, updatedAt } = row;
  const { bounced } = row;
  const isOver = state === "sent" || state === "failed";
  return {
    id,
    direction: "out",
    state: bounced === null ? STATES[state] : "failed",
    what: kind,
    attempts,
    problem: bounced ?? failureCode ?? undefined,
    latencyMs: isOver && bounced === null ? Math.round(at.until(updatedAt).total("milliseconds")) : undefined,
    traceId: traceId ?? undefined,
    ...nameSubject(kind, recordId),
    canResend: state === "failed" && (encryptedMail !== null || recordId !== null),
    at,
  };
}

function nameSubject(kind: string, recordId: string | null): Pick<ChannelRecord, "tripId" | "orderId" | "approvalId"> {
  if (recordId === null) return {};
  if (recordId.startsWith("0x")) return { tripId: recordId };
  if (recordId.startsWith("ord_") || recordId.startsWith("bok_")) return { orderId: recordId };
  return kind === "approval" ? { approvalId: recordId } : {};
}
