import { type Selectable, sql } from "kysely";
import { newId } from "../domain/ids.ts";
import type { Micro } from "../domain/money.ts";
import type { Clock } from "../ports/clock.ts";
import type { Environment } from "../ports/identity.ts";
import { ANSWER_DAYS, type NewPayment, type Payment, type PaymentClaim, type Payments } from "../ports/payments.ts";
import { LEFT_BEHIND } from "./calls-sql.ts";
import { selectDead } from "./calls-sweep.ts";
import type { Queryable } from "./database.ts";
import { toPayment, toRow } from "./payment-rows.ts";
import type { PaymentTable } from "./payment-tables.ts";
import { settlePayments } from "./payments-sql.ts";

/** So many answers of a payer may be unpaid; then nothing more is done for it. */
const MOST_RECEIVABLES = 3;
const PRUNED_AT_ONCE = 1_000;
const DEAD = sql.raw<string>(selectDead("(select id from own)", "(select stale from own)"));

/** Joins the caller's transaction when `queryable` is one. */
export function createPayments(queryable: Queryable, clock: Clock): Payments {
  const now = (): string => clock.now().toString();
  function inTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  }

  async function findWith(
    db: Queryable,
    environment: Environment,
    { asset, payer, nonce }: Pick<Payment["signed"], "asset" | "payer" | "nonce">,
  ): Promise<Payment | undefined> {
    const row = await db
      .selectFrom("payment")
      .selectAll()
      .where("network", "=", environment)
      .where("asset", "=", asset)
      .where("payer", "=", payer)
      .where("nonce", "=", nonce)
      .executeTakeFirst();
    return row === undefined ? undefined : toPayment(row);
  }

  async function claimOnce(payment: NewPayment, balance: Micro | undefined): Promise<PaymentClaim | undefined> {
    const at = now();
    try {
      return await inTransaction(async (db) => {
        // Waits for another claim of the same authorization until it is decided.
        const inserted = await db
          .insertInto("payment")
          .values(toRow(payment, at))
          .onConflict((conflict) => conflict.columns(["network", "asset", "payer", "nonce"]).doNothing())
          .returning("id")
          .executeTakeFirst();
        if (inserted === undefined) {
          const stored = await findWith(db, payment.environment, payment.signed);
          return stored === undefined ? undefined : { kind: "taken", payment: stored };
        }
        await openAmount(db, payment, balance);
        if (payment.hasEffects) await insertCall(db, payment, at);
        return { kind: "claimed" };
      });
    } catch (error) {
      if (error instanceof ClaimRefused) return { kind: "refused", reason: error.reason };
      throw error;
    }
  }

  async function changeOwed(
    db: Queryable,
    { network, asset, payer }: Pick<PaymentTable, "network" | "asset" | "payer">,
    change: { open: Micro; receivables: number },
  ): Promise<void> {
    await db
      .updateTable("payment_payer")
      .set({
        open_micro: sql`open_micro + ${change.open}::bigint`,
        receivables: sql`receivables + ${change.receivables}::int`,
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
      await changeOwed(db, row, { open, receivables: isOwed ? 1 : -1 });
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
    find: (environment, authorization) => findWith(queryable, environment, authorization),

    async get(id) {
      const row = await queryable.selectFrom("payment").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toPayment(row);
    },

    async claim(payment, balance) {
      for (;;) {
        // Undefined: the one that stood in the way was released between two statements.
        const claim = await claimOnce(payment, balance);
        if (claim !== undefined) return claim;
      }
    },

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
        await changeOwed(db, row, { open: -row.amount_micro, receivables: 0 });
        await db
          .updateTable("call")
          .set({ state: "released", settled_at: now() })
          .where("id", "=", row.call_id)
          .where("state", "=", "reserved")
          .execute();
        return true;
      }),

    async earn(id, { result, latencyMs, chainTransactionId }) {
      const at = now();
      const { rows } = await sql`
        with earned as (
          update payment set state = 'earned', result = ${JSON.stringify(result)}, latency_ms = ${latencyMs},
            chain_transaction_id = ${chainTransactionId ?? null}, looked_at = ${at}, updated_at = ${at}
          where id = ${id} and state = 'claimed' returning call_id
        ),
        called as (
          update call set state = 'captured', settled_at = ${at} from earned
          where call.id = earned.call_id and call.state = 'reserved'
        )
        select call_id from earned`.execute(queryable);
      return rows.length === 1;
    },

    async settle(ids, transactionHash) {
      if (ids.length === 0) return 0;
      const at = clock.now();
      const usageIds = ids.map(() => newId("use_", at.epochMilliseconds));
      const { rows } = await settlePayments({ ids, usageIds }, transactionHash, at.toString()).execute(queryable);
      return rows.length;
    },

    writeOff: (id, failure) => move(id, "earned", { state: "receivable", failure }),

    retry: ({ id, changedAt }, chainTransactionId) => {
      const change = { state: "earned", failure: null, chain_transaction_id: chainTransactionId ?? null } as const;
      return move(id, "receivable", change, changedAt);
    },

    async ofTransaction(chainTransactionId) {
      const rows = await queryable
        .selectFrom("payment")
        .selectAll()
        .where("chain_transaction_id", "=", chainTransactionId)
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
          : sql<boolean>`payment.valid_before > ${Math.floor(at.epochMilliseconds / 1000)}::numeric`;
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

/** Rolls a claim back. */
class ClaimRefused extends Error {
  readonly reason: "insufficient_funds" | "payer_owes";

  constructor(reason: "insufficient_funds" | "payer_owes") {
    super(reason);
    this.reason = reason;
  }
}

/** Counts a claim among what its payer owes, under the lock of the payer's row. */
async function openAmount(db: Queryable, payment: NewPayment, balance: Micro | undefined): Promise<void> {
  const { asset, payer, amount } = payment.signed;
  const row = await db
    .insertInto("payment_payer")
    .values({ network: payment.environment, asset, payer, open_micro: amount })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "asset", "payer"])
        .doUpdateSet({ open_micro: sql`payment_payer.open_micro + excluded.open_micro` }),
    )
    .returning(["open_micro", "receivables"])
    .executeTakeFirstOrThrow();
  if (row.receivables >= MOST_RECEIVABLES) throw new ClaimRefused("payer_owes");
  if (balance !== undefined && row.open_micro > balance) throw new ClaimRefused("insufficient_funds");
}

async function insertCall(db: Queryable, payment: NewPayment, at: string): Promise<void> {
  await db
    .insertInto("call")
    .values({
      id: payment.callId,
      tenant_id: payment.tenantId ?? `payer:${payment.signed.payer}`,
      key_id: payment.keyId ?? "",
      subject: payment.subject,
      tool: payment.tool,
      surface: "paid",
      period: at.slice(0, 7),
      list_price_micro: payment.listPrice,
      discount_percent: payment.discountPercent,
      // The payment pays, and the tenant's cap is not touched.
      price_micro: 0n,
      usage_status: payment.environment === "sandbox" ? "sandbox" : "settled",
      trace_id: payment.traceId,
      idempotency_key: null,
      process_id: payment.processId,
      result: null,
      usage_id: null,
      created_at: at,
      settled_at: null,
    })
    .execute();
}
