import { type Selectable, sql } from "kysely";
import pg from "pg";
import type { PaymentTable } from "../../../platform/database/generated-tables.ts";
import { pruneInPieces } from "../../../platform/database/prune.ts";
import { takeDueRows, takeRows } from "../../../platform/leased-queue/take-rows.ts";
import { dueIfAny, type Queue } from "../../../platform/leased-queue/watch-queues.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import { LEFT_BEHIND, selectDead } from "../../charging/index.ts";
import { ANSWER_MINUTES, type Payments } from "../payments.ts";
import { toPayment } from "../store-payment-rows.ts";
import { gatherGroups } from "../store-payments-sql.ts";
import type { PaymentStorage } from "./store-moves.ts";

/** How long a receivable is watched: a payer may sign for any number of years. After that, only a repeated call finds out. */
const WATCHED_DAYS = 30;
const DEAD = sql.raw<string>(selectDead("(select id from own)", "(select stale from own)"));

type Gathering = "ofTransactions" | "takeUngathered" | "gather" | "isAnyUngathered" | "assign";
type Watching = "listLoose" | "takeUnsettled";
type Upkeep = "listAbandoned" | "prune" | "receivables";

const ofChain = ({ environment, chain }: ChainKey): string =>
  `payment.network = ${pg.escapeLiteral(environment)} and payment.chain = ${pg.escapeLiteral(chain)}`;

/** Payments that dead processes have left. */
export function abandonedPayments(processId: string, staleSeconds: number): Queue {
  const dead = selectDead(pg.escapeLiteral(processId), String(staleSeconds));
  const earliest = dueIfAny(`
    select from payment left join call on call.id = payment.call_id
    where payment.state = 'claimed' and coalesce(call.effect, 'none') <> 'open'
      and (payment.process_id = '${LEFT_BEHIND}' or payment.process_id in (${dead}))`);
  return { name: "payment_claimed", earliest };
}

export function ungatheredPayments(key: ChainKey): Queue {
  const earliest = dueIfAny(
    `select from payment where ${ofChain(key)} and state = 'earned' and chain_transaction_id is null`,
  );
  return { name: "payment_ungathered", earliest };
}

/** The payments that `listLoose` and `takeUnsettled` return. */
export function watchedPayments(key: ChainKey, seconds: number, isSettledOutside: boolean): Queue {
  const turn = `looked_at + interval '${seconds} seconds'`;
  const loose = dueIfAny(`
    select from payment join chain_transaction as sent on sent.id = payment.chain_transaction_id
    where ${ofChain(key)} and payment.state = 'earned' and sent.state in ('confirmed', 'reverted')`);
  const earned = `select min(${turn}) from payment where ${ofChain(key)} and state = 'earned' and chain_transaction_id is null`;
  const owed = `
    select min(${turn}) from payment where ${ofChain(key)} and state = 'receivable'
      and valid_before > floor(extract(epoch from $1::timestamptz))
      and created_at > $1::timestamptz - interval '${WATCHED_DAYS} days'`;
  const all = [loose, ...(isSettledOutside ? [earned] : []), owed];
  return { name: "payment_loose", earliest: `select least(${all.map((one) => `(${one})`).join(", ")})` };
}

/** Payments and the chain transactions that settle them. */
export function createPaymentGathering({ db, clock }: PaymentStorage): Pick<Payments, Gathering> {
  const ungathered = ({ environment, chain }: ChainKey) =>
    db
      .selectFrom("payment")
      .where("environment", "=", environment)
      .where("chain", "=", chain)
      .where("state", "=", "earned")
      .where("chainTransactionId", "is", null);

  return {
    async ofTransactions(chainTransactionIds) {
      const rows = await db
        .selectFrom("payment")
        .selectAll()
        .where("chainTransactionId", "=", sql<string>`any (${[...chainTransactionIds]}::text[])`)
        .orderBy("id")
        .execute();
      return rows.map(toPayment);
    },

    async takeUngathered(chain, limit) {
      const rows = await ungathered(chain).selectAll().orderBy("id").limit(limit).forUpdate().skipLocked().execute();
      return rows.map(toPayment);
    },

    gather: (groups) => gatherGroups(db, groups, clock.now()),

    async isAnyUngathered(chain) {
      return (await ungathered(chain).select("id").limit(1).execute()).length > 0;
    },

    async assign(ids, chainTransactionId, from) {
      if (ids.length === 0) return 0;
      const answer = await db
        .updateTable("payment")
        .set({ chainTransactionId, updatedAt: clock.now().toString() })
        .where("id", "in", [...ids])
        .where("state", "=", "earned")
        .where("chainTransactionId", "is not distinct from", from ?? null)
        .executeTakeFirst();
      return Number(answer.numUpdatedRows);
    },
  };
}

/** Payments whose outcome no transaction of ours tells. */
export function createPaymentWatching({ db, clock }: PaymentStorage): Pick<Payments, Watching> {
  return {
    async listLoose({ environment, chain }, limit) {
      const rows = await db
        .selectFrom("payment")
        .innerJoin("chainTransaction", "chainTransaction.id", "payment.chainTransactionId")
        .selectAll("payment")
        .where("payment.environment", "=", environment)
        .where("payment.chain", "=", chain)
        .where("payment.state", "=", "earned")
        .where("chainTransaction.state", "in", ["confirmed", "reverted"])
        .orderBy("payment.id")
        .limit(limit)
        .execute();
      return rows.map(toPayment);
    },

    async takeUnsettled({ environment, chain }, state, seconds, limit) {
      const at = clock.now();
      const isTheirTurn =
        state === "earned"
          ? sql<boolean>`payment.chain_transaction_id is null`
          : sql<boolean>`payment.valid_before > ${Math.floor(at.epochMilliseconds / 1000)}::numeric
              and payment.created_at > ${at.subtract({ hours: 24 * WATCHED_DAYS }).toString()}::timestamptz`;
      const rows = await takeDueRows<Selectable<PaymentTable>>(db, {
        table: "payment",
        key: ["id"],
        due: "looked_at",
        at: at.subtract({ seconds }),
        until: at,
        limit,
        where: sql`network = ${environment} and chain = ${chain} and state = ${state} and ${isTheirTurn}`,
      });
      return rows.map(toPayment);
    },
  };
}

/** Cleans up after dead processes, and prunes what was settled long ago. */
export function createPaymentUpkeep({ db }: PaymentStorage): Pick<Payments, Upkeep> {
  return {
    async listAbandoned({ processId, staleSeconds, limit }) {
      const { rows } = await sql<
        Selectable<PaymentTable> & { effect: "none" | "failed" | "done"; callResult: string | null }
      >`
        with own (id, stale) as (values (${processId}::text, ${staleSeconds}::float8))
        select payment.*, coalesce(call.effect, 'none') as effect, call.result as call_result
        from payment left join call on call.id = payment.call_id
        where payment.state = 'claimed' and coalesce(call.effect, 'none') <> 'open'
          and (payment.process_id = ${LEFT_BEHIND} or payment.process_id in (${DEAD}))
        order by payment.id limit ${limit}`.execute(db);
      return rows.map((row) => ({
        payment: toPayment(row),
        effect: row.effect,
        result: row.callResult === null ? undefined : JSON.parse(row.callResult),
      }));
    },

    async prune(at) {
      const before = at.subtract({ minutes: ANSWER_MINUTES }).toString();
      return await pruneInPieces(async (limit) => {
        const rows = await takeRows<{ id: string }>(db, {
          table: "payment",
          key: ["id"],
          orderBy: "updated_at",
          limit,
          returning: ["id"],
          where: sql`state = 'settled' and result <> 'null' and updated_at < ${before}::timestamptz`,
          set: sql`result = 'null'`,
        });
        return rows.length;
      });
    },

    async receivables() {
      const rows = await db
        .selectFrom("payment")
        .select(({ fn }) => [
          "environment",
          fn.countAll<bigint>().as("count"),
          sql<bigint>`sum(amount_micro)::bigint`.as("amount"),
        ])
        .where("state", "=", "receivable")
        .groupBy("environment")
        .execute();
      return rows.map(({ environment, count, amount }) => ({ environment, count: Number(count), amount }));
    },
  };
}
