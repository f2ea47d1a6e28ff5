import { encodeFunctionData, parseTransaction } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import { ChainIndexer } from "./index-chain.ts";

/** A stranger uses an authorization of ours that he has seen, at the worst moment: harmless, and no reason to stop money. */
let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const nothing = { USDC: 0n, EURC: 0n };
const failing = (code: string) => expect.objectContaining({ name: "Failure", code });
const RECIPIENT = "0x00000000000000000000000000000000000a11ce";
const stoppedBecause = async () => (await world.openedChain.boundChains.get(sandboxChain))?.stoppedBecause;

/** A signed order that the node has never seen, and everything a stranger needs to execute it. */
async function signedOrder(amount: bigint) {
  const tenant = await world.newTenant();
  const callId = await world.newCall(tenant.tenant.id);
  world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "reset" : "pass"));
  await expect(tenant.send(tenant.transfer(RECIPIENT, amount), { callId, waitMilliseconds: 0 })).rejects.toEqual(
    failing("transfer_in_progress"),
  );
  await expect(world.openedChain.submitter.runOnce()).rejects.toEqual(failing("chain_unavailable"));
  world.devChain.behave();
  const row = (await world.rows()).find((one) => one.callId === callId);
  if (row?.raw == null) throw new Error("nothing was signed");
  const { to, data } = parseTransaction(row.raw);
  if (to == null || data === undefined) throw new Error("nothing was signed that calls a token");
  return { tenant, callId, id: row.id, nonce: row.nonce ?? 0n, to, data };
}

const encodeMove = (recipient: Hex, value: bigint) =>
  encodeFunctionData({ abi: stablecoinAbi, functionName: "transfer", args: [recipient, value] });

describe("an authorization seen by a stranger", () => {
  it("is done if his transaction comes first, though ours is reverted", async () => {
    const { tenant, callId, to, data } = await signedOrder(5n * UNIT);
    const theirs = await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    expect(theirs.status).toBe("success");
    await world.drain();
    expect(await world.callEnd(callId)).toMatchObject({ effect: "done", result: { txHash: theirs.transactionHash } });
    expect(await tenant.balance()).toEqual({ available: 95n * UNIT, held: 0n, outgoing: 0n });
    expect(await tenant.balanceOnChain()).toBe(95n * UNIT);
    expect(await world.reconcile()).toEqual(nothing);
    expect(await stoppedBecause()).toBeUndefined();
  });

  it("is booked by the indexer even before the submitter knows", async () => {
    const { tenant, to, data } = await signedOrder(6n * UNIT);
    await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    expect(await world.reconcile()).toEqual(nothing);
    expect(await stoppedBecause()).toBeUndefined();
    expect(await tenant.balance()).toEqual({ available: 94n * UNIT, held: 0n, outgoing: 0n });
    await world.drain();
    expect(await tenant.balance()).toEqual({ available: 94n * UNIT, held: 0n, outgoing: 0n });
    expect(await world.reconcile()).toEqual(nothing);
  });
});

describe("an authorization used by a stranger", () => {
  it("while its order waits to be withdrawn", async () => {
    const { tenant, callId, to, data } = await signedOrder(100n * UNIT);
    // The wallet lacks one micro-unit for a moment, so that our own transaction fails.
    const { devChain } = world;
    await devChain.sendAs(devChain.funderKey, { to: tenant.wallet.address, value: 10n ** 18n });
    await devChain.sendAs(await world.readKey(tenant.wallet.id), { to, data: encodeMove(RECIPIENT, 1n) });
    await world.openedChain.submitter.runOnce();
    const row = (await world.rows()).find((one) => one.callId === callId);
    expect(row).toMatchObject({ state: "queued", step: "withdraw" });
    await devChain.ask("anvil_impersonateAccount", [RECIPIENT]);
    await devChain.sendAs(devChain.funderKey, { to: RECIPIENT, value: 10n ** 18n });
    await devChain.ask("eth_sendTransaction", [{ from: RECIPIENT, to, data: encodeMove(tenant.wallet.address, 1n) }]);
    await devChain.mine();
    // The micro-unit moved behind the service's back, which stops money for a separate reason and is accepted.
    while (await world.openedChain.indexer.runOnce());
    expect(await stoppedBecause()).toMatch(/not ours/);
    await world.stores.boundChains.resume(sandboxChain);

    const theirs = await devChain.sendAs(devChain.funderKey, { to, data });
    expect(theirs.status).toBe("success");
    while (await world.openedChain.indexer.runOnce());
    expect(await stoppedBecause()).toBeUndefined();
    await world.drain();
    expect(await world.callEnd(callId)).toMatchObject({ effect: "done", result: { txHash: theirs.transactionHash } });
  });

  it("before a restore from a backup in which the order was only queued", async () => {
    const { tenant, callId, id, nonce, to, data } = await signedOrder(7n * UNIT);
    const theirs = await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    await world.db
      .updateTable("chainTransaction")
      .set({ state: "queued", signerId: null, nonce: null, raw: null, hash: null })
      .where("id", "=", id)
      .execute();
    await world.db
      .updateTable("wallet")
      .set({ nextNonce: nonce })
      .where("id", "=", world.openedChain.sender.relayerWalletId)
      .execute();
    while (await world.openedChain.indexer.runOnce());
    expect(await stoppedBecause()).toBeUndefined();
    expect(await tenant.balance()).toEqual({ available: 93n * UNIT, held: 0n, outgoing: 0n });
    await world.drain();
    expect(await world.callEnd(callId)).toMatchObject({ effect: "done", result: { txHash: theirs.transactionHash } });
    expect(await tenant.balance()).toEqual({ available: 93n * UNIT, held: 0n, outgoing: 0n });
    expect(await tenant.balanceOnChain()).toBe(93n * UNIT);
  });

  it("while the node that is asked does not know of it yet", async () => {
    const { tenant, to, data } = await signedOrder(9n * UNIT);
    await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    let lagging = 2;
    const sender = {
      async authorization(transaction: ChainTransaction) {
        lagging -= 1;
        return lagging >= 0 ? { kind: "open" as const } : await world.openedChain.sender.authorization(transaction);
      },
    };
    const indexer = new ChainIndexer({
      ...world.openedChain,
      stores: world.stores,
      sender,
      isTransient: () => false,
      log: silentLog,
    });
    const before = await world.openedChain.boundChains.get(sandboxChain);
    for (let turn = 0; turn < 2; turn += 1) expect(await indexer.runOnce()).toBe(false);
    expect((await world.openedChain.boundChains.get(sandboxChain))?.indexed).toEqual(before?.indexed);
    while (await indexer.runOnce());
    expect((await world.openedChain.boundChains.get(sandboxChain))?.indexed).not.toEqual(before?.indexed);
    expect(await stoppedBecause()).toBeUndefined();
    expect(await tenant.balance()).toEqual({ available: 91n * UNIT, held: 0n, outgoing: 0n });
    await world.drain();
  });
});

// Last, as the money moved behind the service's back is not accepted.
describe("an authorization that was withdrawn", () => {
  it("is useless to him once its money was given back", async () => {
    const { tenant, callId, to, data } = await signedOrder(100n * UNIT);
    // The wallet is emptied for a moment, so that the order fails.
    const key = await world.readKey(tenant.wallet.id);
    await world.devChain.sendAs(world.devChain.funderKey, { to: tenant.wallet.address, value: 10n ** 18n });
    await world.devChain.sendAs(key, { to, data: encodeMove(RECIPIENT, 1n) });
    await world.openedChain.submitter.runOnce();
    const [row] = (await world.rows()).filter((one) => one.callId === callId);
    expect(row).toMatchObject({ state: "queued", step: "withdraw" });
    expect(row?.failure).toMatch(/exceeds balance/);
    // Its money is not given back while the authorization is usable.
    expect((await tenant.balance()).outgoing).toBe(100n * UNIT);
    await world.drain();
    expect(await tenant.balance()).toEqual({ available: 100n * UNIT, held: 0n, outgoing: 0n });
    expect((await world.callEnd(callId)).effect).toBe("failed");
    await world.devChain.ask("anvil_impersonateAccount", [RECIPIENT]);
    await world.devChain.sendAs(world.devChain.funderKey, { to: RECIPIENT, value: 10n ** 18n });
    await world.devChain.ask("eth_sendTransaction", [
      { from: RECIPIENT, to, data: encodeMove(tenant.wallet.address, 1n) },
    ]);
    await world.devChain.mine();
    expect(await tenant.balanceOnChain()).toBe(100n * UNIT);
    const late = await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    expect(late.status).toBe("reverted");
    expect(await tenant.balanceOnChain()).toBe(100n * UNIT);
  });
});
