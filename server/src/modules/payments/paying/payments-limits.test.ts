import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
const AT_FIRST = 16;
const refusalReason = (error: { code?: unknown; extra?: Record<string, unknown> }) =>
  error.extra?.serviceReason ?? error.extra?.reason ?? error.code;
const signMany = <Signed>(payer: { sign(amount: bigint): Promise<Signed> }, count: number): Promise<Signed[]> =>
  Promise.all(Array.from({ length: count }, () => payer.sign(PRICE)));

test("a new payer has 16 pending payments, and more once it has paid for more; a call that must wait can be repeated", async () => {
  const [one, other] = [world.openProcess("proc_a"), world.openProcess("proc_b")];
  const payer = await world.newPayer(100n * PRICE);
  async function payAtOnce(count: number, taken: number) {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    let running = 0;
    const run = async () => {
      running += 1;
      await gate;
      return { result: { text: "done" } };
    };
    const refused: { signed: Awaited<ReturnType<typeof payer.sign>>; error: unknown }[] = [];
    const paid = (await signMany(payer, count)).map((signed, index) =>
      world.pay(index % 2 === 0 ? one : other, signed, { run }).catch((error) => void refused.push({ signed, error })),
    );
    await expect.poll(() => running + refused.length).toBe(count);
    expect(running).toBe(taken);
    expect(await world.books(payer)).toMatchObject({ underWay: taken, open: BigInt(taken) * PRICE });
    open();
    await Promise.all(paid);
    return refused;
  }

  const refused = await payAtOnce(AT_FIRST + 4, AT_FIRST);
  expect(refused).toHaveLength(4);
  for (const { signed, error } of refused) {
    expect(error).toMatchObject({ code: "rate_limited", retryAfterSeconds: 1, extra: { reason: "too_many_open" } });
    expect(await world.pay(one, signed)).toMatchObject({ replayed: false, price: PRICE });
  }
  expect(await world.books(payer)).toMatchObject({ underWay: 0, settled: AT_FIRST + 4, open: 0n });
  expect(await payAtOnce(AT_FIRST + 5, AT_FIRST + 4)).toHaveLength(1);
  expect(await world.books(payer)).toMatchObject({ underWay: 0, settled: 2 * (AT_FIRST + 4), open: 0n });
});

test("money that is moved away costs at most 16 transactions, and then nothing more", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(60n * PRICE);
  const { promise: spent, resolve } = Promise.withResolvers<void>();
  let running = 0;
  const run = async () => {
    running += 1;
    await spent;
    return { result: {} };
  };
  const reasons: unknown[] = [];
  const paid = (await signMany(payer, 60)).map((signed) =>
    world.pay(process, signed, { run }).catch((error) => void reasons.push(refusalReason(error))),
  );
  await expect.poll(() => running + reasons.length).toBe(60);
  expect(reasons).toEqual(Array.from({ length: 60 - AT_FIRST }, () => "too_many_open"));
  resolve(payer.spend(60n * PRICE));
  await Promise.all(paid);
  expect(reasons.filter((reason) => reason === "invalid_exact_evm_transaction_failed")).toHaveLength(AT_FIRST);
  expect(running).toBe(AT_FIRST);
  expect(await world.books(payer)).toMatchObject({ receivables: AT_FIRST, underWay: 0, settled: 0, open: 0n });
});

test("a failed call and one that settles at the second try are counted once", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const fails = () => Promise.reject(new Error("no offers"));
  await expect(world.pay(process, signed, { run: fails })).rejects.toThrow("no offers");
  expect(await world.books(payer)).toMatchObject({ underWay: 0, settled: 0 });
  const run = async () => {
    await payer.spend(PRICE);
    return { result: {} };
  };
  await expect(world.pay(process, signed, { run })).rejects.toMatchObject({ code: "payment_invalid" });
  expect(await world.books(payer)).toMatchObject({ underWay: 0, settled: 0, receivables: 1 });
  const friend = await world.newPayer(PRICE);
  await world.broadcast(await friend.sign(PRICE, { to: payer.address }));
  await world.failAtOnce(payer);
  expect(await world.pay(process, signed)).toMatchObject({ replayed: true, price: PRICE });
  expect(await world.books(payer)).toMatchObject({ underWay: 0, settled: 1, receivables: 0 });
});

test("a receivable is watched for 30 days, however long its payer has signed", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE, { validBefore: 2n ** 200n });
  const run = async () => {
    await payer.spend(PRICE);
    return { result: { text: "withheld" } };
  };
  await expect(world.pay(process, signed, { run })).rejects.toMatchObject({ code: "payment_invalid" });
  const friend = await world.newPayer(PRICE);
  await world.broadcast(await friend.sign(PRICE, { to: payer.address }));
  await world.broadcast(signed);
  const age = "update payment set created_at = now() - make_interval(days => $2) where payer = $1";
  await world.pool.query(age, [payer.address, 31]);
  expect(await process.watch()).toBe(0);
  expect(await world.books(payer)).toMatchObject({ states: ["receivable"] });
  await world.pool.query(age, [payer.address, 29]);
  expect(await process.watch()).toBe(1);
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], settled: 1 });
});
