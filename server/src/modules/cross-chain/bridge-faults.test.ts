import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createWalletClient, defineChain, getAddress, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { createVault } from "../../adapters/vault.ts";
import { readMasterKey } from "../../embedded/master-key.ts";
import { messageTransmitterAbi } from "../../generated/contracts/message-transmitter.ts";
import { sandboxCrossChainKeys } from "../../outside/sandbox-keys.ts";
import { TransferAnswer } from "../treasury/index.ts";

/** Faults of the attester between burn and mint. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { attesterOptions: ["--faults", "on"] });
  // Opens the chain, and starts the attester.
  await bridged("1");
});
afterAll(() => service?.[Symbol.asyncDispose]());

const bridged = async (amount: string) =>
  TransferAnswer.parse(requireResult(await service.call("bridge_to_arc", { fromChain: "Base_Sepolia", amount })));

/** Pauses deliveries on the hub, as the operator of its contracts. */
async function pauseBridge() {
  const { chain: facts } = z
    .object({ chain: z.object({ rpcUrl: z.string(), chainId: z.number() }) })
    .parse(JSON.parse(readFileSync(service.quickstartFile, "utf8")));
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
  return { end: () => send("unpause") };
}

async function readInFlight(): Promise<unknown> {
  const rows = await service.sql(
    "select balance_micro::text as amount from ledger_account where tenant_id = $1 and kind = 'in_flight'",
    [service.tenantId],
  );
  return rows.map(({ amount }) => amount);
}

const Parts = z.object({ parts: z.array(z.object({ name: z.string(), url: z.string().optional() }).loose()) });

/** Arms a fault of the attester. */
async function arm(fault: string, times: number, delayMs = 0): Promise<void> {
  const { parts } = Parts.parse(JSON.parse(readFileSync(join(service.dataDir, "parts.json"), "utf8")));
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
  test.each(["away", "reset", "altered", "contradicting", "late"])(
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
  expect(requireResult(await answering)).toMatchObject({ status: "completed", amountReceived: "2.00" });
  expect(await readInFlight()).toEqual(["0"]);
});
