import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createWalletClient, defineChain, getAddress, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";
import { decodeMessage } from "../../adapters/cctp/message.ts";
import { createVault } from "../../adapters/vault.ts";
import { parseDecimal } from "../../domain/money.ts";
import { readMasterKey } from "../../embedded/master-key.ts";
import { messageTransmitterAbi } from "../../generated/contracts/message-transmitter.ts";
import type { Parts } from "../../kernel/contracts/whole.ts";
import { sandboxCrossChainKeys } from "../../outside/sandbox-keys.ts";
import { TransferAnswer } from "../treasury/index.ts";

/** Faults of the attester between burn and mint. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService(
    {},
    { attesterOptions: ["--faults", "on"], decorate: { messageAttestations: withExpiry, portsFor: withoutTestMoney } },
  );
  // Opens the chain, and starts the attester.
  await bridged("1");
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** The first attestation of a burn of this amount is one that has expired. */
const EXPIRED = "6.00";
const renewed: string[] = [];
const withExpiry = ({ of }: Parts["messageAttestations"]): Parts["messageAttestations"] => ({
  of(environment, network) {
    const service = of(environment, network);
    return (
      service && {
        ...service,
        async find(burn, signal) {
          const found = await service.find(burn, signal);
          const isOld =
            found.state === "attested" &&
            decodeMessage(found.message).burn.amount === parseDecimal(EXPIRED) &&
            !renewed.includes(found.nonce);
          return isOld ? { ...found, expirationBlock: 1n } : found;
        },
        async attestAnew(nonce) {
          renewed.push(nonce);
          return await service.attestAnew(nonce);
        },
      }
    );
  },
});

let givesTestMoney = true;
/** As on a live chain, whose wallets get nothing. */
const withoutTestMoney =
  (portsFor: Parts["portsFor"]): Parts["portsFor"] =>
  (environment) => {
    const ports = portsFor(environment);
    if (ports === undefined) return undefined;
    const { usableChains } = ports;
    const testMoneyAt = (name: string) => (givesTestMoney ? usableChains.testMoneyAt(name) : undefined);
    return { ...ports, usableChains: { ...usableChains, testMoneyAt } };
  };

const bridged = async (amount: string) =>
  TransferAnswer.parse(requireResult(await service.call("bridge_to_arc", { fromChain: "Base_Sepolia", amount })));

const Quickstart = z.object({ chain: z.object({ rpcUrl: z.string(), chainId: z.number() }) });
const readHub = () => Quickstart.parse(JSON.parse(readFileSync(service.quickstartFile, "utf8"))).chain;

/** Pauses deliveries on the hub, as the operator of its contracts. */
async function pauseBridge() {
  const facts = readHub();
  const [row] = await service.sql(
    "select contracts->'crossChain'->'bridge'->>'transmitter' as address from chain_network where chain_id = $1",
    [facts.chainId],
  );
  const address = getAddress(String(row?.address));
  const { masterKeyFile } = service.config;
  const vault = createVault(readMasterKey({ masterKeyFile, dataDir: service.dataDir, production: false }));
  const account = privateKeyToAccount(sandboxCrossChainKeys(vault).deployer);
  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
  const chain = defineChain({
    id: facts.chainId,
    name: "hub",
    nativeCurrency,
    rpcUrls: { default: { http: [facts.rpcUrl] } },
  });
  const client = createWalletClient({ account, chain, transport: http(), pollingInterval: 20 }).extend(publicActions);
  async function send(functionName: "pause" | "unpause"): Promise<void> {
    const hash = await client.writeContract({ address, abi: messageTransmitterAbi, functionName });
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe("success");
  }
  await send("pause");
  return {
    end: () => send("unpause"),
    /** Delivers a message as anybody can. */
    async deliver(message: string, attestation: string): Promise<void> {
      const args = [z.hex().parse(message), z.hex().parse(attestation)] as const;
      const hash = await client.writeContract({
        address,
        abi: messageTransmitterAbi,
        functionName: "receiveMessage",
        args: [`0x${args[0]}`, `0x${args[1]}`],
      });
      expect((await client.waitForTransactionReceipt({ hash })).status).toBe("success");
    },
  };
}

async function readInFlight(): Promise<unknown> {
  const rows = await service.sql(
    "select balance_micro::text as amount from ledger_account where tenant_id = $1 and kind = 'in_flight'",
    [service.tenantId],
  );
  return rows.map(({ amount }) => amount);
}

const GAS_OF_A_MINT = 400_000;

async function readGas(hash: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionByHash", params: [hash] });
  const answer = await fetch(readHub().rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const { result } = z.object({ result: z.object({ gas: z.string() }) }).parse(await answer.json());
  return Number(result.gas);
}

const PartsFile = z.object({ parts: z.array(z.object({ name: z.string(), url: z.string().optional() }).loose()) });

/** Arms a fault of the attester. */
async function arm(fault: string, times: number, delayMs = 0): Promise<void> {
  const { parts } = PartsFile.parse(JSON.parse(readFileSync(join(service.dataDir, "parts.json"), "utf8")));
  const url = parts.find(({ name }) => name === "attester")?.url;
  const body = JSON.stringify({ match: { path: "/v2/messages", method: "GET" }, fault, times, delayMs });
  const answer = await fetch(`${url}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(answer.status).toBe(201);
}

describe("an attester that is", () => {
  test.each(["away", "reset", "altered", "contradicting", "late", "rate_limited", "slow"])(
    "%s delays the money, and loses none",
    async (fault) => {
      await arm(fault, 2, 500);
      const { status, amountReceived } = await bridged("1");
      expect({ status, amountReceived }).toEqual({ status: "completed", amountReceived: "1.00" });
      expect(await readInFlight()).toEqual(["0"]);
    },
  );
});

test("a mint that the destination refuses waits in flight, and is made when it no longer does", async () => {
  const pausing = await pauseBridge();
  const answering = service.call("bridge_to_arc", { fromChain: "Base_Sepolia", amount: "2" });
  await expect
    .poll(async () => requireResult(await service.call("check_treasury", {})).inFlight, { timeout: 20_000 })
    .toMatchObject([{ amountSent: "2.00", waiting: expect.stringContaining("paused") }]);
  expect(await readInFlight()).toEqual(["2000000"]);
  await pausing.end();
  const answer = TransferAnswer.parse(requireResult(await answering));
  expect(answer).toMatchObject({ status: "completed", amountReceived: "2.00" });
  expect(await readInFlight()).toEqual(["0"]);
  // It may have failed for want of gas: each further one has more.
  const mints = answer.txHashes.filter(({ step }) => step === "mint");
  const gas = await Promise.all(mints.map(({ txHash }) => readGas(String(txHash))));
  expect(gas.length).toBeGreaterThan(1);
  expect(gas.map((one, index) => one >= GAS_OF_A_MINT * (index + 1))).toEqual(gas.map(() => true));
});

test("an attestation that has expired is asked for anew, and the money is burned once", async () => {
  const answer = await bridged(EXPIRED);
  expect(answer).toMatchObject({ status: "completed", amountReceived: EXPIRED });
  expect(answer.txHashes.map(({ step }) => step)).toEqual(["burn", "mint"]);
  expect(renewed).toHaveLength(1);
  expect(await readInFlight()).toEqual(["0"]);
});

test("a message that somebody else delivers completes the transfer, and mints once", async () => {
  const pausing = await pauseBridge();
  const answering = service.call("bridge_to_arc", { fromChain: "Base_Sepolia", amount: "3" });
  const readMessage = async () => {
    const [row] = await service.sql(
      `select detail->'bridge'->>'message' as message, detail->'bridge'->>'attestation' as attestation
       from cross_chain_transfer where tenant_id = $1 and amount_micro = 3000000 and waiting is not null`,
      [service.tenantId],
    );
    return row;
  };
  await expect.poll(readMessage, { timeout: 20_000, interval: 20 }).toBeDefined();
  const attested = await readMessage();
  await pausing.end();
  await pausing.deliver(String(attested?.message).slice(2), String(attested?.attestation).slice(2));
  expect(requireResult(await answering)).toMatchObject({ status: "completed", amountReceived: "3.00" });
  const [minted] = await service.sql(
    `select count(*)::int as times from ledger_transaction as posting join ledger_entry as entry on entry.transaction_id = posting.id
     join ledger_account as account on account.id = entry.account_id
     where account.tenant_id = $1 and account.kind = 'prefunded' and entry.amount_micro = 3000000 and posting.kind = 'movement'`,
    [service.tenantId],
  );
  expect(minted).toEqual({ times: 1 });
  expect(await readInFlight()).toEqual(["0"]);
});

test("a wallet that is not there yet on a live chain has nothing, also in a preview", async () => {
  const { as } = await newFundedTenant(service, "Never there");
  const preview = async (tool: string) =>
    requireResult(await service.call("preview_call", { tool, args: { fromChain: "Base_Sepolia", amount: "5" } }, as));
  const tools = ["bridge_to_arc", "swap_and_bridge"];
  // On a development chain it gets test money at its first use.
  for (const tool of tools) expect(await preview(tool)).toMatchObject({ accepted: true });
  givesTestMoney = false;
  try {
    for (const tool of tools)
      expect(await preview(tool)).toMatchObject({
        accepted: false,
        problem: { code: "insufficient_balance", availableUsdc: "0.00", missingUsdc: "5.00" },
      });
  } finally {
    givesTestMoney = true;
  }
});
