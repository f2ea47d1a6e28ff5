import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Database, FeedbackTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Feedback, FeedbackQuery, FeedbackSummary, NewFeedback, RecordedOnChain } from "./reputation.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reputation.feedbacks": Feedbacks;
  }
}

/** Ratings of agents. Joins the caller's transaction when `db` is one. */
export function createFeedbacks(db: Queryable, clock: Clock) {
  return {
    /** Inserts it as `pending`. Undefined: this scope has a rating or a pending one. */
    async insert(feedback: NewFeedback): Promise<Feedback | undefined> {
      const row = await db
        .insertInto("feedback")
        .values({
          ...feedback,
          agentId: feedback.agentId.toString(),
          createdAt: clock.now().toString(),
          traceId: currentTraceId(),
        })
        .onConflict((conflict) => conflict.columns(["environment", "chain", "scope"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toFeedback(row);
    },

    async findInScope({ environment, chain }: ChainKey, scope: string): Promise<Feedback | undefined> {
      const row = await db
        .selectFrom("feedback")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("scope", "=", scope)
        .executeTakeFirst();
      return row === undefined ? undefined : toFeedback(row);
    },

    async confirm(recorded: readonly RecordedOnChain[]): Promise<void> {
      await sql`
        update feedback set state = 'confirmed', transaction_hash = line.hash, confirmed_at = ${clock.now().toString()}::timestamptz
          from ${recordedRows(recorded)} as line (id, hash)
         where feedback.id = line.id and feedback.state = 'pending'`.execute(db);
    },

    /** Removes a pending rating that the chain refused, which frees its scope. */
    async discard(id: string): Promise<void> {
      await db.deleteFrom("feedback").where("id", "=", id).where("state", "=", "pending").execute();
    },

    async summary(query: FeedbackQuery, mostTags: number): Promise<FeedbackSummary> {
      const rows = await db
        .with("byTag", (inner) =>
          confirmed(inner.selectFrom("feedback"), query)
            .select(({ fn }) => [
              "feedback.tag",
              fn.countAll<bigint>().as("count"),
              fn.sum<bigint>("feedback.stars").as("starSum"),
            ])
            .groupBy("feedback.tag"),
        )
        .selectFrom("byTag")
        .select(({ fn }) => [
          "tag",
          "count",
          "starSum",
          sql<bigint>`(sum(count) over ())::bigint`.as("allCount"),
          sql<bigint>`(sum(star_sum) over ())::bigint`.as("allStarSum"),
          fn.countAll<bigint>().over().as("tagCount"),
        ])
        .orderBy("count", "desc")
        .orderBy(sql`tag collate "C"`)
        .limit(mostTags)
        .execute();
      const [first] = rows;
      return {
        count: Number(first?.allCount ?? 0n),
        starSum: Number(first?.allStarSum ?? 0n),
        tagCount: Number(first?.tagCount ?? 0n),
        byTag: rows.map(({ tag, count, starSum }) => ({ tag, count: Number(count), starSum: Number(starSum) })),
      };
    },

    /** Newest first. */
    async recent(query: FeedbackQuery, limit: number): Promise<readonly Feedback[]> {
      if (limit === 0) return [];
      const rows = await confirmed(db.selectFrom("feedback"), query)
        .selectAll("feedback")
        .orderBy("confirmedAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toFeedback);
    },
  };
}

type Feedbacks = ReturnType<typeof createFeedbacks>;

/** Rows of ids and hashes, for updating several at once. */
export function recordedRows(recorded: readonly RecordedOnChain[]) {
  const ids = recorded.map(({ id }) => id);
  const hashes = recorded.map(({ transactionHash }) => transactionHash);
  return sql`unnest(${ids}::text[], ${hashes}::text[])`;
}

function confirmed<Output>(
  from: SelectQueryBuilder<Database, "feedback", Output>,
  { environment, chain, agentId, rater }: FeedbackQuery,
): SelectQueryBuilder<Database, "feedback", Output> {
  if (agentId === undefined && rater === undefined) throw new Error("ratings of everybody by everybody were asked for");
  let rows = from
    .where("feedback.environment", "=", environment)
    .where("feedback.chain", "=", chain)
    .where("feedback.state", "=", sql<"confirmed">`'confirmed'`);
  if (agentId !== undefined) rows = rows.where("feedback.agentId", "=", agentId.toString());
  if (rater === undefined) return rows;
  return rows
    .where("feedback.raterKind", "=", sql<"user">`'user'`)
    .where("feedback.tenantId", "=", rater.tenantId)
    .where("feedback.userId", "=", rater.userId);
}

export function toFeedback(row: Selectable<FeedbackTable>): Feedback {
  return { ...withoutNulls(row), agentId: BigInt(row.agentId) };
}
