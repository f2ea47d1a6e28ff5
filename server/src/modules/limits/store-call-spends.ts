import { sql } from "kysely";
import type { Micro } from "../../domain/money.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { dueIfAny } from "../../platform/leased-queue/watch-queues.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Budgets, findBudgetId } from "./budgets.ts";
import type { CallSpends, CountedIn, Spend, SpendingCall, Usage } from "./call-spends.ts";
import {
  countedAs,
  countedIn,
  countedInBudget,
  isEscrowed,
  listLines,
  requireRoom,
  requireSmallEnough,
  type SpendLine,
  totalSpend,
} from "./judge-spend.ts";
import type { LimitsInForce, Spender, SpendOwner } from "./spend-limits.ts";
import { createBudgets } from "./store-budgets.ts";
import {
  addToCounters,
  lockCounters,
  readCounters,
  readReserved,
  updateCounters,
  usedAmount,
} from "./store-counters.ts";
import { createSpendLimits } from "./store-limits.ts";

interface StoredSpend extends Spender {
  callId: string;
  state: "reserved" | "used" | "released";
  amount: Micro;
}

const UNSETTLED = `
  from call_spend spend
  where spend.state = 'reserved' and not exists (
    select 1 from call where call.id = spend.call_id and (call.state = 'reserved' or call.effect in ('open', 'done')))`;

/** The call's row is changed before its spending, as everywhere. */
export const SPENDS_USED = `
  update call_spend set state = 'used' from ended where call_spend.call_id = ended.id and call_spend.state = 'reserved'`;

export const UNSETTLED_SPENDS = { name: "call_spend", earliest: dueIfAny(`select ${UNSETTLED}`) };

/** Joins the caller's transaction if `queryable` is one; changes of several rows require one. */
export class StoredCallSpends implements CallSpends {
  readonly #db: Queryable;
  readonly #clock: Clock;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async reserve(spender: Spender, call: SpendingCall, spend: Spend): Promise<void> {
    const { startedAt: at, travelerId } = call;
    const inForce = await this.#inForce(spender);
    requireSmallEnough(spender, inForce, totalSpend(spend));
    const travelerIds = [travelerId, ...spend.travelerIds];
    const use = { keyId: spender.keyId, travelerIds, tripId: spend.tripId, at };
    const covering = await this.#budgets().covering(spender, use);
    const counted = [...countedIn(spender, at), ...covering.map(countedInBudget)];
    const counters = await lockCounters(this.#db, spender, counted);
    // Read again: with their counters locked, they can no longer change.
    const budgets = await this.#budgets().find(
      spender,
      covering.map(({ budgetId }) => budgetId),
    );
    const lines = listLines(counted, counters, spend);
    requireRoom(spender, { inForce, budgets }, counters, { lines, isOpen: spend.isOpen });
    await this.#insert(spender, call, spend, lines);
  }

  async price(callId: string, amount: Micro): Promise<void> {
    const stored = await this.#lock(callId);
    if (stored?.state !== "reserved" || stored.amount === amount) return;
    requireSmallEnough(stored, await this.#inForce(stored), amount);
    const lines = await this.#readLines(stored);
    const changes = lines.map((line) => ({ ...line, amount: isEscrowed(line) ? 0n : amount - stored.amount }));
    await this.#take(stored, changes);
    await sql`
      with priced as (update call_spend set amount_micro = ${String(amount)}::bigint where call_id = ${callId})
      update call_spend_line line set amount_micro = line.amount_micro + change.amount
      from unnest(
        ${changes.map(({ account }) => account)}::text[], ${changes.map(({ period }) => period)}::text[],
        ${changes.map((change) => change.amount.toString())}::bigint[]
      ) as change (account, period, amount)
      where line.tenant_id = ${stored.tenantId} and line.environment = ${stored.environment} and line.call_id = ${callId}
        and line.account = change.account and line.period = change.period`.execute(this.#db);
  }

  async open(callId: string): Promise<void> {
    const stored = await this.#lock(callId);
    if (stored?.state !== "released") return;
    await this.#take(stored, await this.#readLines(stored));
    await sql`update call_spend set state = 'reserved' where call_id = ${callId} and state = 'released'`.execute(
      this.#db,
    );
  }

  async failed(callId: string): Promise<void> {
    const stored = await this.#lock(callId);
    if (stored?.state === "reserved") await this.#giveBack(stored);
  }

  async settle(callId: string): Promise<void> {
    if (!(await this.#isReserved(callId))) return;
    await this.#inTransaction(async (spends) => {
      const stored = await spends.#lock(callId);
      if (stored?.state === "reserved" && (await spends.#isOver(callId))) await spends.#giveBack(stored);
    });
  }

  async listUnsettled(limit: number): Promise<readonly string[]> {
    const { rows } = await sql<{ callId: string }>`
      select spend.call_id ${sql.raw(UNSETTLED)} limit ${limit}`.execute(this.#db);
    return rows.map(({ callId }) => callId);
  }

  counters(owner: SpendOwner, counted: readonly CountedIn[]): Promise<ReadonlyMap<string, Micro>> {
    return readCounters(this.#db, owner, counted);
  }

  async usage(owner: SpendOwner, counted: readonly CountedIn[]): Promise<readonly Usage[]> {
    const used = await readCounters(this.#db, owner, counted);
    const reserved = await readReserved(this.#db, owner, counted);
    return counted.map(({ account, period }) => {
      const one = { account, period };
      return { ...one, used: usedAmount(used, one), reserved: usedAmount(reserved, one) };
    });
  }

  async prune(before: Temporal.Instant): Promise<void> {
    const isOld = sql`created_at < ${before.toString()}::timestamptz and state <> 'reserved'`;
    await pruneRows(this.#db, "call_spend", isOld);
  }

  /** With the counters' change. */
  async #insert(spender: Spender, call: SpendingCall, spend: Spend, lines: readonly SpendLine[]): Promise<void> {
    const { tenantId, environment, keyId } = spender;
    const owned = { tenantId, environment, callId: call.id, traceId: currentTraceId() };
    await this.#db
      .with("counted", () => sql<object>`(${updateCounters(spender, lines)})`)
      .with("spent", (db) =>
        db.insertInto("callSpend").values({
          ...owned,
          keyId,
          amountMicro: totalSpend(spend),
          conversions: JSON.stringify(spend.conversions),
          createdAt: call.startedAt.toString(),
        }),
      )
      .insertInto("callSpendLine")
      .values(lines.map(({ account, period, amount }) => ({ ...owned, account, period, amountMicro: amount })))
      .execute();
  }

  /** Locks the call's row and its spending until the end of the transaction, and returns the latter. */
  async #lock(callId: string): Promise<StoredSpend | undefined> {
    return await this.#db
      .with(
        (cte) => cte("lockedCall").materialized(),
        (db) => db.selectFrom("call").select("id").where("id", "=", callId).forUpdate(),
      )
      .selectFrom("callSpend")
      .leftJoin("lockedCall", "lockedCall.id", "callSpend.callId")
      .select(["callId", "tenantId", "environment", "keyId", "state", "amountMicro as amount"])
      .where("callId", "=", callId)
      .forUpdate("callSpend")
      .executeTakeFirst();
  }

  async #readLines({ tenantId, environment, callId }: StoredSpend): Promise<readonly SpendLine[]> {
    const rows = await this.#db
      .selectFrom("callSpendLine")
      .select(["account", "period", "amountMicro as amount"])
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("callId", "=", callId)
      .execute();
    return rows.map(({ account, period, amount }) => ({ ...countedAs(account, period), amount }));
  }

  async #take(spender: Spender, lines: readonly SpendLine[]): Promise<void> {
    const counters = await lockCounters(this.#db, spender, lines);
    const budgetIds = lines.map(findBudgetId).filter((id) => id !== undefined);
    const bounds = { inForce: await this.#inForce(spender), budgets: await this.#budgets().find(spender, budgetIds) };
    requireRoom(spender, bounds, counters, { lines, isOpen: false });
    await addToCounters(this.#db, spender, lines);
  }

  async #giveBack(stored: StoredSpend): Promise<void> {
    const lines = await this.#readLines(stored);
    await lockCounters(this.#db, stored, lines);
    const back = lines.map((line) => ({ ...line, amount: -line.amount }));
    await addToCounters(this.#db, stored, back);
    await sql`update call_spend set state = 'released' where call_id = ${stored.callId}`.execute(this.#db);
  }

  async #isReserved(callId: string): Promise<boolean> {
    const { rows } = await sql`select 1 from call_spend where call_id = ${callId} and state = 'reserved'`.execute(
      this.#db,
    );
    return rows.length > 0;
  }

  /** True also if the row is gone: only calls that ended long ago are removed. */
  async #isOver(callId: string): Promise<boolean> {
    const { rows } = await sql<{ isOver: boolean }>`
      select state <> 'reserved' and effect in ('none', 'failed') as is_over from call where id = ${callId}`.execute(
      this.#db,
    );
    return rows[0]?.isOver ?? true;
  }

  #budgets(): Budgets {
    return createBudgets(this.#db, this.#clock);
  }

  #inForce(spender: Spender): Promise<LimitsInForce> {
    return createSpendLimits(this.#db, this.#clock).inForce(spender);
  }

  async #inTransaction(work: (spends: StoredCallSpends) => Promise<void>): Promise<void> {
    if (this.#db.isTransaction) await work(this);
    else await this.#db.transaction().execute((transaction) => work(new StoredCallSpends(transaction, this.#clock)));
  }
}
