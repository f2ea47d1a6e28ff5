import { encodeFunctionData, parseEventLogs, parseTransaction } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { deployRegistries } from "../../../test/support/deployed-registries.ts";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "../../../test/support/live-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";
import { identityRegistryAbi } from "../../generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../generated/contracts/reputation-registry.ts";
import { validationRegistryAbi } from "../../generated/contracts/validation-registry.ts";

/** Production keys on a live chain whose registries know no forwarder: wallets write to them by the code that they take. */
vi.setConfig({ testTimeout: 240_000 });
const ALONE = { EMBEDDED_SANDBOX: "off", SETTLE_USAGE_SECONDS: "86400" };
const PATIENCE = { timeout: 120_000, interval: 200 };
const Hash = z.templateLiteral(["0x", z.string()]);
const Written = z.looseObject({ txHash: Hash });

let chain: LiveChain;
let registries: Awaited<ReturnType<typeof deployRegistries>>;
let deployment: LiveDeployment;
let service: LiveService;
let rater: Side;
let rated: Side;

interface Side {
  as: { key: string; tenantId: string };
  wallet: Hex;
  agentId: string;
}

beforeAll(async () => {
  chain = await startLiveChain();
  registries = await deployRegistries(chain);
  deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
  service = await deployment.start({ ...ALONE, ...registries });
  [rater, rated] = [await openSide("Rater"), await openSide("Rated")];
});
afterAll(async () => {
  await service?.stop();
  await deployment?.[Symbol.asyncDispose]();
  await chain?.close();
});

async function openSide(name: string): Promise<Side> {
  const as = await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name, actor: "test" });
    const scopes = ["reputation:read", "reputation:write", "treasury:read", "treasury:spend", "escrow:spend"];
    const live = { tenantId: tenant.id, name: "live", environment: "production", scopes, actor: "test" } as const;
    return { key: (await identity.mintKey(live)).apiKey, tenantId: tenant.id };
  });
  const agentId = await vi.waitFor(async () => {
    const answer = await service.call("read_reputation", { recentLimit: 0 }, as);
    return z.object({ agentId: z.string() }).parse(requireResult(answer)).agentId;
  }, PATIENCE);
  const { address } = requireResult(await service.call("check_treasury", {}, as));
  return { as, wallet: Hash.parse(address), agentId };
}

const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];
const rate = (change: object = {}, by: Side = rater) =>
  service.call(
    "give_feedback",
    { subjectAgentId: rated.agentId, stars: 4, tag: "fair", fromKind: "org", ...change },
    by.as,
  );
const readType = async (hash: Hex) => (await chain.client.getTransaction({ hash })).type;

describe("agents", () => {
  it("are registered for the wallets that production keys have, numbers from 0, with a file that anyone can read", async () => {
    expect([rater.agentId, rated.agentId]).toEqual(["0", "1"]);
    const identity = { address: registries.CHAIN_AGENT_IDENTITY, abi: identityRegistryAbi } as const;
    const owner = await chain.client.readContract({ ...identity, functionName: "ownerOf", args: [0n] });
    expect(owner.toLowerCase()).toBe(rater.wallet);
    const file = await chain.client.readContract({ ...identity, functionName: "tokenURI", args: [0n] });
    expect(await (await fetch(file)).json()).toMatchObject({ type: expect.stringContaining("eip-8004") });
  });

  it("are named by a trip's agentTokenId", async () => {
    const prefund = (agentTokenId: string) => service.call("prefund_trip", { budgetUsdc: "1", agentTokenId }, rater.as);
    expect(outcome(await prefund("999"))).toEqual([500, "agent_not_found"]);
    // It is there; an escrow is not.
    expect(outcome(await prefund("0"))).toEqual([500, "chain_not_available"]);
  });
});

describe("ratings", () => {
  it("are given by the wallet itself, once it has its code", async () => {
    const { txHash } = Written.parse(requireResult(await rate()));
    const { logs } = await chain.client.getTransactionReceipt({ hash: txHash });
    const [event] = parseEventLogs({ abi: reputationRegistryAbi, eventName: "NewFeedback", logs });
    expect(event?.args).toMatchObject({ agentId: 1n, value: 4n, tag1: "fair" });
    expect(event?.args.clientAddress.toLowerCase()).toBe(rater.wallet);
    // The registration gave the wallet its code; later transactions are plain ones.
    expect(await readType(txHash)).toBe("eip1559");
    const code = await chain.client.getCode({ address: rater.wallet });
    expect(code).toBe(`0xef0100${registries.CHAIN_WALLET_CALLS.slice(2)}`);
    const [first] = await deployment.sql("select raw from chain_transaction where purpose = 'agent_registration'");
    expect(parseTransaction(Hash.parse(first?.raw)).type).toBe("eip7702");
  });

  it("are read as before: one for each subject, none of an own agent", async () => {
    expect(outcome(await rate({ stars: 1 }))).toEqual([500, "already_rated"]);
    expect(outcome(await rate({}, rated))).toEqual([500, "own_agent"]);
    const read = requireResult(await service.call("read_reputation", { agentId: rated.agentId }, rater.as));
    expect(read).toMatchObject({ agentId: "1", average: "4.00", count: 1 });
  });
});

describe("validations", () => {
  const request = async (validator: Hex) =>
    Written.extend({ requestHash: Hash }).parse(
      requireResult(
        await service.call(
          "request_validation",
          { subjectAgentId: rated.agentId, validatorAddress: validator, tag: "plan", ownerWalletAddress: rated.wallet },
          rated.as,
        ),
      ),
    );
  const read = async (requestHash: Hex) =>
    requireResult(await service.call("read_validation", { requestHash }, rater.as));

  it("are asked for and answered, also with zero", async () => {
    const { requestHash } = await request(rater.wallet);
    expect(await read(requestHash)).toMatchObject({ state: "requested", agentId: "1", response: null });
    const answer = { requestHash, response: 0, tag: "plan", validatorWalletAddress: rater.wallet };
    requireResult(await service.call("submit_validation_response", answer, rater.as));
    expect(await read(requestHash)).toMatchObject({ state: "answered", response: 0, validatorAddress: rater.wallet });
  });

  it("are read as answered also where the registry does not tell: zero, without a tag, by someone else", async () => {
    const outsiderKey = generatePrivateKey();
    const outsider = privateKeyToAccount(outsiderKey);
    await chain.sendAs(chain.funderKey, { to: outsider.address, value: 10n ** 18n });
    const { requestHash } = await request(outsider.address);
    expect(await read(requestHash)).toMatchObject({ state: "requested", response: null });
    await chain.ask("evm_increaseTime", [60]);
    const args = [requestHash, 0, "", `0x${"0".repeat(64)}`, ""] as const;
    const data = encodeFunctionData({ abi: validationRegistryAbi, functionName: "validationResponse", args });
    await chain.sendAs(outsiderKey, { to: registries.CHAIN_AGENT_VALIDATION, data });
    expect(await read(requestHash)).toMatchObject({ state: "answered", response: 0, isOwnersOwn: false });
  });

  it("are unknown where there is none", async () => {
    const answer = await service.call("read_validation", { requestHash: `0x${"5".repeat(64)}` }, rater.as);
    expect(outcome(answer)).toEqual([500, "validation_not_found"]);
  });
});

it("a wallet with the code takes and sends money as before", async () => {
  await chain.deposit(rater.wallet, 2_000_000n);
  const send = () => service.call("send_tokens", { to: rated.wallet, amount: "1.5", token: "USDC" }, rater.as);
  await vi.waitFor(async () => expect(requireResult(await send())).toMatchObject({ status: "confirmed" }), PATIENCE);
  expect(await chain.readBalance(rated.wallet)).toBe(1_500_000n);
});

describe("a start", () => {
  const refuse = (change: object) => deployment.refuse({ ...ALONE, ...registries, ...change });

  it.each([
    ["CHAIN_AGENT_IDENTITY", "USDC", /not a registry of agents: check CHAIN_AGENT_IDENTITY/],
    ["CHAIN_AGENT_REPUTATION", "USDC", /does not belong to the registry of agents .*: check CHAIN_AGENT_REPUTATION/],
    ["CHAIN_AGENT_VALIDATION", "USDC", /does not belong to the registry of agents .*: check CHAIN_AGENT_VALIDATION/],
    ["CHAIN_WALLET_CALLS", "USDC", /not this release's WalletCalls, .*: check CHAIN_WALLET_CALLS/],
  ] as const)("refuses another contract as %s", async (name, token, why) => {
    expect(await refuse({ [name]: chain.tokens[token] })).toMatch(why);
  });

  it("refuses registries of another registry of agents", async () => {
    const others = await deployRegistries(chain);
    expect(await refuse({ CHAIN_AGENT_IDENTITY: others.CHAIN_AGENT_IDENTITY })).toMatch(/does not belong to/);
  });

  it("needs the registries and the wallets' code together", async () => {
    await expect(() =>
      deployment.refuse({ ...ALONE, CHAIN_AGENT_VALIDATION: registries.CHAIN_AGENT_VALIDATION }),
    ).rejects.toThrow(/CHAIN_AGENT_IDENTITY, CHAIN_AGENT_REPUTATION, CHAIN_WALLET_CALLS must be set together/);
  });

  it("without a registry of validations serves ratings, and names the tools that are not served", async () => {
    await service.stop();
    service = await deployment.start({ ...ALONE, ...registries, CHAIN_AGENT_VALIDATION: "" });
    expect(service.app.facts.filter(({ label }) => label === "not served").map(({ text }) => text)).toContain(
      "request_validation, submit_validation_response, read_validation: chain_not_available until CHAIN_AGENT_VALIDATION is set",
    );
    requireResult(await rate({ tag: "again" }));
    const answer = await service.call("read_validation", { requestHash: `0x${"5".repeat(64)}` }, rater.as);
    expect(outcome(answer)).toEqual([500, "chain_not_available"]);
  });
});
