import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { Database, Queryable } from "../../platform/database/database.ts";
import type { FeedbackTable } from "../../platform/database/tables/reputation-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Feedback, FeedbackQuery, Feedbacks, RecordedOnChain } from "./reputation.ts";

/** Ratings of agents. Joins the caller's transaction when `db` is one. */
export function createFeedbacks(db: Queryable, clock: Clock): Feedbacks {
  return {
    async insert(feedback) {
      const row = await db
        .insertInto("feedback")
        .values({
          id: feedback.id,
          network: feedback.network,
          agent_id: feedback.agentId.toString(),
          tenant_id: feedback.tenantId,
          rater_kind: feedback.raterKind,
          user_id: feedback.userId,
          scope: feedback.scope,
          stars: feedback.stars,
          tag: feedback.tag,
          trip_id: feedback.tripId ?? null,
          booking_id: feedback.bookingId ?? null,
          evidence_uri: feedback.evidenceUri ?? null,
          feedback_hash: feedback.feedbackHash,
          created_at: clock.now().toString(),
        })
        .onConflict((conflict) => conflict.columns(["network", "scope"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toFeedback(row);
    },

    async findInScope(network, scope) {
      const row = await db
        .selectFrom("feedback")
        .selectAll()
        .where("network", "=", network)
        .where("scope", "=", scope)
        .executeTakeFirst();
      return row === undefined ? undefined : toFeedback(row);
    },

    async confirm(recorded) {
      await sql`
        update feedback set state = 'confirmed', transaction_hash = line.hash, confirmed_at = ${clock.now().toString()}::timestamptz
          from ${linesOf(recorded)} as line (id, hash)
         where feedback.id = line.id and feedback.state = 'pending'`.execute(db);
    },

    async discard(id) {
      await db.deleteFrom("feedback").where("id", "=", id).where("state", "=", "pending").execute();
    },

    async summary(query, mostTags) {
      const rows = await db
        .with("by_tag", (inner) =>
          confirmed(inner.selectFrom("feedback"), query)
            .select(({ fn }) => [
              "feedback.tag",
              fn.countAll<bigint>().as("count"),
              fn.sum<bigint>("feedback.stars").as("star_sum"),
            ])
            .groupBy("feedback.tag"),
        )
        .selectFrom("by_tag")
        .select(({ fn }) => [
          "tag",
          "count",
          "star_sum",
          sql<bigint>`(sum(count) over ())::bigint`.as("all_count"),
          sql<bigint>`(sum(star_sum) over ())::bigint`.as("all_star_sum"),
          fn.countAll<bigint>().over().as("tag_count"),
        ])
        .orderBy("count", "desc")
        .orderBy(sql`tag collate "C"`)
        .limit(mostTags)
        .execute();
      const [first] = rows;
      return {
        count: Number(first?.all_count ?? 0n),
        starSum: Number(first?.all_star_sum ?? 0n),
        tagCount: Number(first?.tag_count ?? 0n),
        byTag: rows.map(({ tag, count, star_sum }) => ({ tag, count: Number(count), starSum: Number(star_sum) })),
      };
    },

    async recent(query, limit) {
      if (limit === 0) return [];
      const rows = await confirmed(db.selectFrom("feedback"), query)
        .selectAll("feedback")
        .orderBy("confirmed_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toFeedback);
    },
  };
}

/** Rows of ids and hashes, for an update of several. */
export function linesOf(recorded: readonly RecordedOnChain[]) {
  const ids = recorded.map(({ id }) => id);
  const hashes = recorded.map(({ transactionHash }) => transactionHash);
  return sql`unnest(${ids}::text[], ${hashes}::text[])`;
}

function confirmed<Output>(
  from: SelectQueryBuilder<Database, "feedback", Output>,
  { network, agentId, rater }: FeedbackQuery,
): SelectQueryBuilder<Database, "feedback", Output> {
  if (agentId === undefined && rater === undefined) throw new Error("ratings of everybody by everybody were asked for");
  let rows = from.where("feedback.network", "=", network).where("feedback.state", "=", sql<"confirmed">`'confirmed'`);
  if (agentId !== undefined) rows = rows.where("feedback.agent_id", "=", agentId.toString());
  if (rater === undefined) return rows;
  return rows
    .where("feedback.rater_kind", "=", sql<"user">`'user'`)
    .where("feedback.tenant_id", "=", rater.tenantId)
    .where("feedback.user_id", "=", rater.userId);
}

function toFeedback(row: Selectable<FeedbackTable>): Feedback {
  return {
    id: row.id,
    network: row.network,
    agentId: BigInt(row.agent_id),
    tenantId: row.tenant_id,
    raterKind: row.rater_kind,
    userId: row.user_id,
    scope: row.scope,
    stars: row.stars,
    tag: row.tag,
    tripId: row.trip_id ?? undefined,
    bookingId: row.booking_id ?? undefined,
    evidenceUri: row.evidence_uri ?? undefined,
    feedbackHash: row.feedback_hash,
    state: row.state,
    transactionHash: row.transaction_hash ?? undefined,
    createdAt: row.created_at,
  };
}
