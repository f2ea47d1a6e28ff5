import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import type { Fate } from "../../../../test/support/dev-chain.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { HttpClient } from "../../../platform/http-client/http-client.ts";
import { createChainSubmitter } from "./submit-chain.ts";

const RECIPIENT: Hex = "0x00000000000000000000000000000000000000bb";
const nothing = { USDC: 0n, EURC: 0n };
const GIVE_UP_MILLISECONDS = 300;
/** For workers that die repeatedly. */
const LONG_MILLISECONDS = 240_000;
const failing = (code: string) => expect.objectContaining({ name: "Failure", code });

let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
afterEach(() => {
  world.devChain.behave();
  world.devChain.setMining(true);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

type Tenant = Awaited<ReturnType<ChainWorld["newTenant"]>>;

/** A stored order of 10 without a worker. */
async function storedOrder(tenant: Tenant, to: Hex = RECIPIENT) {
  const callId = await world.newCall(tenant.tenant.id);
  const sending = tenant.send(tenant.transfer(to, 10n * UNIT), { callId, waitMilliseconds: 0 });
  await expect(sending).rejects.toEqual(failing("transfer_in_progress"));
  const row = async () => (await world.rows()).find((one) => one.callId === callId);
  return { callId, row };
}

async function expectMovedOnce(tenant: Tenant, callId: string, left = 90n * UNIT) {
  expect(await tenant.balanceOnChain()).toBe(left);
  expect(await tenant.balance()).toEqual({ available: left, held: 0n, outgoing: 0n });
  expect((await world.callEnd(callId)).effect).toBe("done");
  expect(await world.reconcile()).toEqual(nothing);
}

describe("an order survives a network", () => {
  const isBroadcast = (method: string) => method === "eth_sendRawTransaction";

  it.each<[string, (method: string, isBroadcastBefore: boolean) => Fate]>([
    ["that is away", () => "reset"],
    ["that is slow", () => "hang"],
    ["that answers 500", () => "500"],
    [
      "that drops the connection after the broadcast, and is away then",
      (method, isBroadcastBefore) => (isBroadcastBefore ? "reset" : isBroadcast(method) ? "dropped" : "pass"),
    ],
    ["that has too many questions", () => ({ error: { code: -32_005, message: "limit exceeded" } })],
  ])("%s", async (_what, fate) => {
    const tenant = await world.newTenant();
    const { callId } = await storedOrder(tenant);
    // A hanging request is given up early; a slow one is waited for.
    let isHanging = false;
    const send: HttpClient["send"] = (request) =>
      world.http.send(isHanging ? { ...request, timeoutMilliseconds: GIVE_UP_MILLISECONDS } : request);
    const impatient = await world.open({ http: { ...world.http, send } });
    isHanging = fate("", false) === "hang";
    let isBroadcastBefore = false;
    world.devChain.misbehave(({ method }) => {
      const now = fate(method, isBroadcastBefore);
      isBroadcastBefore ||= isBroadcast(method);
      return now;
    });
    await expect(impatient.submitter.runOnce()).rejects.toEqual(failing("chain_unavailable"));
    // Control: it has not ended yet.
    expect((await world.callEnd(callId)).effect).toBe("open");
    expect((await tenant.balance()).outgoing).toBe(10n * UNIT);
    world.devChain.behave();
    isHanging = false;
    await world.drain(impatient);
    await expectMovedOnce(tenant, callId);
  });

  it("that drops every connection after the broadcast, and answers questions", async () => {
    const tenant = await world.newTenant();
    const { callId } = await storedOrder(tenant);
    world.devChain.misbehave(({ method }) => (isBroadcast(method) ? "dropped" : "pass"));
    await expect(world.openedChain.submitter.runOnce()).rejects.toEqual(failing("chain_unavailable"));
    await expectMovedOnce(tenant, callId);
  });
});

/**
 * Imitates `kill -9`: after `deathAt` steps nothing the submitter asks for is done or answered. A step is one request
 * to the network, one statement or one transaction; each is cut off once before it happens and once after.
 */
function dying(deathAt: number, when: "before" | "after") {
  let step = 0;
  let isDying = false;
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  const dead = new Promise<never>(() => undefined);
  async function run(work: () => unknown): Promise<unknown> {
    if (isDying) return dead;
    step += 1;
    isDying = step === deathAt;
    if (!isDying) return work();
    if (when === "after") await work();
    die();
    return dead;
  }
  function mortal<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => run(() => Reflect.apply(value, object, args));
      },
    });
  }
  const { stores, openedChain } = world;
  const submitter = createChainSubmitter({
    chain: mortal(openedChain.chain),
    operations: openedChain.operations,
    sender: mortal(openedChain.sender),
    wallets: mortal(openedChain.wallets),
    stores: {
      ...stores,
      chainTransactions: mortal(stores.chainTransactions),
      transaction: mortal({ transaction: stores.transaction }).transaction,
    },
    isTransient: () => false,
    log: silentLog,
    timing: { resendMilliseconds: 0 },
  });
  return { submitter, death, steps: () => step };
}

describe("an order survives a crash of the submitter", () => {
  async function stepsOfAnOrder(tenant: Tenant, to: Hex) {
    await storedOrder(tenant, to);
    const { submitter, steps } = dying(0, "before");
    await world.drain({ submitter });
    return steps();
  }
  /** A fresh one without memory. */
  const nextSubmitter = () => dying(0, "before");

  it.each(["before", "after"] as const)("%s every step", { timeout: LONG_MILLISECONDS }, async (when) => {
    let left = 1_000n * UNIT;
    const tenant = await world.newTenant(left);
    const count = await stepsOfAnOrder(tenant, RECIPIENT);
    expect(count).toBeGreaterThan(7);
    left -= 10n * UNIT;
    for (let deathAt = 1; deathAt <= count; deathAt += 1) {
      const { callId } = await storedOrder(tenant);
      const { submitter, death } = dying(deathAt, when);
      await Promise.race([world.drain({ submitter }), death]);
      await world.drain(nextSubmitter());
      left -= 10n * UNIT;
      await expectMovedOnce(tenant, callId, left);
    }
  });

  const refusedToo = "%s every step of giving back the money of a refused one";
  it.each(["before", "after"] as const)(refusedToo, { timeout: LONG_MILLISECONDS }, async (when) => {
    const blocked = world.openedChain.chain.tokens.USDC.address;
    const tenant = await world.newTenant();
    const count = await stepsOfAnOrder(tenant, blocked);
    expect(count).toBeGreaterThan(15);
    for (let deathAt = 1; deathAt <= count; deathAt += 1) {
      const { callId } = await storedOrder(tenant, blocked);
      const { submitter, death } = dying(deathAt, when);
      await Promise.race([world.drain({ submitter }), death]);
      await world.drain(nextSubmitter());
      expect(await tenant.balance()).toEqual({ available: 100n * UNIT, held: 0n, outgoing: 0n });
      expect((await world.callEnd(callId)).effect).toBe("failed");
    }
    expect(await world.reconcile()).toEqual(nothing);
  });
});

describe("a nonce", () => {
  async function relayerKey() {
    const relayer = (await world.openedChain.wallets.list(sandboxChain)).find(({ kind }) => kind === "relayer");
    return await world.readKey(relayer?.id ?? "");
  }

  it("that somebody else has used is not waited for", async () => {
    const tenant = await world.newTenant();
    const { callId, row } = await storedOrder(tenant);
    const submitter = await world.open();
    world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "500" : "pass"));
    await expect(submitter.submitter.runOnce()).rejects.toEqual(failing("chain_unavailable"));
    world.devChain.behave();
    const first = await row();
    expect(first).toMatchObject({ state: "signed" });
    await world.devChain.sendAs(await relayerKey(), { to: RECIPIENT });
    await world.drain(submitter);
    expect(await row()).toMatchObject({ state: "confirmed", earlierHashes: [first?.hash] });
    expect((await row())?.nonce).toBe((first?.nonce ?? 0n) + 1n);
    await expectMovedOnce(tenant, callId);
  });

  it("goes to an empty transaction if the node refuses the order's for good", async () => {
    const tenant = await world.newTenant();
    const { callId, row } = await storedOrder(tenant);
    const submitter = await world.open();
    await submitter.submitter.runOnce().catch(() => undefined);
    // Signed before the node began to refuse it.
    const other = await world.newTenant();
    expect((await row())?.state).toBe("confirmed");
    await expectMovedOnce(tenant, callId);
    const refused = await storedOrder(other);
    world.devChain.misbehave(({ method, params: [raw] }) =>
      method === "eth_sendRawTransaction" && typeof raw === "string" && raw.length > 400
        ? { error: { code: -32_000, message: "transaction is not to our taste" } }
        : "pass",
    );
    for (let turn = 0; turn < 8; turn += 1) await submitter.submitter.runOnce();
    world.devChain.behave();
    await world.drain(submitter);
    expect(await refused.row()).toMatchObject({ state: "reverted", step: "withdraw" });
    expect((await refused.row())?.failure).toMatch(/empty transaction/);
    expect(await other.balance()).toEqual({ available: 100n * UNIT, held: 0n, outgoing: 0n });
    expect((await world.callEnd(refused.callId)).effect).toBe("failed");
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("keeps its order if the gas price rises", async () => {
    const tenant = await world.newTenant();
    const { callId, row } = await storedOrder(tenant);
    const submitter = await world.open();
    world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "500" : "pass"));
    await expect(submitter.submitter.runOnce()).rejects.toEqual(failing("chain_unavailable"));
    world.devChain.behave();
    const first = await row();
    await world.devChain.ask("anvil_setNextBlockBaseFeePerGas", ["0x2540be4000"]);
    await world.devChain.mine();
    const later = await world.open();
    await world.drain(later);
    expect(await row()).toMatchObject({ state: "confirmed", nonce: first?.nonce, earlierHashes: [first?.hash] });
    await expectMovedOnce(tenant, callId);
  });
});

// Last, as a stopped loop can still be in a long turn.
describe("a network that was unreachable", () => {
  it("answers waiting callers when it is back", async () => {
    const tenant = await world.newTenant();
    const own = await world.open({ timing: { resendMilliseconds: 0, failedMilliseconds: 20 } });
    let bad = 20;
    world.devChain.misbehave(() => (bad-- > 0 ? "500" : "pass"));
    own.submitter.start();
    expect(await tenant.send(tenant.transfer(RECIPIENT, 10n * UNIT), {}, own)).toMatchObject({ kind: "confirmed" });
    expect(bad).toBeLessThan(0);
    await own.submitter.stop();
  });
});
