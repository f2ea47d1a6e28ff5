import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { chainEndings } from "../../../contributions.ts";
import { collect } from "../../treasury/collect.ts";
import { refund } from "../../treasury/refund.ts";
import { transfer } from "../../treasury/transfer-operation.ts";

let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const nothing = { USDC: 0n, EURC: 0n };
type Tenant = Awaited<ReturnType<ChainWorld["newTenant"]>>;

/** As a booking does it. */
async function capture({ purse }: Tenant, reference: string, amount: bigint): Promise<void> {
  await world.stores.transaction(async (aggregates) => {
    await aggregates.ledger.hold(purse, amount, reference);
    await collect(aggregates, purse, reference, amount);
  });
  await world.drain();
}

const giveBack = ({ purse }: Tenant, reference: string, amount: bigint) =>
  world.stores.transaction((aggregates) => refund(aggregates, purse, reference, amount));

it("a refund appears on the chain and in the books, once per reference", async () => {
  const tenant = await world.newTenant();
  const collection = world.openedChain.collection.address;
  await capture(tenant, "booking:one", 40n * UNIT);
  expect(await tenant.balanceOnChain()).toBe(60n * UNIT);
  const collected = await tenant.balanceOnChain(collection);
  for (let time = 0; time < 2; time += 1) await giveBack(tenant, "booking:one", 25n * UNIT);
  await world.drain();
  expect(await tenant.balanceOnChain()).toBe(85n * UNIT);
  expect(await tenant.balanceOnChain(collection)).toBe(collected - 25n * UNIT);
  expect(await tenant.balance()).toEqual({ available: 85n * UNIT, held: 0n, outgoing: 0n });
  expect(await world.reconcile()).toEqual(nothing);
  await expect(giveBack(tenant, "booking:one", 24n * UNIT)).rejects.toThrow("differently");
});

it("a refund above the collection wallet's balance is refused, and nothing is stored", async () => {
  const tenant = await world.newTenant();
  const before = await world.rows();
  await expect(giveBack(tenant, "booking:never", 1_000_000n * UNIT)).rejects.toThrow("takes more");
  expect(await world.rows()).toEqual(before);
});

it("a refund that the network reverts remains owed, and is stored again", async () => {
  const tenant = await world.newTenant();
  const [from, to] = [world.openedChain.collection.address, tenant.wallet.address];
  const transaction = { ...sandboxChain, tenantId: tenant.tenant.id, callId: null, purpose: "refund" } as const;
  const first = await world.stores.chainTransactions.enqueue({
    ...transaction,
    idempotencyKey: "refund:owed",
    operation: transfer.of({ token: "USDC", from, to, amount: 1n }),
    result: undefined,
  });
  const keys = async () => {
    const all = (await world.rows()).map((row) => row.idempotencyKey);
    // Ids of the same millisecond have no order.
    return all.filter((key) => key.includes("owed")).toSorted();
  };
  const block = { number: 1n, hash: "0x1" } as const;
  const receipt = { hash: "0x1", block, succeeded: false, isEmpty: false, movements: [] } as const;
  const end = { state: "reverted", receipt, failure: "blocked" } as const;
  for (const idempotencyKey of ["refund:owed", "refund:owed#2", "refund:owed#5"]) {
    await world.stores.transaction(async (aggregates) => {
      await chainEndings.refund?.reverted?.(aggregates, { ...first, idempotencyKey }, end);
    });
  }
  expect(await keys()).toEqual(["refund:owed", "refund:owed#2", "refund:owed#3"]);
});
