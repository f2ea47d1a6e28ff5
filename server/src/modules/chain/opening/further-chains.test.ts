import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createWalletClient, encodeFunctionData, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { avalancheFuji } from "viem/chains";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { partPrograms } from "../../../../test/support/programs.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { newFundedTenant, requireResult, UNIT } from "../../../../test/support/treasury.ts";
import { startApp } from "../../../compose.ts";
import { furtherChainUrl } from "../../../embedded/devnet-part.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import type { Parts } from "../../../kernel/contracts/whole.ts";
import { mint } from "../development/mint-operation.ts";

/** The chains by name of a sandbox, which start when they are first used. */

const TEST_MONEY = 10_000n * UNIT;
const PATIENCE = { timeout: 120_000, interval: 100 };
/** A short life, so that a test sees it end. */
const devnetOptions = ["--most-chains", "1", "--idle-after-seconds", "0", "--park-after-seconds", "1"];
const NAME = "Base_Sepolia";
const key = { environment: "sandbox", chain: "eip155:84532" } as const;

const kept: { [Name in "portsFor" | "stores" | "chainOpener" | "messageAttestations"]?: Parts[Name] } = {};
let service: TestService;
let tenantId: string;
let as: Awaited<ReturnType<typeof newFundedTenant>>["as"];

const keep =
  <Name extends keyof typeof kept>(name: Name) =>
  (part: Parts[Name]): Parts[Name] => {
    Object.assign(kept, { [name]: part });
    return part;
  };

beforeAll(async () => {
  service = await startTestService(
    {},
    {
      devnetOptions,
      decorate: {
        portsFor: keep("portsFor"),
        stores: keep("stores"),
        chainOpener: keep("chainOpener"),
        messageAttestations: keep("messageAttestations"),
      },
    },
  );
  ({ tenantId, as } = await newFundedTenant(service, "Further chains"));
});
afterAll(() => service?.[Symbol.asyncDispose]());

function requirePart<Name extends keyof typeof kept>(name: Name): NonNullable<(typeof kept)[Name]> {
  const part = kept[name];
  if (part === undefined) throw new Error(`there is no ${name}`);
  return part;
}

const payer = () => privateKeyToAccount(readQuickstart().payer.privateKey);

function usable() {
  const ports = requirePart("portsFor")("sandbox");
  if (ports === undefined) throw new Error("the sandbox is switched off");
  return ports.usableChains;
}

const Listed = z.object({ chains: z.array(z.object({ name: z.string(), state: z.string() })) });
const Hex = z.templateLiteral(["0x", z.string()]);
const Quickstart = z.object({ chain: z.object({ rpcUrl: z.string() }), payer: z.object({ privateKey: Hex }) });
const readQuickstart = () =>
  Quickstart.parse(JSON.parse(readFileSync(join(service.dataDir, "quickstart.json"), "utf8")));

async function listRunning(): Promise<readonly string[]> {
  const { chain } = readQuickstart();
  const { chains } = Listed.parse(await (await fetch(`${chain.rpcUrl}/chains`)).json());
  return chains.filter(({ state }) => state === "running").map(({ name }) => name);
}

it("starts at its first use, once for sixteen callers, with contracts and money", async () => {
  expect(await listRunning()).toEqual([]);
  const opened = await Promise.all(Array.from({ length: 16 }, () => usable().open(NAME, tenantId)));
  expect(await listRunning()).toEqual([NAME]);
  const [one] = opened;
  if (one === undefined) throw new Error("none was opened");
  expect(one).toMatchObject({ name: NAME, chainId: 84_532, domain: 6, network: "testnet", isEmulated: true });
  expect(new Set(opened.map(({ chain }) => chain)).size).toBe(1);
  const wallet = await requirePart("stores").wallets.findTreasury(key, tenantId);
  const { number } = await one.chain.head();
  for (const token of ["USDC", "EURC"] as const) {
    expect(await one.chain.balances(token, [wallet?.address ?? "0x"], number)).toEqual([TEST_MONEY]);
    const { available } = await requirePart("stores").ledger.balance({ ...key, tenantId, token });
    expect(available).toBe(TEST_MONEY);
  }
});

it("has one attester with the first one, which starts when it is first asked", async () => {
  const named = (): unknown => JSON.parse(readFileSync(join(service.dataDir, "parts.json"), "utf8"));
  const attester = { parts: expect.arrayContaining([expect.objectContaining({ name: "attester", ready: true })]) };
  expect(named()).not.toMatchObject(attester);
  for (const network of ["testnet", "mainnet"] as const) {
    const attestations = requirePart("messageAttestations").of("sandbox", network);
    expect(await attestations?.readFees(6, 26)).toEqual({ fast: 100n, standard: 0n });
  }
  expect(named()).toMatchObject(attester);
});

it("is parked when nobody uses it, and nothing that watches it wakes it", async () => {
  await vi.waitFor(async () => expect(await listRunning()).toEqual([]), PATIENCE);
  expect(requirePart("chainOpener").listUsed()).toEqual([key]);
  for (let looks = 0; looks < 6; looks += 1) {
    await requirePart("chainOpener").readUsed();
    await delay(500);
    expect(await listRunning()).toEqual([]);
  }
});

it("makes room for another one, unless something is in flight on it", async () => {
  const other = "Ethereum_Sepolia";
  await usable().open(NAME);
  await usable().hold(NAME, Temporal.Now.instant().add({ seconds: 4 }));
  await expect(usable().open(other)).rejects.toMatchObject({
    code: "chain_not_available",
    retryAfterSeconds: expect.any(Number),
    detail: expect.stringContaining(`The chain ${other} has no room to run: as many development chains as can run`),
  });
  expect(await listRunning()).toEqual([NAME]);
  await vi.waitFor(async () => expect(await usable().open(other)).toMatchObject({ domain: 0 }), PATIENCE);
  expect(await listRunning()).toEqual([other]);
});

it("gives a tenant its money once, also if the first call was cut off", async () => {
  const { tenantId: second } = await newFundedTenant(service, "Cut off");
  const stores = requirePart("stores");
  const { address } = await stores.wallets.ensure(key, "treasury", second);
  await stores.chainTransactions.enqueue({
    ...key,
    idempotencyKey: `development-money:${second}:USDC`,
    tenantId: second,
    callId: null,
    purpose: "development_money",
    operation: mint.of({ token: "USDC", to: address, amount: TEST_MONEY }),
    result: undefined,
  });
  const opened = await vi.waitFor(
    () => Promise.all(Array.from({ length: 16 }, () => usable().open(NAME, second))),
    PATIENCE,
  );
  const chain = opened[0]?.chain;
  const { number } = (await chain?.head()) ?? { number: 0n };
  for (const token of ["USDC", "EURC"] as const)
    expect(await chain?.balances(token, [address], number)).toEqual([TEST_MONEY]);
});

it("is shown by the tools of the treasury", async () => {
  const amounts = { USDC: "10000.00", EURC: "10000.00" };
  const treasury = await service.call("check_treasury", {}, as);
  expect(treasury.body).toMatchObject({ result: { otherChains: [{ chain: "Base_Sepolia", available: amounts }] } });
  const account = await service.call("read_account", {}, as);
  expect(account.body).toMatchObject({
    result: {
      wallet: { otherChains: [NAME], chainNames: expect.arrayContaining(["Arc_Testnet", NAME, "Base"]) },
    },
  });
  const movements = await service.call("list_movements", {}, as);
  expect(JSON.stringify(movements.body)).toContain(`"chain":"${NAME}"`);
});

it("is refused by a name that the service does not have, with the reason", async () => {
  const refuse = (name: string) => usable().open(name, tenantId);
  const refusal = { code: "chain_not_available", retryAfterSeconds: undefined };
  await expect(refuse("Solana")).rejects.toMatchObject({
    ...refusal,
    detail: expect.stringContaining("EVM chains only"),
  });
  await expect(refuse("eip155:31337")).rejects.toMatchObject(refusal);
});

it("gives test money at its faucet, to whoever is named", async () => {
  const { address } = payer();
  const drip = () => service.call("faucet_drip", { address, blockchain: "AVAX-FUJI", token: "EURC" });
  // The chain before it may be read, or held for what has just been sent.
  const given = await vi.waitFor(async () => requireResult(await drip()), PATIENCE);
  expect(given).toMatchObject({ chainId: 43_113, blockchain: "AVAX-FUJI", status: "confirmed" });
  const { chain } = await usable().open("Avalanche_Fuji");
  const { number } = await chain.head();
  expect(await chain.balances("EURC", [address], number)).toEqual([20n * UNIT]);
  expect((await drip()).body.code).toBe("faucet_cooldown");
  // The hub has given nothing, and would.
  const atHub = await service.call("faucet_drip", { address, token: "EURC" });
  expect(requireResult(atHub)).toMatchObject({ chainId: 5_042_002, blockchain: "ARC-TESTNET" });
});

/** A process of its own over the same database and chains, in which no chain is in use. */
const startAgain = () => {
  const decorate = { stores: keep("stores"), chainOpener: keep("chainOpener") };
  return startApp(service.config, { ...partPrograms(), devnetOptions, decorate });
};

it("is opened for what a stranger sends while nobody uses it, and parked again", async () => {
  const fuji = { environment: "sandbox", chain: "eip155:43113" } as const;
  const { chain } = await vi.waitFor(() => usable().open("Avalanche_Fuji", tenantId), PATIENCE);
  const { address: to } = await requirePart("stores").wallets.ensure(fuji, "treasury", tenantId);
  await service.app.stop();
  const app = await startAgain();
  try {
    const rpc = http(furtherChainUrl(readQuickstart().chain.rpcUrl, "Avalanche_Fuji"));
    const sending = createWalletClient({ account: payer(), chain: avalancheFuji, transport: rpc });
    const { EURC } = chain.tokens;
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "transfer", args: [to, UNIT] });
    await sending.sendTransaction({ to: EURC?.address ?? to, data });
    const opener = requirePart("chainOpener");
    const purse = { ...fuji, tenantId, token: "EURC" } as const;
    await vi.waitFor(async () => {
      await opener.openUnread();
      expect(await requirePart("stores").ledger.balance(purse)).toMatchObject({ available: TEST_MONEY + UNIT });
    }, PATIENCE);
    expect(opener.listUsed()).toContainEqual(fuji);
    await vi.waitFor(async () => expect(await listRunning()).toEqual([]), PATIENCE);
  } finally {
    await app.stop();
  }
});

it("is opened again after a restart for transactions that have not ended, and held until they have", async () => {
  await service.app.stop();
  const operation = mint.of({ token: "USDC", to: `0x${"7".repeat(40)}`, amount: UNIT });
  await service.sql(
    `insert into chain_transaction (id, network, chain, idempotency_key, tenant_id, purpose, chain_order, state, step, created_at, updated_at)
      values ($1, 'sandbox', $2, 'left over', null, 'test', $3, 'queued', 'carry_out', now(), now())`,
    [`ctx_${"7".repeat(26)}`, key.chain, JSON.stringify(operation)],
  );
  const app = await startAgain();
  try {
    const read = () => service.sql("select state from chain_transaction where idempotency_key = 'left over'");
    await vi.waitFor(async () => expect(await read()).toEqual([{ state: "confirmed" }]), PATIENCE);
    expect(requirePart("chainOpener").listUsed()).toEqual([key]);
  } finally {
    await app.stop();
  }
});
