import { decodeFunctionData, parseTransaction } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../test/support/chain-world.ts";
import { type EscrowOrders, hash32, openEscrowOrders, requireThere } from "../../../test/support/escrow-orders.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { tripEscrowAbi } from "../../generated/contracts/trip-escrow.ts";
import type { StoredOperation } from "../../ports/chain/chain-operation.ts";
import { registryEntry } from "../reputation/registry-operation.ts";
import type { EscrowAction } from "./step-machine/escrow-action.ts";

/** Orders without a wallet's signature: only their own transactions tell their outcome. */

let world: ChainWorld;
let orders: EscrowOrders;
beforeAll(async () => {
  world = await openChainWorld();
  orders = openEscrowOrders(world);
});
afterEach(() => {
  world.devChain.behave();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const reservation = (): EscrowAction & { name: "reserve" } => ({ name: "reserve", bookingId: hash32(), amount: UNIT });
const readEnd = async (id: string) => requireThere(await world.stores.chainTransactions.get(id));

/** The node refuses it until an empty transaction has its nonce. */
async function refused(operation: StoredOperation) {
  const { id } = await orders.store(operation);
  const isEmpty = (raw: unknown) =>
    typeof raw === "string" && parseTransaction(`0x02${raw.slice(4)}`).data === undefined;
  world.devChain.misbehave(({ method, params: [raw] }) =>
    method === "eth_sendRawTransaction" && !isEmpty(raw)
      ? { error: { code: -32_000, message: "transaction is not to our taste" } }
      : "pass",
  );
  await world.drain();
  world.devChain.behave();
  return await readEnd(id);
}

describe("an empty transaction in an order's place", () => {
  it("is no step of a booking", async () => {
    const tripId = await orders.fund(await world.newTenant());
    const reserve = reservation();
    const end = await refused(orders.stepOperation(tripId, reserve));
    expect((await orders.escrow.booking(tripId, reserve.bookingId)).state).toBe("none");
    expect(end).toMatchObject({ state: "reverted", failure: "an empty transaction took its place" });
  });

  it("is no record of an agent", async () => {
    const { wallet } = await world.newTenant();
    const action = { name: "register", agentUri: "urn:example:refused" } as const;
    const end = await refused(registryEntry.of({ token: "USDC", from: wallet.address, action }));
    expect(end).toMatchObject({ state: "reverted", failure: "an empty transaction took its place" });
  });
});

it("an order does not end by a transaction without effect while a later one of it can be in a block", async () => {
  const stranger = await orders.newStranger(UNIT);
  const funding = await orders.fundByStranger(stranger, UNIT);
  const { args } = decodeFunctionData({ abi: tripEscrowAbi, data: funding.data });
  if (args === undefined || typeof args[0] !== "object") throw new Error("that funds nothing");
  const tripId = orders.escrow.tripId(args[0]);
  const reserve = reservation();
  // It reverts, as the trip does not exist yet, and its receipt is not read.
  const { id } = await orders.withheld(() => orders.store(orders.stepOperation(tripId, reserve)));
  const first = await readEnd(id);
  await world.devChain.ask("eth_sendRawTransaction", [first.raw]);
  await world.devChain.mine();
  expect(await world.openedChain.chain.receipt(requireThere(first.hash))).toMatchObject({ succeeded: false });
  await world.stores.chainTransactions.requeue(id, requireThere(first.hash), first.step);
  // The next signed one reaches a node whose answer is lost.
  world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "reset" : "pass"));
  await world.openedChain.submitter.runOnce().catch(() => undefined);
  const { raw, earlierHashes } = await readEnd(id);
  expect(earlierHashes).toEqual([first.hash]);
  world.devChain.behave();
  await world.devChain.sendAs(stranger.privateKey, funding);
  await world.devChain.ask("eth_sendRawTransaction", [raw]);
  await world.drain();
  expect((await orders.escrow.booking(tripId, reserve.bookingId)).state).toBe("reserved");
  expect(await readEnd(id)).toMatchObject({ state: "confirmed" });
});

it("stopped money does not move in the escrow either", async () => {
  const tripId = await orders.fund(await world.newTenant());
  const reserve = reservation();
  await orders.do(tripId, reserve);
  const { bookingId } = reserve;
  const { id } = await orders.store(orders.stepOperation(tripId, { name: "cancel", bookingId, reason: "timeout" }));
  await world.openedChain.boundChains.stop(sandboxChain, "a difference");
  await world.openedChain.submitter.runOnce();
  await world.openedChain.submitter.runOnce();
  expect(await readEnd(id)).toMatchObject({ state: "queued" });
  expect((await orders.escrow.booking(tripId, bookingId)).state).toBe("reserved");
  await world.openedChain.boundChains.resume(sandboxChain);
  await world.drain();
  expect(await readEnd(id)).toMatchObject({ state: "confirmed" });
});
