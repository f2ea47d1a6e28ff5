import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";
import type { SignedPayment } from "../../../domain/payments.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { intentOfBatch, MOST_IN_BATCH } from "./payment-intents.ts";

/** Payers whose accounts have code that answers verification and payment differently. */

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
/** The longest signature that verification accepts. */
const LONGEST_SIGNATURE_BYTES = 2_048;
const NOT_FETCHED = "invalid_exact_evm_transaction_failed";

/** Accepts every signature when gas has no price, as in a simulation; in a transaction it burns all the gas it gets. */
const TWO_FACED = "0x3a15600657fe5b631626ba7e60e01b5f5260205ff3";

async function twoFacedPayer() {
  const payer = await world.newPayer(10n * PRICE);
  await world.devChain.ask("anvil_setCode", [payer.address, TWO_FACED]);
  return payer;
}

const listOrders = async (payer: Hex, purpose: string) => {
  const rows = await world.db.selectFrom("chainTransaction").selectAll().where("purpose", "=", purpose).execute();
  return rows.filter((row) => JSON.stringify(row.chainOrder).includes(payer.slice(2)));
};

const refusalReason = (error: { code?: unknown; extra?: { reason?: unknown; serviceReason?: unknown } }) =>
  error.extra?.serviceReason ?? error.extra?.reason ?? error.code;
const never = () => Promise.reject(new Error("ran twice"));

test("a payment that keeps failing is retried at ever longer intervals", async () => {
  const pauses: number[] = [];
  let now = world.clock.now();
  const impatient = world.openProcess("proc_a", {
    clock: { now: () => now },
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  const payer = await twoFacedPayer();
  const signed = await payer.sign(PRICE);
  expect(await world.pay(impatient, signed).catch(refusalReason)).toBe(NOT_FETCHED);
  // As if it had failed after 4 s and were sent again 1 s later.
  await world.pool.query(`update payment set created_at = updated_at - interval '4 s' where payer = $1`, [
    payer.address,
  ]);
  const [failed] = (await world.books(payer)).rows;
  if (failed === undefined) throw new Error("there is no payment");
  now = failed.updatedAt.add({ seconds: 1 });
  expect(pauses).toEqual([]);
  expect(await world.pay(impatient, signed, { run: never }).catch(refusalReason)).toBe(NOT_FETCHED);
  expect(pauses).toEqual([3_000]);
  // As if the last try had ended an hour after the call.
  await world.pool.query(`update payment set created_at = created_at - interval '1 hour' where payer = $1`, [
    payer.address,
  ]);
  const before = await listOrders(payer.address, "payment");
  for (let sent = 0; sent < 3; sent += 1) {
    const refused = await world.pay(impatient, signed, { run: never }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "payment_invalid", extra: { serviceReason: NOT_FETCHED } });
    expect(refused).toMatchObject({ detail: expect.stringMatching(/send the same signature again from \d{4}-/) });
  }
  expect(await listOrders(payer.address, "payment")).toHaveLength(before.length);
  expect(before).toHaveLength(2);
});

test("a payment retried by another process meanwhile is not retried again", async () => {
  const process = world.openProcess("proc_a");
  const payer = await twoFacedPayer();
  const signed = await payer.sign(PRICE);
  await world.pay(process, signed).catch(refusalReason);
  const { payments } = world.stores;
  const seen = await payments.find("sandbox", signed);
  if (seen === undefined) throw new Error("there is no payment");
  expect(await payments.retry(seen, "ctx_second")).toBe(true);
  expect(await payments.writeOff(seen.id, "failed again")).toBe(true);
  expect(await payments.retry(seen, "ctx_second")).toBe(false);
  expect(await world.books(payer)).toMatchObject({ states: ["receivable"], receivables: 1, open: 0n });
});

test("wallets that use up their gas, with signatures in a key's form, affect no other in their batch", async () => {
  const process = world.openProcess("proc_a", { batchWindowMilliseconds: 50 });
  const greedy = await Promise.all(Array.from({ length: 3 }, twoFacedPayer));
  const honest = await world.newPayer(2n * PRICE);
  const payments: SignedPayment[] = [];
  for (const payer of greedy) for (let index = 0; index < 3; index += 1) payments.push(await payer.sign(PRICE));
  for (let index = 0; index < 2; index += 1) payments.push(await honest.sign(PRICE));
  const paying = Promise.all(payments.map((signed) => world.pay(process, signed).catch(refusalReason)));
  const nonces = payments.map(({ nonce }) => nonce);
  const earned = () =>
    world.db.selectFrom("payment").select("id").where("nonce", "in", nonces).where("state", "=", "earned").execute();
  await expect.poll(async () => (await earned()).length).toBe(payments.length);
  await process.gather();
  await expect.poll(async () => (await world.books(honest)).states).toEqual(["settled", "settled"]);
  const left = async () => {
    await process.watch();
    return (await earned()).length;
  };
  await expect.poll(left).toBe(0);
  const outcomes = (await paying).map((answer) => (typeof answer === "object" ? answer : { failed: answer }));
  expect(outcomes.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => ({ failed: NOT_FETCHED })));
  expect(outcomes.slice(9)).toMatchObject([{ price: PRICE }, { price: PRICE }]);
  expect(await listOrders(honest.address, "payment_batch")).toMatchObject([{ state: "confirmed" }]);
});

test("a full batch of wallets that use up their gas, with the longest signatures, has gas for all items", async () => {
  const [greedy, honest] = [await twoFacedPayer(), await world.newPayer(2n * PRICE)];
  const padding = "ab".repeat(LONGEST_SIGNATURE_BYTES - 65);
  const signed: SignedPayment[] = [];
  for (let index = 1; index < MOST_IN_BATCH; index += 1) {
    const { signature, ...rest } = await greedy.sign(PRICE);
    signed.push({ ...rest, signature: `${signature}${padding}` });
  }
  const last = await honest.sign(PRICE);
  const fetched = (one: SignedPayment, index: number) => ({
    id: `pay_${index}`,
    environment: "sandbox" as const,
    signed: one,
  });
  const order = intentOfBatch(
    [fetched(signed[0] ?? last, 0), ...[...signed.slice(1), last].map(fetched)],
    "bat_longest",
  );
  const { id } = await world.stores.chainTransactions.enqueue({ ...order, purpose: "test" });
  world.settling.submitter.wake();
  expect(await world.settling.submitter.waitForEnd(id, 120_000)).toMatchObject({ state: "confirmed" });
  expect(await honest.balance()).toBe(PRICE);
});
