import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";
import type { SignedPayment } from "../../../domain/payments.ts";

/** Payments that their payers have named: what an identifier has paid for once is not paid for again. */

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
const identifier = "pay_0123456789abcdef";
const never = () => Promise.reject(new Error("ran twice"));
const caught = (error: unknown) => error;

/** Wallets that are contracts: only the chain can check what they sign. */
const kinds = [
  { wallet: "a key", isSignedByPayer: () => true },
  { wallet: "a contract", isSignedByPayer: () => false },
];

test.each(kinds)("a second signature of $wallet with the same identifier gets the first one's answer", async (kind) => {
  const process = world.openProcess(`proc_${kind.wallet}`, { isSignedByPayer: kind.isSignedByPayer });
  const payer = await world.newPayer(3n * PRICE);
  const named = async (): Promise<SignedPayment> => ({ ...(await payer.sign(PRICE)), identifier });
  const first = await world.pay(process, await named());
  const again = await world.pay(process, await named(), { run: never });
  expect(again).toMatchObject({ replayed: true, outcome: { result: { text: "done" } }, receipt: first.receipt });
  const other = await world.pay(process, await named(), { run: never, args: { text: "b" } }).catch(caught);
  expect(other).toMatchObject({ code: "payment_identifier_conflict" });
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
  expect(await payer.balance()).toBe(2n * PRICE);
  await world.pool.query("update payment set updated_at = now() - interval '16 min' where payer = $1", [payer.address]);
  expect(await world.pay(process, await named(), { run: never }).catch(caught)).toMatchObject({
    code: "payment_invalid",
    extra: { serviceReason: "payment_identifier_already_used", receipt: { amountUsdc: "0.002" } },
  });
});

test("a payer whose money is used up still gets the answer again", async () => {
  const process = world.openProcess("proc_poor");
  const payer = await world.newPayer(PRICE);
  await world.pay(process, { ...(await payer.sign(PRICE)), identifier });
  const again = await world.pay(process, { ...(await payer.sign(PRICE)), identifier }, { run: never });
  expect(again).toMatchObject({ replayed: true });
});

test("the same identifier sent at once with several signatures, in two processes, runs once", async () => {
  const processes = [world.openProcess("proc_1"), world.openProcess("proc_2")];
  const payer = await world.newPayer(20n * PRICE);
  const signatures = await Promise.all(Array.from({ length: 8 }, () => payer.sign(PRICE)));
  let runs = 0;
  const answers = await Promise.allSettled(
    signatures.map((signed, index) => {
      const process = processes[index % 2];
      if (process === undefined) throw new Error("there are two");
      const run = async () => {
        runs += 1;
        return { result: { text: "done" } };
      };
      return world.pay(process, { ...signed, identifier }, { run });
    }),
  );
  expect(runs).toBe(1);
  for (const answer of answers) {
    if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "in_progress" });
  }
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
});

test("another payer may use the same identifier, and a failed call gives it back", async () => {
  const process = world.openProcess("proc_b");
  const [one, two] = [await world.newPayer(PRICE), await world.newPayer(PRICE)];
  const failing = () => Promise.reject(new Error("no offers"));
  const failed = await world.pay(process, { ...(await one.sign(PRICE)), identifier }, { run: failing }).catch(caught);
  expect(failed).toMatchObject({ message: "no offers" });
  for (const payer of [one, two]) {
    const paid = await world.pay(
      process,
      { ...(await payer.sign(PRICE)), identifier },
      { args: { text: payer.address } },
    );
    expect(paid).toMatchObject({ replayed: false });
  }
});

test("an identifier beside a payment to somebody else shows nothing", async () => {
  const process = world.openProcess("proc_c");
  const payer = await world.newPayer(2n * PRICE);
  await world.pay(process, { ...(await payer.sign(PRICE)), identifier });
  const elsewhere = await payer.sign(PRICE, { to: `0x${"ab".repeat(20)}` });
  const refused = await world.pay(process, { ...elsewhere, identifier }, { run: never }).catch(caught);
  expect(refused).toMatchObject({ code: "payment_invalid" });
});
