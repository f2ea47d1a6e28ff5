import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { systemClock } from "../../../ports/clock.ts";
import { createPayments } from "../store.ts";
import { intentOfBatch, intentOfPayment } from "./payment-intents.ts";

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
const BATCHED = { batchWindowMilliseconds: 50 };
const errorCode = (error: { code?: unknown }) => error.code;

type Process = ReturnType<PaymentWorld["openProcess"]>;

/** Calls whose tools have succeeded and whose payments wait to be batched. */
async function earnedCalls(
  process: Process,
  payments: readonly Parameters<PaymentWorld["pay"]>[1][],
  after: () => Promise<void>,
) {
  const paying = payments.map((signed) => world.pay(process, signed).catch(errorCode));
  const nonces = payments.map(({ nonce }) => nonce);
  const earned = () =>
    world.db.selectFrom("payment").select("id").where("nonce", "in", nonces).where("state", "=", "earned").execute();
  await expect.poll(async () => (await earned()).length).toBe(payments.length);
  await after();
  return Promise.all(paying);
}

const selectTransactions = (addresses: readonly Hex[]) =>
  world.db
    .selectFrom("payment")
    .innerJoin("chainTransaction", "chainTransaction.id", "payment.chainTransactionId")
    .select(["chainTransaction.id", "chainTransaction.purpose", "chainTransaction.state"])
    .distinct()
    .where("payment.payer", "in", [...addresses])
    .execute();

test("two processes that batch at once put every payment into one transaction, and all are answered", async () => {
  const processes = [world.openProcess("proc_a", BATCHED), world.openProcess("proc_b", BATCHED)] as const;
  const payers = await Promise.all(Array.from({ length: 4 }, () => world.newPayer(6n * PRICE)));
  const payments = await Promise.all(payers.flatMap((payer) => Array.from({ length: 6 }, () => payer.sign(PRICE))));
  const gathered = Promise.withResolvers<number[]>();
  const [a, b] = processes;
  const answers = await earnedCalls(a, payments, async () =>
    gathered.resolve(await Promise.all([a.gather(), b.gather()])),
  );
  expect((await gathered.promise).reduce((sum, count) => sum + count, 0)).toBe(payments.length);
  for (const answer of answers) expect(answer).toMatchObject({ price: PRICE, replayed: false });
  const addresses = payers.map(({ address }) => address);
  const transactions = await selectTransactions(addresses);
  expect(transactions.length).toBeLessThanOrEqual(2);
  for (const transaction of transactions) expect(transaction).toMatchObject({ state: "confirmed" });
  for (const payer of payers) {
    expect(await payer.balance()).toBe(0n);
    expect(await world.books(payer)).toMatchObject({ open: 0n, recorded: 6n * PRICE });
  }
});

test("a group of which another process has taken one leaves nothing behind, and the rest is gathered later", async () => {
  const process = world.openProcess("proc_a", BATCHED);
  const payer = await world.newPayer(2n * PRICE);
  const payments = [await payer.sign(PRICE), await payer.sign(PRICE)];
  const answers = await earnedCalls(process, payments, async () => {
    const stored = createPayments(world.db, systemClock);
    const [one, other] = await stored.takeUngathered(sandboxChain, 2);
    if (one === undefined || other === undefined) throw new Error("They are not earned.");
    expect(await stored.gather([{ ids: [one.id], intent: intentOfPayment(one, "bat_one") }])).toHaveLength(1);
    const both = { ids: [one.id, other.id], intent: intentOfBatch([one, other], "bat_both") };
    expect(await stored.gather([both])).toEqual([]);
    expect(await selectTransactions([payer.address])).toHaveLength(1);
    expect(await process.gather()).toBe(1);
  });
  for (const answer of answers) expect(answer).toMatchObject({ price: PRICE, replayed: false });
  expect(await selectTransactions([payer.address])).toHaveLength(2);
  expect(await world.books(payer)).toMatchObject({ open: 0n, recorded: 2n * PRICE });
});

test("one that fails in its batch becomes a receivable and affects no other", async () => {
  const process = world.openProcess("proc_a", BATCHED);
  const [poor, rich] = [await world.newPayer(PRICE), await world.newPayer(3n * PRICE)];
  const payments = [await rich.sign(PRICE), await poor.sign(PRICE), await rich.sign(PRICE), await rich.sign(PRICE)];
  const answers = await earnedCalls(process, payments, async () => {
    await poor.spend(PRICE);
    await process.gather();
    await expect.poll(() => process.watch()).toBe(1);
  });
  expect(answers.map((answer) => (typeof answer === "object" ? answer : { failed: answer }))).toMatchObject([
    { price: PRICE },
    { failed: "payment_invalid" },
    { price: PRICE },
    { price: PRICE },
  ]);
  expect(await world.books(poor)).toMatchObject({ states: ["receivable"], receivables: 1, open: 0n, recorded: 0n });
  expect(await world.books(rich)).toMatchObject({ open: 0n, recorded: 3n * PRICE });
});

test("if one of two equal payments was made, the chain tells which", async () => {
  const process = world.openProcess("proc_a", BATCHED);
  const payer = await world.newPayer(2n * PRICE);
  const payments = [await payer.sign(PRICE), await payer.sign(PRICE)];
  const answers = await earnedCalls(process, payments, async () => {
    await payer.spend(PRICE);
    await process.gather();
    await expect.poll(() => process.watch()).toBe(2);
  });
  const { rows, ...books } = await world.books(payer);
  expect(books).toMatchObject({ receivables: 1, open: 0n, recorded: PRICE });
  expect(answers.filter((answer) => answer === "payment_invalid")).toHaveLength(1);
  for (const row of rows) {
    const outcome = await world.settling.outcomes.findOutcome(
      (await world.stores.payments.get(row.id))?.signed ?? raise(),
      row.createdAt,
    );
    expect(outcome.kind).toBe(row.state === "settled" ? "done" : "open");
  }
});

test("if a whole batch failed, each is retried alone", async () => {
  const process = world.openProcess("proc_a", { ...BATCHED, submissionFor: () => undefined });
  const silent = world.openProcess("proc_a", { ...BATCHED, waitMilliseconds: 1 });
  const payer = await world.newPayer(2n * PRICE);
  const payments = [await payer.sign(PRICE), await payer.sign(PRICE)];
  for (const signed of payments) expect(await world.pay(silent, signed).catch(errorCode)).toBe("settlement_pending");
  await expect.poll(async () => (await world.books(payer)).states).toEqual(["earned", "earned"]);
  const { rows } = await world.books(payer);
  await world.db.transaction().execute(async (transaction) => {
    // The state in which a batch that ran out of gas ends.
    const at = world.clock.now().toString();
    const [first] = rows;
    await transaction
      .insertInto("chainTransaction")
      .values({
        id: "ctx_failed",
        ...sandboxChain,
        idempotencyKey: "payments:failed",
        tenantId: null,
        callId: null,
        purpose: "payment_batch",
        chainOrder: JSON.stringify({ kind: "drip", token: "USDC", to: first?.payer }),
        result: null,
        state: "reverted",
        raw: "0x00",
        hash: "0x00",
        failure: "out of gas",
        blockNumber: 1n,
        createdAt: at,
        updatedAt: at,
      })
      .execute();
    await transaction
      .updateTable("payment")
      .set({ chainTransactionId: "ctx_failed" })
      .where("payer", "=", payer.address)
      .execute();
  });
  expect(await process.watch()).toBe(2);
  expect(await process.watch()).toBe(0);
  for (const signed of payments) {
    expect(await world.pay(world.openProcess("proc_b", BATCHED), signed)).toMatchObject({
      price: PRICE,
      replayed: true,
    });
  }
  expect((await selectTransactions([payer.address])).map(({ purpose }) => purpose)).toEqual(["payment", "payment"]);
});

function raise(): never {
  throw new Error("a payment went away");
}
