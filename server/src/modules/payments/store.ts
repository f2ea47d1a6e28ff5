import { type Selectable, sql } from "kysely";
import type { Micro } from "../../domain/money.ts";
import { coalesce } from "../../platform/batching/coalesce.ts";
import { together } from "../../platform/batching/together.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { PaymentTable } from "../../platform/database/tables/payment-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import { LEFT_BEHIND } from "../usage/calls-sql.ts";
import { selectDead } from "../usage/calls-sweep.ts";
import { authorizationKey, findPayments, toPayment } from "./payment-rows.ts";
import { ANSWER_DAYS, type EarnedPayment, type PaymentClaim, type Payments } from "./payments.ts";
import { type EarnRequest, earnTogether, settlePayments } from "./payments-sql.ts";
import { type ClaimRequest, claimTogether } from "./store-claims.ts";

const AT_ONCE = 64;
const PRUNED_AT_ONCE = 1_000;
/** So long a receivable is watched: a payer may sign for as many years as it likes. Whoever sends it again finds out by that. */
const WATCHED_DAYS = 30;
const DEAD = sql.raw<string>(selectDead("(select id from own)", "(select stale from own)"));

/** Joins the caller's transaction when `queryable` is one. */
export function createPayments(queryable: Queryable, clock: Clock): Payments {
  const now = (): string => clock.now().toString();
  function inTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  }

  // Together with what others ask for at the same time; within a transaction there are no others.
  const claim = together<ClaimRequest, PaymentClaim>((requests) => claimTogether(queryable, requests, now()), AT_ONCE);
  const earn = together<EarnRequest, EarnedPayment | undefined>(
    (requests) => earnTogether(queryable, requests, clock.now()),
    AT_ONCE,
  );
  const find = coalesce(async (keys) => {
    const found = await findPayments(queryable, keys);
    return new Map(found.map((payment) => [authorizationKey(payment.environment, payment.signed), payment]));
  });
  const get = coalesce(async (ids) => {
    const rows = await queryable
      .selectFrom("payment")
      .selectAll()
      .where("id", "=", sql<string>`any (${[...ids]}::text[])`)
      .execute();
    return new Map(rows.map((row) => [row.id, toPayment(row)]));
  });

  async function changeOwed(
    db: Queryable,
    { network, asset, payer }: Pick<PaymentTable, "network" | "asset" | "payer">,
    change: { open: Micro; receivables: number; underWay: number },
  ): Promise<void> {
    await db
      .updateTable("payment_payer")
      .set({
        open_micro: sql`open_micro + ${change.open}::bigint`,
        receivables: sql`receivables + ${change.receivables}::int`,
        under_way: sql`under_way + ${change.underWay}::int`,
      })
      .where("network", "=", network)
      .where("asset", "=", asset)
      .where("payer", "=", payer)
      .execute();
  }

  /** A change that only who finds the payment in `from` makes. */
  function move(
    id: string,
    from: "earned" | "receivable",
    change: { state: "earned" | "receivable"; failure: string | null; chain_transaction_id?: string | null },
    unchangedSince?: Temporal.Instant,
  ): Promise<boolean> {
    return inTransaction(async (db) => {
      const row = await db
        .updateTable("payment")
        .set({ ...change, updated_at: now() })
        .where("id", "=", id)
        .where("state", "=", from)
        .where(
          sql<boolean>`coalesce(updated_at = ${unchangedSince?.toString() ?? null}::timestamptz, ${unchangedSince === undefined}::boolean)`,
        )
        .returning(["network", "asset", "payer", "amount_micro", "call_id"])
        .executeTakeFirst();
      if (row === undefined) return false;
      const isOwed = change.state === "receivable";
      const open = isOwed ? -row.amount_micro : row.amount_micro;
      await changeOwed(db, row, { open, receivables: isOwed ? 1 : -1, underWay: isOwed ? -1 : 1 });
      // Whoever gets the same answer by another call pays for it, unless this one is paid after all.
      await db
        .updateTable("call")
        .set({ state: isOwed ? "released" : "captured" })
        .where("id", "=", row.call_id)
        .where("state", "=", isOwed ? "captured" : "released")
        .execute();
      return true;
    });
  }

  return {
    find: (environment, authorization) => find(authorizationKey(environment, authorization)),

    get,

    claim: (payment, balance) => claim({ payment, balance }),

    release: (id) =>
      inTransaction(async (db) => {
        const row = await db
          .selectFrom("payment")
          .select(["network", "asset", "payer", "amount_micro", "call_id"])
          .where("id", "=", id)
          .where("state", "=", "claimed")
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return false;
        const call = await db
          .selectFrom("call")
          .select("effect")
          .where("id", "=", row.call_id)
          .forUpdate()
          .executeTakeFirst();
        if (call?.effect === "open" || call?.effect === "done") {
          await db.updateTable("payment").set({ process_id: LEFT_BEHIND }).where("id", "=", id).execute();
          return false;
        }
        await db.deleteFrom("payment").where("id", "=", id).execute();
        await changeOwed(db, row, { open: -row.amount_micro, receivables: 0, underWay: -1 });
        await db
          .updateTable("call")
          .set({ state: "released", settled_at: now() })
          .where("id", "=", row.call_id)
          .where("state", "=", "reserved")
          .execute();
        return true;
      }),

    earn: (id, earned) => earn({ id, ...earned }),

    async settle(lines) {
      if (lines.length === 0) return 0;
      const { rows } = await settlePayments(lines, clock.now()).execute(queryable);
      return rows.length;
    },

    writeOff: (id, failure) => move(id, "earned", { state: "receivable", failure }),

    retry: ({ id, changedAt }, chainTransactionId) => {
      const change = { state: "earned", failure: null, chain_transaction_id: chainTransactionId ?? null } as const;
      return move(id, "receivable", change, changedAt);
    },

    async ofTransactions(chainTransactionIds) {
      const rows = await queryable
        .selectFrom("payment")
        .selectAll()
        .where("chain_transaction_id", "=", sql<string>`any (${[...chainTransactionIds]}::text[])`)
        .orderBy("id")
        .execute();
      return rows.map(toPayment);
    },

    async takeUngathered(environment, limit) {
      const rows = await queryable
        .selectFrom("payment")
        .selectAll()
        .where("network", "=", environment)
        .where("state", "=", "earned")
        .where("chain_transaction_id", "is", null)
        .orderBy("id")
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute();
      return rows.map(toPayment);
    },

    async assign(ids, chainTransactionId, from) {
      if (ids.length === 0) return 0;
      const answer = await queryable
        .updateTable("payment")
        .set({ chain_transaction_id: chainTransactionId, updated_at: now() })
        .where("id", "in", [...ids])
        .where("state", "=", "earned")
        .where("chain_transaction_id", "is not distinct from", from ?? null)
        .executeTakeFirst();
      return Number(answer.numUpdatedRows);
    },

    async listLoose(environment, limit) {
      const rows = await queryable
        .selectFrom("payment")
        .innerJoin("chain_transaction", "chain_transaction.id", "payment.chain_transaction_id")
        .selectAll("payment")
        .where("payment.network", "=", environment)
        .where("payment.state", "=", "earned")
        .where("chain_transaction.state", "in", ["confirmed", "reverted"])
        .orderBy("payment.id")
        .limit(limit)
        .execute();
      return rows.map(toPayment);
    },

    async takeUnsettled(environment, state, seconds, limit) {
      const at = clock.now();
      const isTheirTurn =
        state === "earned"
          ? sql<boolean>`payment.chain_transaction_id is null`
          : sql<boolean>`payment.valid_before > ${Math.floor(at.epochMilliseconds / 1000)}::numeric
              and payment.created_at > ${at.subtract({ hours: 24 * WATCHED_DAYS }).toString()}::timestamptz`;
      const rows = await queryable
        .updateTable("payment")
        .set({ looked_at: at.toString() })
        .where("id", "in", (query) =>
          query
            .selectFrom("payment")
            .select("id")
            .where("network", "=", environment)
            .where("state", "=", state)
            .where("looked_at", "<=", sql<Temporal.Instant>`${at.subtract({ seconds }).toString()}::timestamptz`)
            .where(isTheirTurn)
            .orderBy("looked_at")
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .returningAll()
        .execute();
      return rows.map(toPayment);
    },

    async listAbandoned({ processId, staleSeconds, limit }) {
      const { rows } = await sql<
        Selectable<PaymentTable> & { effect: "none" | "failed" | "done"; call_result: string | null }
      >`
        with own (id, stale) as (values (${processId}::text, ${staleSeconds}::float8))
        select payment.*, coalesce(call.effect, 'none') as effect, call.result as call_result
        from payment left join call on call.id = payment.call_id
        where payment.state = 'claimed' and coalesce(call.effect, 'none') <> 'open'
          and (payment.process_id = ${LEFT_BEHIND} or payment.process_id in (${DEAD}))
        order by payment.id limit ${limit}`.execute(queryable);
      return rows.map((row) => ({
        payment: toPayment(row),
        effect: row.effect,
        result: row.call_result === null ? undefined : JSON.parse(row.call_result),
      }));
    },

    async prune(at) {
      const before = at.subtract({ hours: 24 * ANSWER_DAYS }).toString();
      for (let pruned = 0; ; ) {
        const answer = await queryable
          .updateTable("payment")
          .set({ result: "null" })
          .where("id", "in", (query) =>
            query
              .selectFrom("payment")
              .select("id")
              // In the words of its index.
              .where(sql<boolean>`state = 'settled' and result <> 'null'`)
              .where("updated_at", "<", sql<Temporal.Instant>`${before}::timestamptz`)
              .limit(PRUNED_AT_ONCE)
              .forUpdate()
              .skipLocked(),
          )
          .executeTakeFirst();
        pruned += Number(answer.numUpdatedRows);
        if (answer.numUpdatedRows < PRUNED_AT_ONCE) return pruned;
      }
    },

    async receivables() {
      const rows = await queryable
        .selectFrom("payment")
        .select(({ fn }) => [
          "network",
          fn.countAll<bigint>().as("count"),
          sql<bigint>`sum(amount_micro)::bigint`.as("amount"),
        ])
        .where("state", "=", "receivable")
        .groupBy("network")
        .execute();
      return rows.map(({ network, count, amount }) => ({ environment: network, count: Number(count), amount }));
    },
  };
}
