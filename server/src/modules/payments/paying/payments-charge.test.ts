import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterEach(() => world.devChain.behave());
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
const refusalReason = (error: { code?: unknown; extra?: Record<string, unknown> }) =>
  error.extra?.serviceReason ?? error.extra?.reason ?? error.code;

test("one authorization sent 50 times at once runs and pays once, and all get the answer", async () => {
  const processes = ["proc_a", "proc_b"].map((id) => world.openProcess(id));
  const payer = await world.newPayer(10n * PRICE);
  const signed = await payer.sign(PRICE);
  let runs = 0;
  const run = async () => {
    runs += 1;
    return { result: { text: "once" } };
  };
  const sent = Array.from({ length: 50 }, async (_, index) => {
    const process = processes[index % 2];
    if (process === undefined) throw new Error("there are two processes");
    return await world.pay(process, signed, { run }).catch(refusalReason);
  });
  const answers = await Promise.all(sent);
  expect(runs).toBe(1);
  const served = answers.filter((answer) => answer !== "in_progress");
  for (const answer of served) expect(answer).toMatchObject({ outcome: { result: { text: "once" } }, price: PRICE });
  expect(
    served.filter((answer) => typeof answer === "object" && answer !== null && !Reflect.get(answer, "replayed")),
  ).toHaveLength(1);
  expect(await payer.balance()).toBe(9n * PRICE);
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
});

test("the same request gets the stored answer, much later too; another request with its authorization is refused", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(10n * PRICE);
  const signed = await payer.sign(PRICE);
  const first = await world.pay(process, signed, { tenantId: "tenant_1" });
  expect(first.receipt).toMatchObject({ payer: payer.address, amount: PRICE });
  const again = await world.pay(process, signed, { tenantId: "tenant_1" });
  expect(again).toMatchObject({ replayed: true, outcome: { ok: true, result: { text: "done" } }, price: PRICE });
  expect(again.receipt).toEqual(first.receipt);
  const others = [
    { tenantId: "tenant_1", args: { text: "b" } },
    { tenantId: "tenant_1", tool: "probe_write" },
    { tenantId: "tenant_2" },
    {},
  ] as const;
  for (const other of others) {
    expect(await world.pay(process, signed, other).catch(refusalReason)).toBe("authorization_already_used");
  }
  // Public data of the chain is not enough: the signature is required as well.
  const forged = { ...signed, signature: (await payer.sign(PRICE)).signature };
  expect(await world.pay(process, forged, { tenantId: "tenant_1" }).catch(refusalReason)).toBe(
    "authorization_already_used",
  );
  expect(await payer.balance()).toBe(9n * PRICE);
});

test("a tenant's paid call is in its usage, with the transaction, and outside its cap", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const { call, receipt } = await world.pay(process, await payer.sign(PRICE), { tenantId: "tenant_usage" });
  const [record, ...more] = await world.stores.usageRecords.list("tenant_usage", "sandbox", {
    before: undefined,
    limit: 10,
    tool: "probe_read",
  });
  expect(more).toEqual([]);
  expect(record).toMatchObject({ surface: "paid", status: "sandbox", subject: "user_1", keyId: call.keyId });
  expect(record).toMatchObject({ priceMicroUsdc: PRICE, settlementTx: receipt?.transactionHash, traceId: "trace" });
  const { rows } = await world.pool.query("select 1 from tenant_spend where tenant_id = 'tenant_usage'");
  expect(rows).toEqual([]);
  const keyless = await world.newPayer(PRICE);
  await world.pay(process, await keyless.sign(PRICE));
  const { records } = await world.books(keyless);
  expect(records).toMatchObject([{ tenantId: null, keyId: null, subject: keyless.address, surface: "paid" }]);
});

test("a failing tool leaves the authorization usable, and nothing is owed", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  for (const tool of ["probe_read", "probe_write"] as const) {
    const run = () => Promise.reject(new Error("no offers"));
    await expect(world.pay(process, signed, { tool, run })).rejects.toThrow("no offers");
    expect(await world.books(payer)).toMatchObject({ states: [], open: 0n });
  }
  expect(await world.pay(process, signed, { args: { text: "other" } })).toMatchObject({
    price: PRICE,
    replayed: false,
  });
  expect(await payer.balance()).toBe(0n);
});

test("pending calls never cost more together than their payer has", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(3n * PRICE);
  const payments = await Promise.all(Array.from({ length: 8 }, () => payer.sign(PRICE)));
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const running: unknown[] = [];
  const run = async () => {
    running.push(1);
    await gate;
    return { result: { text: "done" } };
  };
  const refusals: unknown[] = [];
  const paid = payments.map((signed) =>
    world.pay(process, signed, { run }).catch((error) => void refusals.push(refusalReason(error))),
  );
  await expect.poll(() => running.length + refusals.length).toBe(8);
  expect(refusals).toEqual(Array.from({ length: 5 }, () => "insufficient_funds"));
  expect(await world.books(payer)).toMatchObject({ open: 3n * PRICE });
  open();
  await Promise.all(paid);
  expect(await world.books(payer)).toMatchObject({ open: 0n, recorded: 3n * PRICE });
  expect(await payer.balance()).toBe(0n);
});

test("a recent settlement that is not recorded yet is not counted twice against its payer", async () => {
  const payer = await world.newPayer(2n * PRICE);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const run = async () => {
    started.resolve();
    await gate;
    return { result: { text: "first" } };
  };
  const first = world.pay(world.openProcess("proc_a"), await payer.sign(PRICE), { run });
  await started.promise;
  const { facilitator } = world.settling;
  let looks = 0;
  const second = world.openProcess("proc_b", {
    facilitatorFor: () => ({
      ...facilitator,
      async verify(signed, terms) {
        looks += 1;
        // The state once the first payment is in a block.
        return looks === 1 ? { balance: PRICE } : await facilitator.verify(signed, terms);
      },
    }),
    async pause() {
      open();
      await first;
    },
  });
  expect(await world.pay(second, await payer.sign(PRICE))).toMatchObject({ price: PRICE, replayed: false });
  expect(looks).toBe(2);
  expect(await payer.balance()).toBe(0n);
});

test("money that is gone after the run makes a receivable; the answer comes once it can be settled", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const run = async () => {
    await payer.spend(PRICE);
    return { result: { text: "withheld" } };
  };
  expect(await world.pay(process, signed, { run }).catch(refusalReason)).toBe("invalid_exact_evm_transaction_failed");
  expect(await world.books(payer)).toMatchObject({ states: ["receivable"], receivables: 1, open: 0n, recorded: 0n });
  expect(await world.stores.payments.receivables()).toEqual([{ environment: "sandbox", count: 1, amount: PRICE }]);
  // Without money it is refused again, and nothing else changes.
  await world.failAtOnce(payer);
  expect(await world.pay(process, signed, { run }).catch(refusalReason)).toBe("insufficient_funds");
  const helper = await world.newPayer(2n * PRICE);
  await world.broadcast(await helper.sign(PRICE, { to: payer.address }));
  const again = await world.pay(process, signed, { run: () => Promise.reject(new Error("ran twice")) });
  expect(again).toMatchObject({ replayed: true, outcome: { result: { text: "withheld" } }, price: PRICE });
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], receivables: 0, open: 0n, recorded: PRICE });
  expect(await payer.balance()).toBe(0n);
});

test("a receivable broadcast by a stranger is settled without its caller, and once", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const run = async () => {
    await payer.spend(PRICE);
    return { result: { text: "withheld" } };
  };
  await world.pay(process, signed, { run }).catch(refusalReason);
  const helper = await world.newPayer(PRICE);
  await world.broadcast(await helper.sign(PRICE, { to: payer.address }));
  await world.broadcast(signed);
  expect(await process.watch()).toBe(1);
  expect(await process.watch()).toBe(0);
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], receivables: 0, recorded: PRICE });
  expect(await world.pay(process, signed)).toMatchObject({ replayed: true, outcome: { result: { text: "withheld" } } });
});

test("a payer with three unpaid answers is refused", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(3n * PRICE);
  const payments = await Promise.all(Array.from({ length: 4 }, () => payer.sign(PRICE)));
  const [last, ...first] = payments;
  let running = 0;
  const { promise: spent, resolve } = Promise.withResolvers<void>();
  const run = async () => {
    running += 1;
    if (running === 3) resolve(payer.spend(3n * PRICE));
    await spent;
    return { result: {} };
  };
  const reasons = await Promise.all(first.map((signed) => world.pay(process, signed, { run }).catch(refusalReason)));
  expect(reasons).toEqual(Array.from({ length: 3 }, () => "invalid_exact_evm_transaction_failed"));
  const helper = await world.newPayer(9n * PRICE);
  await world.broadcast(await helper.sign(9n * PRICE, { to: payer.address }));
  if (last === undefined) throw new Error("there are four payments");
  expect(await world.pay(process, last).catch(refusalReason)).toBe("payer_owes");
});

test("an authorization broadcast by a stranger while the tool ran counts as paid", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const run = async () => {
    await world.broadcast(signed);
    return { result: { text: "done" } };
  };
  expect(await world.pay(process, signed, { run })).toMatchObject({ price: PRICE, replayed: false });
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], recorded: PRICE });
});

test("an authorization broadcast by a stranger before it was sent here counts as paid, for one call", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  await world.broadcast(signed);
  expect(await world.pay(process, signed)).toMatchObject({ price: PRICE, replayed: false });
  expect(await world.pay(process, signed)).toMatchObject({ price: PRICE, replayed: true });
  expect(await world.pay(process, signed, { args: { text: "other" } }).catch(refusalReason)).toBe(
    "authorization_already_used",
  );
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
});

test("an authorization that its payer broadcast in time counts as paid after its expiry; an unused one does not", async () => {
  const payer = await world.newPayer(2n * PRICE);
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 1_800);
  const [signed, idle] = [await payer.sign(PRICE, { validBefore }), await payer.sign(PRICE, { validBefore })];
  await world.broadcast(signed);
  const over = Temporal.Instant.fromEpochMilliseconds(Number(validBefore) * 1000);
  const process = world.openProcess("proc_a", { clock: { now: () => over } });
  expect(await world.pay(process, idle).catch(refusalReason)).toBe(
    "invalid_exact_evm_payload_authorization_valid_before",
  );
  const forged = { ...signed, signature: idle.signature };
  expect(await world.pay(process, forged).catch(refusalReason)).toBe(
    "invalid_exact_evm_payload_authorization_valid_before",
  );
  expect(await world.pay(process, signed)).toMatchObject({ price: PRICE, replayed: false });
  expect(await world.pay(process, signed)).toMatchObject({ price: PRICE, replayed: true });
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
  expect(await payer.balance()).toBe(PRICE);
});

test("a slow settlement is pending, and the same signature gets the answer later", async () => {
  const submission = { wake: () => undefined, waitForEnd: async () => undefined };
  const impatient = world.openProcess("proc_a", { waitMilliseconds: 1, submissionFor: () => submission });
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "500" : "pass"));
  expect(await world.pay(impatient, signed).catch(refusalReason)).toBe("settlement_pending");
  world.devChain.behave();
  const states = async () => (await world.books(payer)).states;
  await expect.poll(states).toEqual(["settled"]);
  const run = () => Promise.reject(new Error("ran twice"));
  expect(await world.pay(world.openProcess("proc_b"), signed, { run })).toMatchObject({ replayed: true, price: PRICE });
  expect(await payer.balance()).toBe(0n);
});

test("an answer that was paid before releases the claim; an unpaid one is paid now", async () => {
  const process = world.openProcess("proc_a");
  const payer = await world.newPayer(5n * PRICE);
  const first = await world.pay(process, await payer.sign(PRICE), { tool: "probe_write" });
  const buildReplay = (firstCallId: string) => ({
    tool: "probe_write" as const,
    args: { text: "again" },
    run: async () => ({ result: { text: "done" }, firstCallId }),
  });
  const free = await world.pay(process, await payer.sign(PRICE), buildReplay(first.call.id));
  expect(free).toMatchObject({ price: PRICE, replayed: true });
  expect(free.receipt).toEqual(first.receipt);
  expect(await world.calls.takeOver(first.call.id)).toMatchObject({ paid: true, price: PRICE });
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
  let failedId = "";
  const fails = async ({ id }: { id: string }) => {
    failedId = id;
    throw new Error("failed");
  };
  await world.pay(process, await payer.sign(PRICE), { tool: "probe_write", run: fails }).catch(() => undefined);
  const paid = await world.pay(process, await payer.sign(PRICE), buildReplay(failedId));
  expect(paid).toMatchObject({ price: PRICE });
  expect(await payer.balance()).toBe(3n * PRICE);
});
