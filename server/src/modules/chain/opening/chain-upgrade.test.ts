import { expect, it } from "vitest";
import { openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { openEscrowOrders, requireThere } from "../../../../test/support/escrow-orders.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { registerMissingAgents } from "../../reputation/register-agent.ts";

/** These registries know it themselves. */
const noRegistration = async () => undefined;

it("a chain and books of an earlier version get later additions, once", async () => {
  await using world = await openChainWorld();
  const { boundChains } = world.openedChain;
  const tenant = await world.newTenant();
  const readContracts = async () => requireThere((await boundChains.get(sandboxChain))?.contracts);
  const { tokens, splitter, faucet, paymentBatch, ...later } = await readContracts();
  // As an earlier version stored it: no escrow, no registries, no agents, and the relayer's nonces well advanced.
  const earlier = {
    tokens,
    ...(splitter && { splitter }),
    ...(faucet && { faucet }),
    ...(paymentBatch && { paymentBatch }),
  };
  await boundChains.setContracts(sandboxChain, earlier);
  await world.db.deleteFrom("chainTransaction").where("purpose", "=", "agent_registration").execute();
  // One of the relayer's transactions is signed but not in a block.
  world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "reset" : "pass"));
  await tenant.send(tenant.transfer(tokens.EURC ?? tokens.USDC, UNIT), { waitMilliseconds: 0 }).catch(() => undefined);
  await world.openedChain.submitter.runOnce().catch(() => undefined);
  world.devChain.behave();

  const openedChain = await world.open();
  const contracts = await readContracts();
  expect(contracts).toMatchObject(earlier);
  expect(contracts.escrow).toMatch(/^0x[0-9a-f]{40}$/);
  expect(contracts.escrow).not.toBe(later.escrow);
  expect(openedChain.chain.escrow?.address).toBe(contracts.escrow);
  const [relayer] = (await openedChain.wallets.list(sandboxChain)).filter(({ kind }) => kind === "relayer");
  expect(await openedChain.chain.agentRegistries?.findOwner(1n)).toBe(relayer?.address);
  await world.drain(openedChain);
  expect((await tenant.balance()).available).toBe(99n * UNIT);

  expect(await registerMissingAgents(world.stores)).toBe(1);
  await world.drain(openedChain);
  const agentId = await openedChain.chain.agentRegistries?.findAgent(tenant.wallet.address, noRegistration);
  expect(agentId).toBe(2n);

  const escrow = openEscrowOrders({ ...world, openedChain, drain: () => world.drain(openedChain) });
  await escrow.fund(tenant, { budget: 10n * UNIT });
  expect(await world.reconcile(openedChain)).toEqual({ USDC: 0n, EURC: 0n });

  // The next start finds everything in place.
  const sent = () => world.devChain.client.getTransactionCount({ address: relayer?.address ?? "0x" });
  const before = [await readContracts(), await sent(), await world.devChain.client.getBlockNumber()];
  const again = await world.open();
  expect([await readContracts(), await sent(), await world.devChain.client.getBlockNumber()]).toEqual(before);
  expect(await world.reconcile(again)).toEqual({ USDC: 0n, EURC: 0n });
  expect(await escrow.booked()).toBe(10n * UNIT);
});
