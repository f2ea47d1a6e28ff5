import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "audit.auditLines": AuditLines;
  }
}

export const actorKinds = ["person", "key", "operator", "service"] as const;
type ActorKind = (typeof actorKinds)[number];

export interface AuditLine {
  readonly id: bigint;
  readonly at: Temporal.Instant;
  readonly environment: Environment | null;
  readonly actor: string;
  readonly actorKind: ActorKind;
  /** The name of the person or of the key. */
  readonly actorName: string | null;
  readonly action: string;
  readonly subjectId: string | null;
  readonly subjectName: string | null;
  readonly address: string | null;
  readonly program: string | null;
  readonly traceId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  actor?: string | undefined;
  actorKind?: ActorKind | undefined;
  /** An action, or the part before its dot. */
  action?: string | undefined;
  subject?: string | undefined;
  /** A part of any text of the line. */
  text?: string | undefined;
  from?: Temporal.Instant | undefined;
  to?: Temporal.Instant | undefined;
}

interface AuditPage {
  /** Newest first. */
  readonly lines: readonly AuditLine[];
  /** Set if the search stopped before the end: the line that it looked at last. */
  readonly stoppedAt: bigint | undefined;
}

export interface AuditLines {
  list(
    owner: { tenantId: string; environment: Environment },
    page: AuditFilter & { before?: bigint | undefined; limit: number; most: number },
  ): Promise<AuditPage>;
  /** Removes lines from before this moment. */
  prune(before: Temporal.Instant): Promise<void>;
}

/** Lines without an environment that are about the whole tenant; of others it is not known. */
const WHOLE_TENANT = String.raw`^(tenant\.(create|set|link_origins)|signing_secret\.)`;

type Row = { [Name in keyof Omit<AuditLine, "id">]: AuditLine[Name] } & {
  /** Null: no line matches. */
  id: string | null;
  stoppedAt: string | null;
};

export function createAuditLines(db: Queryable): AuditLines {
  return {
    async list({ tenantId, environment }, { before, limit, most, from, to, ...filter }) {
      const bounds = all([
        sql`tenant_id = ${tenantId} and actor <> 'ledger'`,
        ...(before === undefined ? [] : [sql`id < ${before.toString()}::bigint`]),
        ...(from === undefined ? [] : [sql`at >= ${from.toString()}::timestamptz`]),
        ...(to === undefined ? [] : [sql`at < ${to.toString()}::timestamptz`]),
      ]);
      // Each half is read from the index in its order. A person's key, such as that of their sessions, is the person.
      const { rows } = await sql<Row>`
        with looked as materialized (
          (select * from audit_log where ${bounds} and network = ${environment} order by id desc limit ${most})
          union all
          (select * from audit_log where ${bounds} and network is null and action ~ ${WHOLE_TENANT}
            order by id desc limit ${most})
          order by id desc limit ${most}
        ), line as (
          select looked.id, looked.at, looked.network, looked.actor, looked.action, looked.subject_id,
            looked.address, looked.program, looked.trace_id, looked.details,
            case
              when looked.actor in ('command', 'operator') then 'operator'
              when looked.actor ~ '^(job|channel):' or looked.actor in ('first-run', 'retention') then 'service'
              when looked.actor like 'svc:%' and actor_key.person_id is null then 'key'
              else 'person'
            end as actor_kind,
            coalesce(actor_person.name, actor_key.name) as actor_name,
            coalesce(subject_person.name, subject_key.name) as subject_name
          from looked
          left join api_key actor_key on looked.actor = 'svc:' || actor_key.id
            and actor_key.tenant_id = ${tenantId} and actor_key.environment = ${environment}
          left join person actor_person on actor_person.id = coalesce(actor_key.person_id, looked.actor)
            and actor_person.tenant_id = ${tenantId} and actor_person.network = ${environment}
          left join api_key subject_key on subject_key.id = looked.subject_id
            and subject_key.tenant_id = ${tenantId} and subject_key.environment = ${environment}
          left join person subject_person on subject_person.id = looked.subject_id
            and subject_person.tenant_id = ${tenantId} and subject_person.network = ${environment}
        ), looking as (
          select case when count(*) = ${most} then min(id)::text end as stopped_at from looked
        )
        select found.id::text as id, found.at, found.network, found.actor, found.actor_kind, found.actor_name,
          found.action, found.subject_id, found.subject_name, found.address, found.program, found.trace_id,
          found.details, looking.stopped_at
        from looking left join lateral (
          select * from line where ${all(matches(filter))} order by line.id desc limit ${limit}
        ) found on true
        order by found.id desc`.execute(db);
      const stoppedAt = rows[0]?.stoppedAt ?? undefined;
      return {
        lines: rows.flatMap(({ id, stoppedAt: _, ...row }) => (id === null ? [] : [{ ...row, id: BigInt(id) }])),
        stoppedAt: stoppedAt === undefined ? undefined : BigInt(stoppedAt),
      };
    },

    async prune(before) {
      await pruneRows(db, "audit_log", sql`at < ${before.toString()}::timestamptz and at < now() - interval '90 days'`);
    },
  };
}

const all = (conditions: readonly RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

const TEXTS = sql`concat_ws(' ', line.actor, line.actor_name, line.action, line.subject_id, line.subject_name,
  line.address, line.program, line.trace_id, line.details)`;

function matches({ actor, actorKind, action, subject, text }: AuditFilter): readonly RawBuilder<unknown>[] {
  return [
    ...(actor === undefined ? [] : [sql`line.actor = ${actor}`]),
    ...(actorKind === undefined ? [] : [sql`line.actor_kind = ${actorKind}`]),
    ...(action === undefined ? [] : [sql`(line.action = ${action} or starts_with(line.action, ${`${action}.`}))`]),
    ...(subject === undefined ? [] : [sql`line.subject_id = ${subject}`]),
    ...(text === undefined ? [] : [sql`strpos(lower(${TEXTS}), lower(${text})) > 0`]),
  ];
}
