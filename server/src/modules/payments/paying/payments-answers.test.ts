import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";
import { checkTerms } from "./check-terms.ts";

/** How long answers are kept, and the time limits of payments. */

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
const never = () => Promise.reject(new Error("ran twice"));

test("an answer is given again for fifteen minutes, and its authorization is used up permanently", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(2n * PRICE);
  const [old, young] = [await payer.sign(PRICE), await payer.sign(PRICE)];
  for (const signed of [old, young])
    await world.pay(process, signed, { run: async () => ({ result: { text: "kept" } }) });
  const age = (nonce: string, minutes: number) =>
    world.pool.query(`update payment set updated_at = now() - make_interval(mins => $2) where nonce = $1`, [
      nonce,
      minutes,
    ]);
  await age(old.nonce, 16);
  await age(young.nonce, 13);
  const { payments } = world.stores;
  // Holds before pruning as well.
  const late = await world.pay(process, old, { run: never }).catch((error: unknown) => error);
  expect(late).toMatchObject({ code: "payment_invalid" });
  expect(await payments.prune(world.clock.now())).toBe(1);
  expect(await payments.prune(world.clock.now())).toBe(0);
  const refused = await world.pay(process, old, { run: never }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "payment_invalid",
    extra: {
      reason: "invalid_transaction_state",
      serviceReason: "authorization_already_used",
      receipt: { payer: payer.address, amountUsdc: "0.002", settlementTx: expect.stringMatching(/^0x/) },
    },
    detail: expect.stringContaining("15 minutes"),
  });
  const kept = await world.pay(process, young, { run: never });
  expect(kept).toMatchObject({ replayed: true, outcome: { result: { text: "kept" } } });
  expect(await world.books(payer)).toMatchObject({ states: ["settled", "settled"], recorded: 2n * PRICE });
});

test("a whole answer replaces its part once, and every repetition gets it", async () => {
  const process = world.openProcess("proc_w");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  await world.pay(process, signed, { run: async () => ({ result: { text: "part" } }) });
  const { payments } = world.stores;
  const { id = "" } = (await payments.find("sandbox", signed)) ?? {};
  const keep = (ticketing: string) => payments.keepAnswer(id, { text: "part" }, { text: "part", ticketing });
  expect(await keep("pending")).toEqual({ text: "part", ticketing: "pending" });
  expect(await keep("ticketed")).toEqual({ text: "part", ticketing: "pending" });
  const again = await world.pay(process, signed, { run: never });
  expect(again).toMatchObject({ replayed: true, outcome: { result: { text: "part", ticketing: "pending" } } });
});

test("a stop ends the waits for settlements, and waits for what is being written", async () => {
  const [writing, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const steps: string[] = [];
  const { stores } = world;
  const process = world.openProcess("proc_a", {
    submissionFor: () => ({ wake: () => undefined, waitForEnd: () => new Promise(() => undefined) }),
    stores: {
      ...stores,
      payments: {
        ...stores.payments,
        async earn(...args) {
          writing.resolve();
          await written.promise;
          const earned = await stores.payments.earn(...args);
          steps.push("written");
          return earned;
        },
      },
    },
  });
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const waiting = world.pay(process, signed).catch((error: unknown) => error);
  await writing.promise;
  const idle = process.charges.idle().then(() => steps.push("idle"));
  written.resolve();
  expect(await waiting).toMatchObject({ code: "settlement_pending" });
  await idle;
  expect(steps).toEqual(["written", "idle"]);
  expect(await world.pay(world.openProcess("proc_b"), signed, { run: never })).toMatchObject({ replayed: true });
});

test("an answer whose payment is pending is not given to others", async () => {
  const waitForEnd = async () => undefined;
  const process = world.openProcess("proc_a", {
    waitMilliseconds: 50,
    batchWindowMilliseconds: 60_000,
    submissionFor: () => ({ wake: () => undefined, waitForEnd }),
  });
  const payer = await world.newPayer(2n * PRICE);
  const [first, second] = [await payer.sign(PRICE), await payer.sign(PRICE)];
  const errorCode = (error: { code?: unknown }) => error.code;
  expect(await world.pay(process, first, { tool: "probe_write" }).catch(errorCode)).toBe("settlement_pending");
  const states = async () => (await world.books(payer)).states;
  await expect.poll(states).toEqual(["earned"]);
  const [{ callId: firstCallId } = { callId: "" }] = (await world.books(payer)).rows;
  const again = {
    tool: "probe_write" as const,
    args: { text: "again" },
    run: async () => ({ result: { text: "done" }, firstCallId }),
  };
  expect(await world.pay(process, second, again).catch(errorCode)).toBe("settlement_pending");
  await process.gather();
  await expect.poll(states).toEqual(["settled"]);
  expect(await world.pay(process, second, again)).toMatchObject({ price: PRICE, replayed: true });
  // The first payment took this amount; nothing more was taken.
  expect(await payer.balance()).toBe(PRICE);
});

test("an unpaid answer is kept, however old it is", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const run = async () => {
    await payer.spend(PRICE);
    return { result: { text: "withheld" } };
  };
  await world.pay(process, signed, { run }).catch(() => undefined);
  await world.pool.query(`update payment set updated_at = now() - interval '30 days' where nonce = $1`, [signed.nonce]);
  expect(await world.stores.payments.prune(world.clock.now())).toBe(0);
  const stored = await world.stores.payments.find("sandbox", signed);
  expect(stored).toMatchObject({ state: "receivable", result: { text: "withheld" } });
});

test("an authorization is valid from the second after its validAfter on, as in the token", async () => {
  const payer = await world.newPayer(0n);
  const signed = await payer.sign(PRICE);
  const now = world.clock.now();
  const second = BigInt(Math.floor(now.epochMilliseconds / 1000));
  const validBefore = second + 120n;
  const check = (validAfter: bigint) => () =>
    checkTerms({ ...signed, validAfter, validBefore }, world.buildTerms(PRICE), now);
  expect(check(second)).toThrow(/not valid yet/);
  expect(check(second - 1n)).not.toThrow();
});

test("an authorization used long before it was shown is not a payment", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(2n * PRICE);
  const signed = await payer.sign(PRICE);
  await world.broadcast(signed);
  await world.devChain.mine();
  const { outcomes } = world.settling;
  expect(await outcomes.findOutcome(signed, world.clock.now())).toMatchObject({ kind: "done" });
  expect(await outcomes.findOutcome(signed, world.clock.now().add({ hours: 3 }))).toEqual({ kind: "void" });
  const later = { now: () => world.clock.now().add({ hours: 3 }) };
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 24 * 3_600);
  const stale = await payer.sign(PRICE, { validBefore });
  await world.broadcast(stale);
  await world.devChain.mine();
  const late = world.openProcess("proc_b", { clock: later });
  const refused = await world.pay(late, stale, { run: never }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "payment_invalid",
    extra: { serviceReason: "invalid_exact_evm_nonce_already_used" },
  });
  expect(await world.pay(process, stale)).toMatchObject({ price: PRICE });
});
