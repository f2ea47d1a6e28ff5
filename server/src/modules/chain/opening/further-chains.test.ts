import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { newFundedTenant, requireResult, stranger, UNIT } from "../../../../test/support/treasury.ts";
import type { Parts } from "../../../kernel/contracts/whole.ts";

/** The chains by name of a sandbox, which start when they are first used. */

const TEST_MONEY = 10_000n * UNIT;
const NAME = "Base_Sepolia";
const key = { environment: "sandbox", chain: "eip155:84532" } as const;

const kept: { [Name in "portsFor" | "stores" | "chainOpener" | "messageAttestations"]?: Parts[Name] } = {};
let service: TestService;
let tenantId: string;

beforeAll(async () => {
  const keep =
    <Name extends keyof typeof kept>(name: Name) =>
    (part: Parts[Name]): Parts[Name] => {
      Object.assign(kept, { [name]: part });
      return part;
    };
  service = await startTestService(
    {},
    {
      decorate: {
        portsFor: keep("portsFor"),
        stores: keep("stores"),
        chainOpener: keep("chainOpener"),
        messageAttestations: keep("messageAttestations"),
      },
    },
  );
  ({ tenantId } = await newFundedTenant(service, "Further chains"));
});
afterAll(() => service?.[Symbol.asyncDispose]());

function requirePart<Name extends keyof typeof kept>(name: Name): NonNullable<(typeof kept)[Name]> {
  const part = kept[name];
  if (part === undefined) throw new Error(`there is no ${name}`);
  return part;
}

function usable() {
  const ports = requirePart("portsFor")("sandbox");
  if (ports === undefined) throw new Error("the sandbox is switched off");
  return ports.usableChains;
}

const Listed = z.object({ chains: z.array(z.object({ name: z.string(), state: z.string() })) });
async function listRunning(): Promise<readonly string[]> {
  const { chain } = z
    .object({ chain: z.object({ rpcUrl: z.string() }) })
    .parse(JSON.parse(readFileSync(join(service.dataDir, "quickstart.json"), "utf8")));
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

it("is refused by a name that the service does not have, with the reason", async () => {
  const refuse = (name: string) => usable().open(name, tenantId);
  const refusal = { code: "chain_not_available", retryAfterSeconds: undefined };
  await expect(refuse("Solana")).rejects.toMatchObject({
    ...refusal,
    detail: expect.stringContaining("EVM chains only"),
  });
  await expect(refuse("eip155:31337")).rejects.toMatchObject(refusal);
  expect(await listRunning()).toEqual([NAME]);
});

it("gives test money at its faucet, to whoever is named", async () => {
  const address = stranger();
  const drip = () => service.call("faucet_drip", { address, blockchain: "AVAX-FUJI", token: "EURC" });
  expect(requireResult(await drip())).toMatchObject({ chainId: 43_113, blockchain: "AVAX-FUJI", status: "confirmed" });
  const { chain } = await usable().open("Avalanche_Fuji");
  const { number } = await chain.head();
  expect(await chain.balances("EURC", [address], number)).toEqual([20n * UNIT]);
  expect((await drip()).body.code).toBe("faucet_cooldown");
  // The hub has given nothing, and would.
  const atHub = await service.call("faucet_drip", { address, token: "EURC" });
  expect(requireResult(atHub)).toMatchObject({ chainId: 5_042_002, blockchain: "ARC-TESTNET" });
});
