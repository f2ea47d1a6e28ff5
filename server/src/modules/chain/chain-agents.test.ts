import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../test/support/chain-world.ts";
import {
  address20,
  type EscrowTenant,
  hash32,
  openEscrowOrders,
  requireThere,
} from "../../../test/support/escrow-orders.ts";
import { equipWith } from "../../../test/support/open-chain.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { identityRegistryAbi } from "../../generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../generated/contracts/reputation-registry.ts";
import { registerMissingAgents } from "../reputation/register-agent.ts";
import { type RegistryAction, registryEntry } from "../reputation/registry-operation.ts";
import { equipMissingTenants } from "../treasury/equip-tenants.ts";

/** These registries know it themselves. */
const noRegistration = async () => undefined;

/** Tenants' agents, and their wallets' acts in the registries. */
let world: ChainWorld;
beforeAll(async () => {
  world = await openChainWorld();
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const registries = () => requireThere(world.openedChain.chain.agentRegistries);

const readUri = (agentId: bigint) =>
  world.devChain.client.readContract({
    address: registries().contracts.identity,
    abi: identityRegistryAbi,
    functionName: "tokenURI",
    args: [agentId],
  });

const requireAgent = async ({ wallet }: EscrowTenant): Promise<bigint> =>
  requireThere(await registries().findAgent(wallet.address, noRegistration));

/** Acts by a tenant's wallet and returns the outcome. */
const act = (tenant: EscrowTenant, action: RegistryAction) =>
  openEscrowOrders(world).execute(registryEntry.of({ token: "USDC", from: tenant.wallet.address, action }));

describe("agents", () => {
  it("the first one is the operator's", async () => {
    const [relayer] = (await world.openedChain.wallets.list(sandboxChain)).filter(({ kind }) => kind === "relayer");
    expect(await registries().findOwner(1n)).toBe(relayer?.address);
    expect(await registries().findAgent(relayer?.address ?? "0x", noRegistration)).toBe(1n);
    expect(await readUri(1n)).toBe("urn:wayfare:operator");
  });

  it("come with a new tenant, owned by its treasury", async () => {
    const tenant = await world.newTenant();
    const agentId = await requireAgent(tenant);
    expect(agentId).toBeGreaterThan(1n);
    expect(await registries().findOwner(agentId)).toBe(tenant.wallet.address);
    expect(await readUri(agentId)).toBe(`urn:wayfare:tenant:${tenant.tenant.id}`);
    expect(await world.reconcile()).toEqual({ USDC: 0n, EURC: 0n });
  });

  it("come to the tenants of an earlier version, once", async () => {
    const tenant = await world.newTenant();
    const before = await requireAgent(tenant);
    const orders = () => world.rows().then((rows) => rows.filter(({ purpose }) => purpose === "agent_registration"));
    // As an earlier version left it: a wallet without an order for an agent.
    await world.db.deleteFrom("chainTransaction").where("tenantId", "=", tenant.tenant.id).execute();
    const count = (await orders()).length;
    expect(await registerMissingAgents(world.stores)).toBe(1);
    expect(await registerMissingAgents(world.stores)).toBe(0);
    await world.drain();
    expect((await orders()).length).toBe(count + 1);
    // The first one remains the tenant's own.
    expect(await requireAgent(tenant)).toBe(before);
    expect((await orders()).every(({ state }) => state === "confirmed")).toBe(true);
  });

  it("wait for the registries where these are not deployed yet", async () => {
    const contracts = requireThere((await world.openedChain.boundChains.get(sandboxChain))?.contracts);
    const { agentRegistries, ...others } = contracts;
    await world.openedChain.boundChains.setContracts(sandboxChain, others);
    const { tenant } = await world.identity.createTenant({ name: "Early", actor: "test" });
    await equipMissingTenants(world.stores, equipWith(UNIT));
    expect(await registerMissingAgents(world.stores)).toBe(0);
    const purposes = () =>
      world.rows().then((rows) => rows.filter((row) => row.tenantId === tenant.id).map(({ purpose }) => purpose));
    expect(await purposes()).toEqual(["development_money", "development_money"]);
    await world.openedChain.boundChains.setContracts(sandboxChain, {
      ...others,
      agentRegistries: requireThere(agentRegistries),
    });
    expect(await registerMissingAgents(world.stores)).toBe(1);
    expect(await purposes()).toContain("agent_registration");
    await world.drain();
  });

  it("that were never registered have no owner", async () => {
    expect(await registries().findOwner(10n ** 9n)).toBeUndefined();
    expect(await registries().findAgent(address20(), noRegistration)).toBeUndefined();
    expect(await registries().validation(hash32())).toBeUndefined();
  });
});

describe("a tenant's wallet", () => {
  it("rates another tenant's agent, but not its own", async () => {
    const [rater, rated] = [await world.newTenant(), await world.newTenant()];
    const agentId = await requireAgent(rated);
    const feedback = {
      name: "give_feedback",
      agentId,
      stars: 4,
      tag: "zuverlässig",
      feedbackUri: `https://example.com/${"x".repeat(80)}`,
      feedbackHash: hash32(),
    } as const;
    expect(await act(rater, feedback)).toMatchObject({ state: "confirmed" });
    const read = await world.devChain.client.readContract({
      address: registries().contracts.reputation,
      abi: reputationRegistryAbi,
      functionName: "readAllFeedback",
      args: [agentId, [], "", "", false],
    });
    const [clients, , values, decimals, tags] = read;
    expect(clients.map((client) => client.toLowerCase())).toEqual([rater.wallet.address]);
    expect([values, decimals, tags]).toEqual([[4n], [0], ["zuverlässig"]]);
    expect(await act(rated, feedback)).toMatchObject({
      state: "reverted",
      failure: expect.stringMatching(new RegExp(`^OwnAgent\\(${rated.wallet.address}, ${agentId}\\)$`, "i")),
    });
  });

  it("asks for a validation of its agent, and the named validator answers", async () => {
    const [owner, validator] = [await world.newTenant(), await world.newTenant()];
    const agentId = await requireAgent(owner);
    const requestHash = hash32();
    const request = {
      name: "request_validation",
      validator: validator.wallet.address,
      agentId,
      requestHash,
      requestUri: `urn:wayfare:validation:${requestHash}`,
    } as const;
    expect(await act(validator, request)).toMatchObject({
      state: "reverted",
      failure: expect.stringMatching(/^NotAuthorized\(/),
    });
    expect(await act(owner, request)).toMatchObject({ state: "confirmed" });
    const open = { validator: validator.wallet.address, agentId, response: undefined, tag: "" };
    expect(await registries().validation(requestHash)).toEqual(open);
    expect(await act(owner, request)).toMatchObject({ failure: `RequestExists(${requestHash})` });

    const answer = {
      name: "respond_validation",
      requestHash,
      response: 0,
      tag: "safety",
      responseUri: "",
      responseHash: hash32(),
    } as const;
    expect(await act(owner, answer)).toMatchObject({ failure: expect.stringMatching(/^NotValidator\(/) });
    expect(await act(validator, answer)).toMatchObject({ state: "confirmed" });
    // 0 of 100 is an answer, too.
    expect(await registries().validation(requestHash)).toEqual({ ...open, response: 0, tag: "safety" });
  });

  it("signs a call once: after a restore from a backup, the order has no second effect", async () => {
    const [rater, rated] = [await world.newTenant(), await world.newTenant()];
    const agentId = await requireAgent(rated);
    const first = await act(rater, {
      name: "give_feedback",
      agentId,
      stars: 5,
      tag: "once",
      feedbackUri: "",
      feedbackHash: hash32(),
    });
    await openEscrowOrders(world).forget(first.id);
    await world.drain();
    const again = await world.stores.chainTransactions.get(first.id);
    expect(again).toMatchObject({ state: "confirmed", hash: first.hash });
    const lastIndex = await world.devChain.client.readContract({
      address: registries().contracts.reputation,
      abi: reputationRegistryAbi,
      functionName: "getLastIndex",
      args: [agentId, rater.wallet.address],
    });
    expect(lastIndex).toBe(1n);
  });
});
