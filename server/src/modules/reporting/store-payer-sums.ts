import { sql } from "kysely";
import { earliestId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import type { UsageGroup } from "./usage.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reporting.payerSums": PayerSums;
  }
}

/** The totals of a tenant's calls by key and by caller, kept for as long as they can be asked for. */
export interface PayerSums {
  /**
   * Every call from the hour of `since` on, the most expensive group first. Undefined: some of them are older than these sums.
   */
  group(
    tenantId: string,
    environment: Environment,
    asked: { by: "key" | "person"; since: Temporal.Instant; groups: number },
  ): Promise<readonly UsageGroup[] | undefined>;
}

/** A little longer than anybody can ask for. */
const KEPT_DAYS = 94;
/** As the sums by tool: a record is stored shortly after its time. */
const AGAIN_HOURS = 2;
const COLUMNS = { key: sql`nullif(key_id, '')`, person: sql`subject` } as const;

export function createPayerSums(db: Queryable): PayerSums {
  return {
    async group(tenantId, environment, { by, since, groups }) {
      const from = floorTo("hour", since);
      const summed = await db.selectFrom("usageSummed").select(["until", "payersSince"]).executeTakeFirst();
      const { until, payersSince } = summed ?? {};
      if (payersSince != null && Temporal.Instant.compare(from, payersSince) < 0) return undefined;
      // Hours that may still change are read record by record.
      const rest = later(from, until == null ? from : floorTo("hour", until.subtract({ hours: AGAIN_HOURS })));
      const firstDay = floorTo("day", from.add({ hours: 24 }).subtract({ nanoseconds: 1 }));
      const lastDay = later(firstDay, floorTo("day", rest));
      const owner = sql`tenant_id = ${tenantId} and network = ${environment}`;
      const between = (begin: Temporal.Instant, end: Temporal.Instant) =>
        sql`${owner} and begins_at >= ${begin.toString()} and begins_at < ${end.toString()}`;
      const columns = sql`${COLUMNS[by]} as name, calls, price_micro, last_at`;
      const hasDays = Temporal.Instant.compare(lastDay, firstDay) > 0;
      const { rows } = await sql<UsageGroup>`
        select grouped.*, api_key.name as key_name from (
          select name, sum(calls)::bigint as calls, sum(price_micro)::bigint as price_micro, max(last_at) as last_at from (
            select ${columns} from usage_payer_hour where ${between(from, hasDays ? firstDay : rest)}
            union all select ${columns} from usage_payer_day where ${between(firstDay, lastDay)}
            union all select ${columns} from usage_payer_hour where ${between(hasDays ? lastDay : rest, rest)}
            union all select ${COLUMNS[by]} as name, 1, price_micro, created_at from usage_record
              where ${owner} and id >= ${earliestId("use_", rest.epochMilliseconds)}
          ) as part group by name order by 3 desc, 1 limit ${groups}
        ) grouped
        left join api_key on api_key.tenant_id = ${tenantId} and api_key.id = replace(grouped.name, 'svc:', '')
        order by price_micro desc, grouped.name`.execute(db);
      return rows;
    },
  };
}

/** Sums whole hours, and their days: counts of an hour only grow, so the later sum stands. */
export async function sumPayersBetween(db: Queryable, from: Temporal.Instant, to: Temporal.Instant): Promise<void> {
  const [begin, end] = [from.toString(), to.toString()];
  const kept = sql`
    on conflict (tenant_id, network, begins_at, key_id, subject) do update set calls = excluded.calls,
      price_micro = excluded.price_micro, last_at = excluded.last_at`;
  await sql`
    insert into usage_payer_hour (tenant_id, network, begins_at, key_id, subject, calls, price_micro, last_at)
    select tenant_id, network, date_trunc('hour', created_at), coalesce(key_id, ''), subject, count(*), sum(price_micro), max(created_at)
    from usage_record where created_at >= ${begin} and created_at < ${end} and tenant_id is not null
    group by 1, 2, 3, 4, 5 ${kept}`.execute(db);
  await sql`
    insert into usage_payer_day (tenant_id, network, begins_at, key_id, subject, calls, price_micro, last_at)
    select tenant_id, network, date_trunc('day', begins_at), key_id, subject, sum(calls), sum(price_micro), max(last_at)
    from usage_payer_hour
    where begins_at >= date_trunc('day', ${begin}::timestamptz) and begins_at < ${end}::timestamptz + interval '1 day'
    group by 1, 2, 3, 4, 5 ${kept}`.execute(db);
}

/** Nobody can ask for older ones. */
export async function forgetPayersBefore(db: Queryable, now: Temporal.Instant): Promise<void> {
  const before = now.subtract({ hours: KEPT_DAYS * 24 }).toString();
  await sql`delete from usage_payer_hour where begins_at < ${before}`.execute(db);
  await sql`delete from usage_payer_day where begins_at < ${before}`.execute(db);
}

const floorTo = (unit: "hour" | "day", instant: Temporal.Instant): Temporal.Instant => {
  const size = unit === "hour" ? 3_600_000 : 86_400_000;
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(instant.epochMilliseconds / size) * size);
};

const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? other : one;
