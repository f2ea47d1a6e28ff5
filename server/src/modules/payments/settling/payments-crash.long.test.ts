import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaymentWorld, type PaymentWorld, type PayOptions } from "../../../../test/support/payment-world.ts";
import type { PendingCall } from "../../../kernel/contracts/charge.ts";

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
  world.settling.submitter.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
type Moment = "before" | "after";

/**
 * Simulates `kill -9`: from a given step on, nothing that the process requests is executed or answered. A step is a statement,
 * a transaction or a request to the facilitator; each is cut off once before and once after it happens.
 */
function dyingParts(deathAt: number, when: Moment) {
  let step = 0;
  let dying = false;
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  const dead = new Promise<never>(() => undefined);
  async function run(work: () => unknown): Promise<unknown> {
    if (dying) return dead;
    step += 1;
    dying = step === deathAt;
    if (!dying) return work();
    if (when === "after") await work();
    die();
    return dead;
  }
  function mortal<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        return typeof value === "function"
          ? (...args: unknown[]) => run(() => Reflect.apply(value, object, args))
          : value;
      },
    });
  }
  const { payments, effects, wallets, transaction } = world.stores;
  const facilitator = mortal(world.settling.facilitator);
  const { submitter } = world.settling;
  return {
    parts: {
      stores: { payments: mortal(payments), wallets, transaction: mortal({ transaction }).transaction },
      facilitatorFor: () => facilitator,
      submissionFor: () => ({
        ...mortal({ waitForEnd: submitter.waitForEnd }),
        wake: () => (dying ? undefined : submitter.wake()),
      }),
    },
    effects: mortal(effects),
    steps: () => step,
    death,
  };
}

let next = 0;

/** A tool that acts outside and declares it, such as one that sends money. */
function acting(effects: PaymentWorld["stores"]["effects"], acted: { count: number }): PayOptions["run"] {
  return async ({ id }: PendingCall) => {
    await effects.open(id);
    acted.count += 1;
    await effects.done(id, { text: "recorded" });
    return { result: { text: "recorded" } };
  };
}

async function oneCall(tool: "probe_read" | "probe_write", deathAt: number, when: Moment) {
  next += 1;
  const processId = `proc_dying_${next}`;
  const dying = dyingParts(deathAt, when);
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const acted = { count: 0 };
  const run = tool === "probe_write" ? acting(dying.effects, acted) : undefined;
  const paying = world.pay(world.openProcess(processId, dying.parts), signed, { tool, ...(run ? { run } : {}) });
  return { processId, dying, payer, signed, acted, paying };
}

test.each(["probe_read", "probe_write"] as const)(
  "a process that dies at any step of %s leaves what the sweep can finish, and the same signature gets one answer for one payment",
  async (tool) => {
    const whole = await oneCall(tool, 0, "before");
    await whole.paying;
    const steps = whole.dying.steps();
    expect(steps).toBeGreaterThan(4);
    const ends = new Set<string>();
    for (let deathAt = 1; deathAt <= steps; deathAt += 1) {
      for (const when of ["before", "after"] as const) {
        const where = `${tool} dies ${when} step ${deathAt} of ${steps}`;
        const { processId, dying, payer, signed, acted, paying } = await oneCall(tool, deathAt, when);
        paying.catch(() => undefined);
        await dying.death;
        const [claim] = (await world.books(payer)).rows;
        const acts = await world.db
          .selectFrom("call")
          .select("effect")
          .where("id", "=", claim?.callId ?? "")
          .execute();
        await world.sweepAfter(processId);
        const survivor = world.openProcess("proc_survivor");
        await survivor.gather();
        const [state = "none"] = (await world.books(payer)).states;
        ends.add(state);
        if (tool === "probe_write" && state === "claimed") {
          // Died before its call's outcome was known: until then nothing is taken and nothing runs again.
          expect(await payer.balance(), where).toBe(PRICE);
          const refused = await world.pay(survivor, signed, { tool }).catch((error: { code: string }) => error.code);
          expect(refused, where).toBe("in_progress");
          const [row] = (await world.books(payer)).rows;
          await world.stores.effects.failed(row?.callId ?? "");
          await world.sweepAfter(processId);
        }
        const again = await world.pay(survivor, signed, {
          tool,
          run: async () => {
            acted.count += 1;
            return { result: { text: "recorded" } };
          },
        });
        expect(again.price, where).toBe(PRICE);
        expect(await payer.balance(), where).toBe(0n);
        expect(await world.books(payer), where).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
        // A call whose effect is recorded is never repeated.
        if (acts.some(({ effect }) => effect === "done")) expect(acted.count, where).toBe(1);
      }
    }
    expect(ends.has("none") && (ends.has("earned") || ends.has("settled"))).toBe(true);
    if (tool === "probe_write") expect(ends).toContain("claimed");
  },
);

test("a tool that fails before its effect is decided keeps its payment until then", async () => {
  const process = world.openProcess("proc_a");
  const ends = { none: "failed", settled: "done" } as const;
  for (const [state, end] of Object.entries(ends)) {
    const payer = await world.newPayer(PRICE);
    const signed = await payer.sign(PRICE);
    let callId = "";
    const run = async ({ id }: PendingCall) => {
      callId = id;
      await world.stores.effects.open(id);
      throw new Error("outcome unknown");
    };
    await expect(world.pay(process, signed, { tool: "probe_write", run })).rejects.toThrow("outcome unknown");
    await world.sweepAfter("proc_nobody");
    expect(await world.books(payer)).toMatchObject({ states: ["claimed"], open: PRICE });
    if (end === "done") await world.stores.effects.done(callId, { text: "found out" });
    else await world.stores.effects.failed(callId);
    await world.sweepAfter("proc_nobody");
    await process.gather();
    const again = await world.pay(process, signed, { tool: "probe_write" });
    expect(again, state).toMatchObject({ replayed: end === "done", price: PRICE });
  }
});

test("the sweep of calls skips paid ones, and that of payments those of live processes", async () => {
  const payer = await world.newPayer(PRICE);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const run = async () => {
    started.resolve();
    await gate;
    return { result: { text: "slow" } };
  };
  const paying = world.pay(world.openProcess("proc_slow"), await payer.sign(PRICE), { tool: "probe_write", run });
  await started.promise;
  await world.calls.heartbeat("proc_slow");
  // It stays visible however long the sweep takes.
  await world.pool.query("update service_process set seen_at = now() + interval '1 hour' where id = 'proc_slow'");
  expect(await world.sweepAfter("proc_other")).toEqual({ earned: 0, released: 0 });
  await world.pool.query("update service_process set seen_at = now() - interval '20 s' where id = 'proc_slow'");
  const swept = await world.calls.sweep({
    processId: "proc_sweeper",
    staleSeconds: 6,
    limit: 10,
    at: world.clock.now(),
    newUsageId: () => "use_wrong",
    outcomeText: () => "",
  });
  expect(swept).toEqual({ captured: 0, released: 0, keys: 0 });
  expect(await world.books(payer)).toMatchObject({ states: ["claimed"], open: PRICE });
  open();
  expect(await paying).toMatchObject({ price: PRICE, replayed: false });
});

test("a claim released while its process was silent is not captured beside its new holder", async () => {
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const started = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const run = async () => {
    started.resolve();
    await gate;
    return { result: { text: "late" } };
  };
  const late = world
    .pay(world.openProcess("proc_frozen"), signed, { run })
    .catch((error: { code: string }) => error.code);
  await started.promise;
  expect(await world.sweepAfter("proc_frozen")).toEqual({ earned: 0, released: 1 });
  expect(await world.pay(world.openProcess("proc_living"), signed)).toMatchObject({ price: PRICE, replayed: false });
  open();
  expect(await late).toBe("in_progress");
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], recorded: PRICE });
});

class Away extends Error {}

test.each(["lost before", "lost after"] as const)(
  "a database that goes away (%s it did it) leaves no claim behind, and no call runs or is paid twice",
  async (fault) => {
    const { payments, wallets, transaction } = world.stores;
    let broken = new Set<string>();
    async function faulty<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
      if (!broken.delete(name)) return await work();
      if (fault === "lost after") await work();
      throw new Away();
    }
    const stores = {
      payments: {
        ...payments,
        claim: (...args: Parameters<typeof payments.claim>) => faulty("claim", () => payments.claim(...args)),
        earn: (...args: Parameters<typeof payments.earn>) => faulty("earn", () => payments.earn(...args)),
        release: (id: string) => faulty("release", () => payments.release(id)),
        get: (id: string) => faulty("get", () => payments.get(id)),
      },
    };
    const open = () =>
      world.openProcess("proc_a", {
        stores: { payments: stores.payments, wallets, transaction },
        isTransient: (error) => error instanceof Away,
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      });
    const refused = open();
    const payer = await world.newPayer(PRICE);
    const signed = await payer.sign(PRICE);
    let runs = 0;
    const run = async () => {
      runs += 1;
      return { result: { text: "done" } };
    };
    broken = new Set(["claim", "release"]);
    await expect(world.pay(refused, signed, { run })).rejects.toBeInstanceOf(Away);
    await refused.charges.idle();
    expect(runs).toBe(0);
    expect(await world.books(payer)).toMatchObject({ states: [], open: 0n });
    const process = open();
    broken = new Set(["earn", "get"]);
    expect(await world.pay(process, signed, { run })).toMatchObject({ price: PRICE, replayed: false });
    expect(runs).toBe(1);
    expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
    const failing = await world.newPayer(PRICE);
    broken = new Set(["release"]);
    const fails = () => Promise.reject(new Error("no offers"));
    await expect(world.pay(process, await failing.sign(PRICE), { run: fails })).rejects.toThrow("no offers");
    expect(await world.books(failing)).toMatchObject({ states: [], open: 0n });
  },
);
