import { sql } from "kysely";
import { earliestId } from "../../domain/ids.ts";
import type { Micro } from "../../domain/money.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import { forgetPayersBefore, sumPayersBetween } from "./store-payer-sums.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reporting.usageSums": UsageSums;
  }
}

interface UsageSum {
  beginsAt: Temporal.Instant;
  calls: bigint;
  listPriceMicro: Micro;
  priceMicro: Micro;
}

interface ToolSum {
  tool: string;
  calls: bigint;
  priceMicro: Micro;
}

/** The totals of a tenant's usage records, kept when the records are removed. */
export interface UsageSums {
  /** Newest first; periods that begin before `before`. */
  list(
    tenantId: string,
    environment: Environment,
    page: { by: "hour" | "day"; tool: string | undefined; before: Temporal.Instant | undefined; limit: number },
  ): Promise<readonly UsageSum[]>;
  /** By tool, most expensive first, up to this moment; both times are whole hours. */
  byTool(
    tenantId: string,
    environment: Environment,
    asked: { from: Temporal.Instant; to: Temporal.Instant; tool: string | undefined },
  ): Promise<readonly ToolSum[]>;
  /** The sums contain all records made before this moment. Undefined: none yet. */
  summedUntil(): Promise<Temporal.Instant | undefined>;
  /** Adds newer records to the sums, in a transaction. True: there is more. */
  sum(now: Temporal.Instant): Promise<boolean>;
}

/** A record is stored shortly after its time, so recent hours are summed again. */
const AGAIN_HOURS = 2;
const MOST_HOURS_AT_ONCE = 48;

export function createUsageSums(db: Queryable): UsageSums {
  return {
    async list(tenantId, environment, { by, tool, before, limit }) {
      const { rows } = await sql<UsageSum>`
        select begins_at, sum(calls)::bigint as calls, sum(list_price_micro)::bigint as list_price_micro,
          sum(price_micro)::bigint as price_micro
        from ${sql.table(by === "hour" ? "usage_hour" : "usage_day")}
        where tenant_id = ${tenantId} and network = ${environment}
          and begins_at < ${before?.toString() ?? "infinity"} ${tool === undefined ? sql`` : sql`and tool = ${tool}`}
        group by begins_at order by begins_at desc limit ${limit}`.execute(db);
      return rows;
    },

    async byTool(tenantId, environment, { from, to, tool }) {
      const summed = await db.selectFrom("usageSummed").select("until").executeTakeFirst();
      const until = summed?.until;
      // Hours that may still change are read record by record.
      const rest = later(from, until ? floorToHour(until.subtract({ hours: AGAIN_HOURS })) : from);
      const [first, end] = [rest, to].map((at) => earliestId("use_", at.epochMilliseconds));
      const isAsked = tool === undefined ? sql`` : sql`and tool = ${tool}`;
      const { rows } = await sql<ToolSum>`
        select tool, sum(calls)::bigint as calls, sum(price_micro)::bigint as price_micro from (
          select tool, calls, price_micro from usage_hour
          where tenant_id = ${tenantId} and network = ${environment} and begins_at >= ${from.toString()}
            and begins_at < least(${to.toString()}::timestamptz, ${rest.toString()}::timestamptz) ${isAsked}
          union all
          select tool, 1, price_micro from usage_record
          where tenant_id = ${tenantId} and network = ${environment} and id >= ${first} and id < ${end} ${isAsked}
        ) as part group by tool order by 3 desc, 1`.execute(db);
      return rows;
    },

    async summedUntil() {
      const row = await db.selectFrom("usageSummed").select("until").executeTakeFirst();
      return row?.until ?? undefined;
    },

    async sum(now) {
      const { rows } = await sql<{ until: Temporal.Instant | null }>`
        select coalesce(until, (select created_at from usage_record order by id limit 1)) as until
        from usage_summed for update skip locked`.execute(db);
      if (rows.length === 0) return false;
      // Summarises new pages in the BRIN index: unsummarised ones are read in full, and nothing else summarises them this soon.
      await sql`
        select brin_summarize_new_values(inhrelid::regclass) from pg_inherits
        where inhparent = 'usage_record_created'::regclass`.execute(db);
      const since = rows[0]?.until ?? now;
      const from = floorToHour(since.subtract({ hours: AGAIN_HOURS }));
      const most = from.add({ hours: MOST_HOURS_AT_ONCE });
      const isLast = Temporal.Instant.compare(most, now) > 0;
      await sumBetween(db, from, most);
      await sumPayersBetween(db, from, most);
      if (isLast) await forgetPayersBefore(db, now);
      await sql`update usage_summed set until = ${(isLast ? now : most).toString()}`.execute(db);
      return !isLast;
    },
  };
}

/** Sums whole hours: counts of an hour only grow, so the later sum stands. */
async function sumBetween(db: Queryable, from: Temporal.Instant, to: Temporal.Instant): Promise<void> {
  const [begin, end] = [from.toString(), to.toString()];
  const kept = sql`
    on conflict (tenant_id, network, begins_at, tool) do update set calls = excluded.calls,
      list_price_micro = excluded.list_price_micro, price_micro = excluded.price_micro`;
  await sql`
    insert into usage_hour (tenant_id, network, begins_at, tool, calls, list_price_micro, price_micro)
    select tenant_id, network, date_trunc('hour', created_at), tool, count(*), sum(list_price_micro), sum(price_micro)
    from usage_record where created_at >= ${begin} and created_at < ${end} and tenant_id is not null
    group by 1, 2, 3, 4 ${kept}`.execute(db);
  await sql`
    insert into usage_day (tenant_id, network, begins_at, tool, calls, list_price_micro, price_micro)
    select tenant_id, network, date_trunc('day', begins_at), tool, sum(calls), sum(list_price_micro), sum(price_micro)
    from usage_hour where begins_at >= date_trunc('day', ${begin}::timestamptz) and begins_at < ${end}::timestamptz + interval '1 day'
    group by 1, 2, 3, 4 ${kept}`.execute(db);
}

const floorToHour = (instant: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(instant.epochMilliseconds / 3_600_000) * 3_600_000);

const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? other : one;
