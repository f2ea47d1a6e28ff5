import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { createPublicClient, erc20Abi, http } from "viem";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { programAt } from "../../../../test/support/programs.ts";
import { dropSandboxDatabase } from "../../../../test/support/service.ts";
import { createTestDatabase } from "../../../../test/support/test-database.ts";
import { UNIT } from "../../../../test/support/treasury.ts";
import { furtherChainUrl } from "../../../embedded/devnet-part.ts";

/** The service itself is killed while it uses a development chain for the first time. */
vi.setConfig({ testTimeout: 600_000 });
const PATIENCE = { timeout: 240_000, interval: 250 };
const TEST_MONEY = 10_000n * UNIT;

const dataDir = mkdtempSync(join(tmpdir(), "wayfare-killed-"));
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let child: ChildProcess | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await end("SIGTERM");
  await dropSandboxDatabase(database.url);
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const ending = child;
  if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
  const ended = new Promise((done) => ending.once("close", done));
  ending.kill(signal);
  await ended;
}

async function start(): Promise<void> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir, DATABASE_URL: database.url, PORT: "0", EDGE_PORT: "0" };
  const started = spawn(process.execPath, [programAt("server/src/main.ts")], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  child = started;
  let output = "";
  await new Promise<void>((done, fail) => {
    started.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (/first call .*\n/.test(output)) done();
    });
    started.once("close", (code) => fail(new Error(`It ended with ${code}: ${output}`)));
  });
}

const Hex = z.templateLiteral(["0x", z.string()]);
const Quickstart = z.object({ appUrl: z.string(), apiKey: z.string(), chain: z.object({ rpcUrl: z.string() }) });
const readQuickstart = () => Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));

async function call(tool: string, args: object, key: string): Promise<unknown> {
  const { appUrl, apiKey } = readQuickstart();
  const answer = await fetch(`${appUrl}/api/agent/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ tool, args }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return z.object({ result: z.unknown() }).parse(JSON.parse(text)).result;
}

const Bound = z.object({
  contracts: z.object({ tokens: z.object({ USDC: Hex, EURC: Hex }) }),
  stopped_because: z.null(),
});

async function readBound(chain: string): Promise<unknown> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query("select * from chain_network where chain = $1", [chain]);
    return rows[0];
  } finally {
    await client.end();
  }
}

const Amounts = z.object({ USDC: z.string(), EURC: z.string() });
const Treasury = z.object({
  otherChains: z.array(z.object({ chain: z.string(), address: Hex, available: Amounts, outgoing: Amounts })),
});

it("opens it after the next start, with its contracts and its money once", async () => {
  await start();
  const chains = [
    { name: "Base_Sepolia", chain: "eip155:84532", killAfter: 300 },
    { name: "Avalanche_Fuji", chain: "eip155:43113", killAfter: 800 },
    { name: "Ethereum_Sepolia", chain: "eip155:11155111", killAfter: 1_500 },
  ];
  for (const { name, chain, killAfter } of chains) {
    const key = randomUUID();
    const use = () => call("gateway_deposit", { chain: name, amount: "1" }, key);
    const first = use().catch(() => undefined);
    // From the start of its node to the deposit.
    await delay(killAfter);
    await end("SIGKILL");
    await first;
    await start();
    await vi.waitFor(use, PATIENCE);
    const readWallet = async () => {
      const { otherChains } = Treasury.parse(await call("check_treasury", {}, randomUUID()));
      return otherChains.find((one) => one.chain === name);
    };
    await vi.waitFor(
      async () =>
        expect(await readWallet()).toMatchObject({
          available: { USDC: "9999.00", EURC: "10000.00" },
          outgoing: { USDC: "0.00", EURC: "0.00" },
        }),
      PATIENCE,
    );
    const { contracts } = Bound.parse(await readBound(chain));
    const { tokens } = contracts;
    const client = createPublicClient({ transport: http(furtherChainUrl(readQuickstart().chain.rpcUrl, name)) });
    const args = [(await readWallet())?.address ?? "0x"] as const;
    const readBalance = (address: z.infer<typeof Hex>) =>
      client.readContract({ address, abi: erc20Abi, functionName: "balanceOf", args });
    expect(await readBalance(tokens.USDC)).toBe(TEST_MONEY - UNIT);
    expect(await readBalance(tokens.EURC)).toBe(TEST_MONEY);
  }
});
