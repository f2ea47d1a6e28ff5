import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { createLedgerReconciler } from "../../treasury/reconcile-ledger.ts";

let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** A node that answers the first questions about a block from a later one. */
function reconcileWith(wrongAnswers: number) {
  const { chain, wallets, boundChains } = world.openedChain;
  let left = wrongAnswers;
  const balances: Chain["balances"] = async (...question) => {
    const told = await chain.balances(...question);
    if (left === 0) return told;
    left -= 1;
    return told.map((balance) => balance + UNIT);
  };
  const { custody } = world.stores;
  return createLedgerReconciler({ chain: { ...chain, balances }, custody, wallets, boundChains, log: silentLog });
}

const stoppedBecause = async () => (await world.openedChain.boundChains.get(sandboxChain))?.stoppedBecause;

it("an answer from a later block is asked for again before money stops", async () => {
  await world.newTenant();
  expect(await world.reconcile()).toEqual({ USDC: 0n, EURC: 0n });
  expect(await reconcileWith(1).runOnce()).toEqual({ USDC: 0n, EURC: 0n });
  expect(await stoppedBecause()).toBeUndefined();
});

it("one that stays wrong stops money", async () => {
  const found = await reconcileWith(1_000).runOnce();
  expect(found.USDC).toBeGreaterThan(0n);
  expect(await stoppedBecause()).toMatch(/disagree/);
});
