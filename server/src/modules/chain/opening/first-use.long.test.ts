import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { partPrograms } from "../../../../test/support/programs.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { newFundedTenant, UNIT } from "../../../../test/support/treasury.ts";
import { type App, startApp } from "../../../compose.ts";
import type { Parts } from "../../../kernel/contracts/whole.ts";

/** The first use of further development chains, by two services at once and while the chains' process is killed. */
vi.setConfig({ testTimeout: 240_000 });
const PATIENCE = { timeout: 180_000, interval: 200 };
const TEST_MONEY = 10_000n * UNIT;

let service: TestService;
let beside: App;
let tenantId: string;
const portsFor: Parts["portsFor"][] = [];
const keep = (part: Parts["portsFor"]) => {
  portsFor.push(part);
  return part;
};

beforeAll(async () => {
  service = await startTestService({}, { decorate: { portsFor: keep } });
  ({ tenantId } = await newFundedTenant(service, "First use"));
  // A service of its own, over the same database and chains.
  beside = await startApp(service.config, { ...partPrograms(), decorate: { portsFor: keep } });
}, 240_000);
afterAll(async () => {
  await beside?.stop();
  await service?.[Symbol.asyncDispose]();
});

async function open(index: number, name: string) {
  const ports = portsFor[index]?.("sandbox");
  if (ports === undefined) throw new Error(`there is no service ${index}`);
  return await ports.usableChains.open(name, tenantId);
}

/** The tenant's money on the chain and in the ledger, and how often its issuer gave it. */
async function expectMoneyOnce(name: string): Promise<void> {
  const { chain } = await open(0, name);
  const ports = portsFor[0]?.("sandbox");
  const wallet = await ports?.stores.wallets.findTreasury(chain.key, tenantId);
  const { number } = await chain.head();
  for (const token of ["USDC", "EURC"] as const) {
    expect(await chain.balances(token, [wallet?.address ?? "0x"], number)).toEqual([TEST_MONEY]);
    await vi.waitFor(async () => {
      const purse = { ...chain.key, tenantId, token };
      expect(await ports?.stores.ledger.balance(purse)).toMatchObject({ available: TEST_MONEY });
    }, PATIENCE);
  }
  const given = await service.sql(
    "select state from chain_transaction where chain = $1 and tenant_id = $2 and purpose = 'development_money'",
    [chain.key.chain, tenantId],
  );
  expect(given).toEqual([{ state: "confirmed" }, { state: "confirmed" }]);
  const stopped = await service.sql("select stopped_because from chain_network where chain = $1", [chain.key.chain]);
  expect(stopped).toEqual([{ stopped_because: null }]);
}

it("in two services at once deploys one set of contracts and gives the money once", async () => {
  for (const name of ["Base_Sepolia", "Optimism_Sepolia"]) {
    const opened = await Promise.all(Array.from({ length: 8 }, (_, index) => open(index % 2, name)));
    const [one] = opened;
    for (const { chain } of opened) {
      expect(chain.tokens).toEqual(one?.chain.tokens);
      expect(chain.crossChain).toEqual(one?.chain.crossChain);
    }
    await expectMoneyOnce(name);
  }
});

const Part = z.object({
  parts: z.array(z.looseObject({ name: z.string(), pid: z.number().optional(), ready: z.boolean() })),
});
const findChainProcess = (): number => {
  const { parts } = Part.parse(JSON.parse(readFileSync(join(service.dataDir, "parts.json"), "utf8")));
  const { pid } = parts.find(({ name, ready }) => /devnet|chain/.test(name) && ready) ?? {};
  if (pid === undefined) throw new Error("the chains' process is not running");
  return pid;
};

it("is finished after the chains' process was killed at any moment of it, and everything is there once", async () => {
  const names = ["Linea_Sepolia", "Unichain_Sepolia", "Sonic_Testnet", "Ink_Testnet"];
  for (const [index, name] of names.entries()) {
    const opening = open(index % 2, name).then(
      () => "opened",
      () => "cut off",
    );
    // From the start of its node to the money that it gives.
    await delay(100 + index * 350);
    process.kill(findChainProcess(), "SIGKILL");
    await opening;
    await vi.waitFor(() => open(index % 2, name), PATIENCE);
    await vi.waitFor(() => open(1 - (index % 2), name), PATIENCE);
    await expectMoneyOnce(name);
  }
});
