import { encodeFunctionData } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { startDevChain } from "../../../../test/support/dev-chain.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import {
  equipWith,
  startChainJobs,
  startEquippingTenants,
  startLiveChain,
} from "../../../../test/support/open-chain.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { faucetAbi } from "../../../generated/contracts/faucet.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { acceptOutgoing } from "../../treasury/accept-outgoing.ts";
import { equipMissingTenants } from "../../treasury/equip-tenants.ts";
import { ChainIndexer } from "./index-chain.ts";

const RECIPIENT: Hex = "0x00000000000000000000000000000000000000bb";
const nothing = { USDC: 0n, EURC: 0n };
const failing = (code: string) => expect.objectContaining({ name: "Failure", code });

let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
/** Each test leaves consistent books and moving money. */
afterEach(async () => {
  expect(await world.reconcile()).toEqual(nothing);
  expect(await stoppedBecause()).toBeUndefined();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const moving = (to: Hex, value: bigint) =>
  encodeFunctionData({ abi: stablecoinAbi, functionName: "transfer", args: [to, value] });

/** Pays out of a wallet behind the service's back, with the wallet's own key. */
async function steal(by: ChainWorld, wallet: { id: string; address: Hex }, amount: bigint) {
  await by.devChain.sendAs(by.devChain.funderKey, { to: wallet.address, value: 10n ** 18n });
  const to = by.openedChain.chain.tokens.USDC.address;
  return await by.devChain.sendAs(await by.readKey(wallet.id), { to, data: moving(RECIPIENT, amount) });
}

/** Anybody may ask the faucet for anybody. */
async function drip(to: Hex) {
  const { chain } = world.openedChain;
  const data = encodeFunctionData({ abi: faucetAbi, functionName: "drip", args: [chain.tokens.USDC.address, to] });
  await world.devChain.sendAs(world.devChain.funderKey, { to: chain.faucet ?? "0x", data });
}

/** Moves the indexer back: later blocks are read again. */
async function readFrom(block: { number: bigint; hash: Hex } | undefined) {
  if (block === undefined) throw new Error("nothing was read before");
  await world.db.updateTable("chainNetwork").set({ indexedNumber: block.number, indexedHash: block.hash }).execute();
}

const stoppedBecause = async () => (await world.openedChain.boundChains.get(sandboxChain))?.stoppedBecause;

describe("the books", () => {
  it("book strangers' payments as deposits", async () => {
    const tenant = await world.newTenant();
    const { chain } = world.openedChain;
    await drip(tenant.wallet.address);
    expect(await world.reconcile()).toEqual(nothing);
    expect((await tenant.balance()).available).toBe(120n * UNIT);
    expect(await stoppedBecause()).toBeUndefined();
    // Reading the same blocks again books nothing twice.
    await readFrom(await chain.block(0n));
    expect(await world.reconcile()).toEqual(nothing);
    expect((await tenant.balance()).available).toBe(120n * UNIT);
  });

  it("stop money when some leaves a wallet by a stranger's transaction, until an operator resumes", async () => {
    const tenant = await world.newTenant();
    const own = await world.open();
    own.submitter.start();
    await tenant.send(tenant.transfer(RECIPIENT, UNIT), {}, own);
    // Control: so far everything is explained.
    expect(await world.reconcile()).toEqual(nothing);
    expect(await stoppedBecause()).toBeUndefined();
    const theft = await steal(world, tenant.wallet, 40n * UNIT);
    expect(await world.reconcile()).toEqual({ USDC: 40n * UNIT, EURC: 0n });
    expect(world.openedChain.reconciler.differences()).toEqual({ USDC: 40n * UNIT, EURC: 0n });
    expect(await stoppedBecause()).toMatch(/not ours/);
    const lines = await world.db.selectFrom("auditLog").selectAll().where("action", "=", "chain.stop").execute();
    expect(lines.map(({ subjectId }) => subjectId)).toEqual(["sandbox"]);
    await expect(tenant.send(tenant.transfer(RECIPIENT, UNIT))).rejects.toEqual(failing("settlement_stopped"));
    expect((await tenant.balance()).available).toBe(99n * UNIT);
    // A resume does not last while the books disagree.
    expect(await world.openedChain.boundChains.resume(sandboxChain)).toBe(true);
    await world.reconcile();
    expect(await stoppedBecause()).toMatch(/disagree/);
    for (let time = 0; time < 2; time += 1) {
      expect(await acceptOutgoing({ ...world, chain: world.openedChain.chain }, theft.transactionHash)).toHaveLength(1);
    }
    expect(await world.reconcile()).toEqual(nothing);
    expect(await world.openedChain.boundChains.resume(sandboxChain)).toBe(true);
    const answer = await tenant.send(tenant.transfer(RECIPIENT, UNIT), {}, own);
    await own.submitter.stop();
    const { openedChain, stores } = world;
    // Also when its block is read again.
    const again = { ...openedChain, stores, isTransient: () => false, log: silentLog, overlapBlocks: 20 };
    await new ChainIndexer(again).runOnce();
    expect(await world.reconcile()).toEqual(nothing);
    expect(await stoppedBecause()).toBeUndefined();
    expect(await tenant.balance()).toEqual({ available: 58n * UNIT, held: 0n, outgoing: 0n });
    const accept = (hash: Hex) => acceptOutgoing({ ...world, chain: world.openedChain.chain }, hash);
    await expect(accept(answer.transaction.hash ?? "0x")).rejects.toEqual(failing("conflict"));
    await expect(accept(`0x${"33".repeat(32)}`)).rejects.toEqual(failing("not_found"));
  });

  it("ignore zero amounts, which anybody can emit for any wallet", async () => {
    const tenant = await world.newTenant();
    const args = [tenant.wallet.address, RECIPIENT, 0n] as const;
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "transferFrom", args });
    const to = world.openedChain.chain.tokens.USDC.address;
    const receipt = await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    expect(receipt.logs.length).toBeGreaterThan(0);
    expect(await world.reconcile()).toEqual(nothing);
    expect(await stoppedBecause()).toBeUndefined();
  });

  it("hold back stored, unsigned transactions when money is stopped", async () => {
    const tenant = await world.newTenant();
    await expect(tenant.send(tenant.transfer(RECIPIENT, UNIT), { waitMilliseconds: 0 })).rejects.toEqual(
      failing("transfer_in_progress"),
    );
    await world.openedChain.boundChains.stop(sandboxChain, "a test");
    expect(await world.openedChain.submitter.runOnce()).toBe(1);
    expect(await tenant.balanceOnChain()).toBe(100n * UNIT);
    await world.openedChain.boundChains.resume(sandboxChain);
    await world.drain();
    expect(await tenant.balanceOnChain()).toBe(99n * UNIT);
  });

  it("notice money that is on the chain but not booked", async () => {
    const tenant = await world.newTenant();
    expect(await world.reconcile()).toEqual(nothing);
    const { indexed } = (await world.openedChain.boundChains.get(sandboxChain)) ?? {};
    await drip(tenant.wallet.address);
    // Skips its block.
    const head = await world.openedChain.chain.head();
    await world.db.updateTable("chainNetwork").set({ indexedNumber: head.number, indexedHash: head.hash }).execute();
    expect(await world.openedChain.reconciler.runOnce()).toEqual({ USDC: 20n * UNIT, EURC: 0n });
    expect(await stoppedBecause()).toMatch(/disagree about the USDC/);
    await readFrom(indexed);
    expect(await world.reconcile()).toEqual(nothing);
    expect((await tenant.balance()).available).toBe(120n * UNIT);
    await world.openedChain.boundChains.resume(sandboxChain);
  });

  it("do not skip a movement if a crash falls between posting and the cursor", async () => {
    const tenant = await world.newTenant();
    await world.reconcile();
    const before = await world.openedChain.boundChains.get(sandboxChain);
    await drip(tenant.wallet.address);
    for (const step of ["posted", "cursor"] as const) {
      const indexer = new ChainIndexer({
        ...world.openedChain,
        stores: {
          ...world.stores,
          ledger: {
            ...world.stores.ledger,
            postMovements: (...args) =>
              step === "posted" ? Promise.reject(new Error("crash")) : world.stores.ledger.postMovements(...args),
          },
        },
        boundChains: {
          ...world.openedChain.boundChains,
          advance: (...args) =>
            step === "cursor" ? Promise.reject(new Error("crash")) : world.openedChain.boundChains.advance(...args),
        },
        isTransient: () => true,
        log: silentLog,
      });
      await expect(indexer.runOnce()).rejects.toThrow("crash");
      expect((await world.openedChain.boundChains.get(sandboxChain))?.indexed).toEqual(before?.indexed);
    }
    expect(await world.reconcile()).toEqual(nothing);
    expect((await tenant.balance()).available).toBe(120n * UNIT);
  });

  it("stop money when the chain drops a block that they depend on", async () => {
    const { indexed } = (await world.openedChain.boundChains.get(sandboxChain)) ?? {};
    await world.db
      .updateTable("chainNetwork")
      .set({ indexedHash: `0x${"22".repeat(32)}` })
      .execute();
    await world.devChain.mine();
    await world.openedChain.indexer.runOnce();
    expect(await stoppedBecause()).toMatch(/dropped a block/);
    await readFrom(indexed);
    await world.openedChain.boundChains.resume(sandboxChain);
  });
});

describe("tenants created while the chain was unreachable", () => {
  it("get their wallet and money when it is back, once", async () => {
    const { tenant } = await world.identity.createTenant({ name: "Late", actor: "test" });
    const others = Array.from({ length: 51 }, (_, index) => ({ name: `Late ${index}`, actor: "test" }));
    await Promise.all(others.map((other) => world.identity.createTenant(other)));
    // All tenants, before the service answers; the call of a tenant without a wallet would make one without money.
    expect(await equipMissingTenants(world.stores, equipWith(5n * UNIT))).toBe(52);
    expect(await equipMissingTenants(world.stores, equipWith(5n * UNIT))).toBe(0);
    await world.drain();
    const purse = { ...sandboxChain, tenantId: tenant.id };
    expect((await world.stores.ledger.balance({ ...purse, token: "USDC" })).available).toBe(5n * UNIT);
    expect((await world.stores.ledger.balance({ ...purse, token: "EURC" })).available).toBe(5n * UNIT);
    expect(await world.reconcile()).toEqual(nothing);
  });
});

describe("the jobs of a network", () => {
  it("fund a new tenant, book deposits, and notice losses", async () => {
    const own = await world.open();
    const stop = startChainJobs(own, silentLog, 10);
    const stopEquipping = startEquippingTenants({ stores: world.stores, log: silentLog }, own, 5n * UNIT);
    try {
      const { tenant } = await world.identity.createTenant({ name: "First", actor: "test" });
      const purse = { tenantId: tenant.id, ...sandboxChain, token: "USDC" } as const;
      const available = async () => (await world.stores.ledger.balance(purse)).available;
      await expect.poll(available).toBe(5n * UNIT);
      const wallet = await world.openedChain.wallets.findTreasury(sandboxChain, tenant.id);
      await drip(wallet?.address ?? "0x");
      await expect.poll(available).toBe(25n * UNIT);
      expect(await stoppedBecause()).toBeUndefined();
      const theft = wallet === undefined ? undefined : await steal(world, wallet, UNIT);
      await expect.poll(stoppedBecause).toMatch(/not ours/);
      await expect.poll(() => own.reconciler.differences().USDC).toBe(UNIT);
      await acceptOutgoing({ ...world, chain: own.chain }, theft?.transactionHash ?? "0x");
      await expect.poll(() => own.reconciler.differences().USDC).toBe(0n);
      await world.openedChain.boundChains.resume(sandboxChain);
    } finally {
      world.devChain.misbehave(() => "hang");
      await Promise.all([stop(), stopEquipping()]);
      world.devChain.behave();
    }
  });
});

describe("a live network", () => {
  it("settles on another chain, with estimated gas and confirmations, apart from the sandbox", async () => {
    const other = await openChainWorld({ chain: await startDevChain({ chainId: 77_077 }) });
    try {
      const relayerKey = generatePrivateKey();
      const { tokens, splitter } = other.openedChain.chain;
      const live = await startLiveChain({
        ...world.shared,
        rpcUrl: other.devChain.url,
        contracts: {
          tokens: { USDC: tokens.USDC.address, EURC: requireToken({ tokens }, "EURC").address },
          ...(splitter === undefined ? {} : { splitter }),
        },
        confirmations: 3,
        relayerKey,
        timing: { resendMilliseconds: 0 },
      });
      const tenant = await world.newTenant();
      const wallet = await live.wallets.ensure(live.chain.key, "treasury", tenant.tenant.id);
      expect(wallet.address).not.toBe(tenant.wallet.address);
      // Paid in from outside, from a wallet of the other deployment.
      const rich = await other.newTenant();
      other.openedChain.submitter.start();
      await rich.send(rich.transfer(wallet.address, 50n * UNIT));
      for (let index = 0; index < 3; index += 1) await other.devChain.mine();
      const purse = { ...live.chain.key, tenantId: tenant.tenant.id, token: "USDC" } as const;
      while (await live.indexer.runOnce());
      expect(await world.stores.ledger.balance(purse)).toEqual({ available: 50n * UNIT, held: 0n, outgoing: 0n });
      expect((await tenant.balance()).available).toBe(100n * UNIT);

      const relayer = (await live.wallets.list(live.chain.key)).find(({ kind }) => kind === "relayer");
      const { operation, input } = tenant.transfer(RECIPIENT, 20n * UNIT);
      const order = { operation, input: { ...input, from: wallet.address } };
      const send = tenant.send(order, { waitMilliseconds: 0 }, live, live);
      await expect(send).rejects.toEqual(failing("transfer_in_progress"));
      // The relayer has no money for gas yet, so the order waits.
      expect(await live.sender.gasBalance()).toBe("0");
      await live.submitter.runOnce();
      expect((await world.rows()).at(-1)).toMatchObject({ environment: "production", state: "signed" });
      await other.devChain.sendAs(other.devChain.funderKey, { to: relayer?.address ?? "0x", value: 10n ** 18n });
      expect(await live.sender.gasBalance()).toBe("1");
      await live.submitter.runOnce();
      // In a block, but not deep enough.
      expect((await world.rows()).at(-1)).toMatchObject({ state: "signed" });
      expect((await world.stores.ledger.balance(purse)).outgoing).toBe(20n * UNIT);
      for (let index = 0; index < 2; index += 1) await other.devChain.mine();
      expect(await live.submitter.runOnce()).toBe(0);
      const row = (await world.rows()).at(-1);
      expect(row).toMatchObject({ state: "confirmed" });
      const { gas } = await other.devChain.client.getTransaction({ hash: row?.hash ?? "0x" });
      expect(gas).toBeGreaterThan(50_000n);
      expect(gas).toBeLessThan(125_000n);
      expect(await world.stores.ledger.balance(purse)).toEqual({ available: 30n * UNIT, held: 0n, outgoing: 0n });
      for (let index = 0; index < 3; index += 1) await other.devChain.mine();
      expect(await world.reconcile(live)).toEqual(nothing);
      expect(await world.reconcile()).toEqual(nothing);

      // A lagging node has no events of the newest blocks: the money is noticed and booked later, and nothing stops.
      await rich.send(rich.transfer(wallet.address, UNIT));
      for (let index = 0; index < 3; index += 1) await other.devChain.mine();
      other.devChain.misbehave(({ method }) => (method === "eth_getLogs" ? { result: [] } : "pass"));
      expect(await world.reconcile(live)).toEqual({ USDC: UNIT, EURC: 0n });
      other.devChain.behave();
      await other.devChain.mine();
      expect(await world.reconcile(live)).toEqual(nothing);
      expect((await world.stores.ledger.balance(purse)).available).toBe(31n * UNIT);
      expect((await live.boundChains.get(live.chain.key))?.stoppedBecause).toBeUndefined();
      // Control: money that is never booked does stop it.
      await rich.send(rich.transfer(wallet.address, UNIT));
      for (let index = 0; index < 30; index += 1) await other.devChain.mine();
      const head = await live.chain.head();
      const passed = { indexedNumber: head.number, indexedHash: head.hash };
      await world.db.updateTable("chainNetwork").set(passed).where("environment", "=", "production").execute();
      await live.reconciler.runOnce();
      expect((await live.boundChains.get(live.chain.key))?.stoppedBecause).toBeUndefined();
      await live.reconciler.runOnce();
      expect((await live.boundChains.get(live.chain.key))?.stoppedBecause).toMatch(/disagree/);
    } finally {
      await other[Symbol.asyncDispose]();
      await other.devChain.close();
    }
  });
});
