import { createServer } from "node:http";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  startLiveChain,
} from "../../../../test/support/live-service.ts";
import { runChainCommand } from "../../../../test/support/treasury.ts";
import { createEvmClient, createRpc, deployCrossChain, deriveAddress } from "../../../adapters/evm/index.ts";
import type { Parts } from "../../../kernel/contracts/whole.ts";
import { createHttpClient } from "../../../platform/http-client/http-client.ts";
import type { Environment } from "../../../ports/identity.ts";

/** A deployment with a further live chain, which stand-ins of both chains play. */
const BASE = 8_453;
const PATIENCE_MILLISECONDS = 120_000;

let home: LiveChain;
let base: LiveChain;
let deployment: LiveDeployment;
beforeAll(async () => {
  [home, base] = await Promise.all([startLiveChain(), startLiveChain(BASE)]);
  // One relayer pays for gas on every chain.
  deployment = await createLiveDeployment(
    { ...home, relayerKey: base.relayerKey },
    { url: "http://127.0.0.1:9", token: "none" },
  );
});
afterAll(async () => {
  await deployment?.[Symbol.asyncDispose]();
  await Promise.all([home?.close(), base?.close()]);
});

function buildSettings(change: Readonly<Record<string, unknown>> = {}) {
  const { USDC: usdc, EURC: eurc } = base.tokens;
  const further = { name: "Base", chainId: BASE, rpcUrl: base.url, usdc, eurc, confirmations: 1, ...change };
  const path = deployment.writeKey("chains.json", JSON.stringify({ chains: [further] }));
  return { EMBEDDED_SANDBOX: "off", CHAINS_FILE: path };
}
const listBound = () => deployment.sql("select chain, is_home from chain_network order by is_home desc, chain");

it("a mistake about a further chain ends the start with one line that names it", async () => {
  const empty = `0x${"1".repeat(40)}`;
  const refuse = (change: Readonly<Record<string, unknown>>) => deployment.refuse(buildSettings(change));
  expect(await refuse({ rpcUrl: home.url })).toMatch(
    /^Not started: CHAINS_FILE, Base: the node at rpcUrl has chain id 5042099, not 8453\.$/,
  );
  expect(await refuse({ usdc: empty })).toMatch(/^Not started: CHAINS_FILE, Base: [^\n]+\.$/);
  expect(await refuse({ splitter: empty })).toMatch(/^Not started: CHAINS_FILE, Base: [^\n]+check splitter[^\n]+\.$/);
  expect(await refuse({ name: "Base", chainId: 1 })).toContain("gives Base the chain id 1; it has 8453.");
  expect(await listBound()).toEqual([{ chain: "eip155:5042099", is_home: true }]);
});

it("contracts for other chains are proved to be those of this chain and these tokens", async () => {
  const { funderKey, relayerKey, tokens } = base;
  const http = createHttpClient();
  const client = createEvmClient(createRpc({ url: base.url, http, timeoutMilliseconds: 60_000, isBatched: true }));
  const relayer = deriveAddress(relayerKey);
  const contracts = await deployCrossChain({
    client,
    deployerKey: generatePrivateKey(),
    funderKey,
    setup: {
      domain: 6,
      tokens,
      remotes: [],
      attesters: [relayer],
      attesterThreshold: 1,
      gatewaySigner: relayer,
      relayer,
      feeRecipient: relayer,
    },
  });
  http.close();
  const { transmitter, messenger, signedBurns, gatewayWallet, gatewayMinter, swapPool } = contracts;
  const bridge = { transmitter, messenger, signedBurns };
  const gateway = { wallet: gatewayWallet, minter: gatewayMinter };
  const refuse = (change: Readonly<Record<string, unknown>>) => deployment.refuse(buildSettings(change));
  const line = (why: string) => new RegExp(`^Not started: CHAINS_FILE, Base: On chain 8453, ${why}[^\\n]+\\.$`);
  const swapped = { transmitter: messenger, messenger: transmitter };
  expect(await refuse({ bridge: swapped })).toMatch(
    line("the contract at 0x.+check bridge.transmitter and bridge.mess"),
  );
  expect(await refuse({ bridge: { ...bridge, signedBurns: swapPool } })).toMatch(
    line("the contract .+bridge.signedBurns"),
  );
  expect(await refuse({ gateway: { wallet: gatewayWallet, minter: swapPool } })).toMatch(line("the contract at"));
  const others = { usdc: tokens.EURC, eurc: tokens.USDC };
  expect(await refuse({ ...others, gateway })).toMatch(/^Not started: CHAINS_FILE, Base: [^\n]+\.$/);
  expect(await refuse({ swapPool: gatewayWallet })).toMatch(line("the contract at"));
  const settings = buildSettings({ bridge, gateway, swapPool });
  expect(await deployment.refuse({ ...settings, CHAIN_BRIDGE_MESSENGER: messenger })).toContain(
    "CHAIN_BRIDGE_TRANSMITTER",
  );
  const service = await deployment.start(settings);
  try {
    const [bound] = await deployment.sql("select contracts from chain_network where not is_home");
    expect(bound?.contracts).toMatchObject({ crossChain: { bridge, gateway, swapPool } });
  } finally {
    await service.stop();
  }
  await deployment.sql("delete from wallet where chain = $1", [`eip155:${BASE}`]);
  await deployment.sql("delete from chain_network where not is_home");
});

it("one that is away does not stop the start and is opened once it answers", async () => {
  base.misbehave(() => "500");
  const service = await deployment.start(buildSettings());
  try {
    expect((await service.send("/readyz", {})).status).toBe(200);
    expect(await listBound()).toHaveLength(1);
    base.behave();
    await vi.waitFor(async () => expect(await listBound()).toHaveLength(2), { timeout: PATIENCE_MILLISECONDS });
  } finally {
    await service.stop();
  }
});

it("its movements are read beside those of the home chain, and both have a collection wallet", async () => {
  const service = await deployment.start(buildSettings());
  try {
    expect(await listBound()).toEqual([
      { chain: "eip155:5042099", is_home: true },
      { chain: `eip155:${BASE}`, is_home: false },
    ]);
    const wallets = await deployment.sql(
      "select chain, kind, address from wallet where kind = 'collection' order by chain",
    );
    expect(wallets.map(({ chain }) => chain)).toEqual(["eip155:5042099", `eip155:${BASE}`]);
    const there = wallets[1]?.address;
    if (typeof there !== "string") throw new Error("there is no wallet");
    await base.deposit(`0x${there.slice(2)}`, 7n);
    const read = () =>
      deployment.sql(
        "select chain, balance_micro::int as micro from ledger_account where kind = 'collection' and balance_micro <> 0",
      );
    await vi.waitFor(async () => expect(await read()).toEqual([{ chain: `eip155:${BASE}`, micro: 7 }]), {
      timeout: PATIENCE_MILLISECONDS,
    });
    const named = ["--network", "production", "--chain", `eip155:${BASE}`, "--json"];
    const status = await runChainCommand(service.config, ["status", ...named]);
    expect(status.error).toBe("");
    expect(JSON.parse(status.out)).toMatchObject({ chainId: BASE, answers: true, difference: { usdc: "0.00" } });
    await deployment.sql("update chain_network set stopped_because = 'a test' where not is_home");
    const resumed = await runChainCommand(service.config, ["resume", ...named]);
    expect(JSON.parse(resumed.out)).toMatchObject({ resumed: true });
    const [entry] = await deployment.sql("select details from audit_log where action = 'chain.resume'");
    expect(entry?.details).toMatchObject({ chain: `eip155:${BASE}` });
  } finally {
    await service.stop();
  }
});

it("a sandbox key never reaches the node of a live chain, whatever the name", async () => {
  const asked: string[] = [];
  const trap = createServer((request, response) => {
    request.on("data", (some: Buffer) => asked.push(some.toString()));
    request.on("end", () => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const address = trap.address();
  const rpcUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const kept: { portsFor?: Parts["portsFor"] } = {};
  const portsFor = (part: Parts["portsFor"]) => {
    kept.portsFor = part;
    return part;
  };
  const settings = buildSettings({ name: "Base_Sepolia", chainId: 84_532, rpcUrl });
  const service = await deployment.start({ ...settings, EMBEDDED_SANDBOX: "on" }, { decorate: { portsFor } });
  try {
    const tenantId = await service.operator(async (operator) => {
      const { tenant } = await operator.createTenant({ name: "Trapped", actor: "test" });
      return tenant.id;
    });
    const open = (environment: Environment) =>
      kept.portsFor?.(environment)?.usableChains.open("Base_Sepolia", tenantId);
    await expect(open("production")).rejects.toMatchObject({ code: "chain_not_available" });
    // It is opened with contracts and money of its own.
    expect(await open("sandbox")).toMatchObject({ isEmulated: true, chainId: 84_532 });
    // The service itself asks whether the node is there.
    expect(asked.length).toBeGreaterThan(0);
    expect(
      asked.filter((body) => !/^[^{]*\{"jsonrpc":"2\.0","id":\d+,"method":"eth_(chainId|getBlockByNumber)"/.test(body)),
    ).toEqual([]);
  } finally {
    await service.stop();
    trap.closeAllConnections();
    trap.close();
  }
});
