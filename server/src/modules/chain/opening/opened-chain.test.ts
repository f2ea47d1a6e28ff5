import { generatePrivateKey } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld } from "../../../../test/support/chain-world.ts";
import { type DevChain, startDevChain } from "../../../../test/support/dev-chain.ts";
import { startLiveChain, startSandboxChain } from "../../../../test/support/open-chain.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { createEvmChain, createEvmClient, createRpc } from "../../../adapters/evm/index.ts";
import { formatNative, microFromNative, nativeAmount } from "../../../adapters/evm/native.ts";
import { ConfigError } from "../../../config/config.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { HttpClient } from "../../../platform/http-client/http-client.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { nameEvmChain } from "../../../ports/chain/chain-key.ts";
import { systemClock } from "../../../ports/clock.ts";
import { drip } from "../../faucet/drip-operation.ts";

const GIVE_UP_MILLISECONDS = 300;
const STRANGER: Hex = "0x00000000000000000000000000000000000000aa";
const ANVIL_KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

let world: ChainWorld;
let patient: Chain;
beforeAll(async () => {
  world = await openChainWorld();
  patient = await openChain(world.devChain.url);
});
afterEach(() => world.devChain.behave());
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function openChain(url: string, { confirmations = 1, http = world.http } = {}): Promise<Chain> {
  const timeoutMilliseconds = world.shared.rpcTimeoutMilliseconds;
  const client = createEvmClient(createRpc({ url, http, timeoutMilliseconds, retryPauseMilliseconds: 10 }));
  const { tokens, faucet, splitter } = world.openedChain.chain;
  const contracts = {
    tokens: { USDC: tokens.USDC.address, EURC: requireToken({ tokens }, "EURC").address },
    ...(faucet === undefined ? {} : { faucet }),
    ...(splitter === undefined ? {} : { splitter }),
  };
  return await createEvmChain({ environment: "sandbox", client, contracts, confirmations, clock: systemClock });
}

const unavailable = expect.objectContaining({ name: "Failure", code: "chain_unavailable" });

describe("a network", () => {
  it("knows its tokens by name and version, with their EIP-712 domain proved", () => {
    const { chain } = world.openedChain;
    expect(chain.tokens.USDC).toMatchObject({ symbol: "USDC", name: "USDC", version: "2" });
    expect(chain.tokens.EURC).toMatchObject({ symbol: "EURC", name: "EURC", version: "2" });
    expect(chain.chainId).toBe(5_042_002);
    expect(chain.nativeToken).toBeUndefined();
  });

  it("distinguishes the gas coin, with 18 decimals, from the same money as a token, with 6", () => {
    const wei = 1_500_000_999_999_999_999n;
    expect(microFromNative(nativeAmount(wei))).toBe(1_500_000n);
    expect(formatNative(nativeAmount(wei))).toBe("1.500000999999999999");
    // @ts-expect-error: an amount of the token is no amount of the coin.
    expect(() => microFromNative(1_500_000n)).toThrow();
  });

  it("reads many balances at a past block", async () => {
    const before = await patient.head();
    const tenant = await world.newTenant();
    const after = await patient.head();
    const owners = [...Array.from({ length: 450 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}` as const)];
    expect(await patient.balances("USDC", [...owners, tenant.wallet.address], after.number)).toEqual([
      ...owners.map(() => 0n),
      100_000_000n,
    ]);
    expect(await patient.balances("USDC", [tenant.wallet.address], before.number)).toEqual([0n]);
  });

  it("reads movements in halves if the node refuses the range", async () => {
    const tenant = await world.newTenant();
    for (let index = 0; index < 20; index += 1) await world.devChain.mine();
    const { number } = await patient.head();
    world.devChain.misbehave(({ method, params: [filter] }) => {
      if (method !== "eth_getLogs" || typeof filter !== "object" || filter === null) return "pass";
      const { fromBlock, toBlock } = { fromBlock: "0x0", toBlock: "0x0", ...filter };
      const isTooMuch = BigInt(toBlock) - BigInt(fromBlock) >= 4n;
      return isTooMuch ? { error: { code: -32_000, message: "query exceeds max block range 5" } } : "pass";
    });
    const movements = await patient.movements(0n, number);
    const own = movements.filter(({ to }) => to === tenant.wallet.address);
    // Stored in the same millisecond, their ids, by which they are sent, have no order.
    expect(new Map(own.map(({ token, amount }) => [token, amount]))).toEqual(
      new Map([
        ["USDC", 100_000_000n],
        ["EURC", 100_000_000n],
      ]),
    );
    expect(movements.map(({ blockNumber }) => blockNumber)).toEqual(
      movements.map(({ blockNumber }) => blockNumber).toSorted((left, right) => Number(left - right)),
    );
    // Control: a node that refuses even one block is not taken for an empty one.
    world.devChain.misbehave(({ method }) =>
      method === "eth_getLogs" ? { error: { code: -32_000, message: "no" } } : "pass",
    );
    await expect(patient.movements(0n, number)).rejects.toEqual(unavailable);
  });

  it("reports blocked addresses, and how long the faucet waits", async () => {
    expect(await patient.isBlocked("USDC", STRANGER)).toBe(false);
    expect(await patient.isBlocked("USDC", patient.tokens.USDC.address)).toBe(true);
    expect(await patient.faucetWaitSeconds("USDC", STRANGER)).toBe(0);
    await world.stores.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: "drip",
      tenantId: null,
      callId: null,
      purpose: "faucet_drip",
      operation: drip.of({ token: "USDC", to: STRANGER }),
      result: undefined,
    });
    await world.drain();
    const { number } = await patient.head();
    expect(await patient.balances("USDC", [STRANGER], number)).toEqual([20_000_000n]);
    expect(await patient.faucetWaitSeconds("USDC", STRANGER)).toBeGreaterThan(7_000);
    expect(await patient.faucetWaitSeconds("EURC", STRANGER)).toBe(0);
  });

  it("counts a transaction only when it is deep enough", async () => {
    await world.newTenant();
    const row = (await world.rows()).at(-1);
    const hash = row?.hash ?? "0x";
    expect(row?.state).toBe("confirmed");
    const { number } = await patient.head();
    const depth = Number(number - (row?.blockNumber ?? 0n)) + 1;
    expect(await (await openChain(world.devChain.url, { confirmations: depth })).receipt(hash)).toMatchObject({ hash });
    const deep = await openChain(world.devChain.url, { confirmations: depth + 3 });
    for (let missing = 3; missing > 0; missing -= 1) {
      expect(await deep.receipt(hash)).toBeUndefined();
      await world.devChain.mine();
    }
    expect(await deep.receipt(hash)).toMatchObject({ hash, succeeded: true });
  });
});

describe("a node that misbehaves", () => {
  it.each(["hang", "500", "reset"] as const)("is asked again, and then counts as unavailable: %s", async (fate) => {
    // A hanging request is given up early, and may never have reached the node; a slow one is waited for.
    const asked: unknown[] = [];
    let isBad = () => false;
    const send: HttpClient["send"] = (request) => {
      asked.push(request);
      return world.http.send(
        fate === "hang" && isBad() ? { ...request, timeoutMilliseconds: GIVE_UP_MILLISECONDS } : request,
      );
    };
    const chain = await openChain(world.devChain.url, { http: { ...world.http, send } });
    asked.length = 0;
    isBad = () => true;
    world.devChain.misbehave(() => (isBad() ? fate : "pass"));
    await expect(chain.head()).rejects.toEqual(unavailable);
    const question = { json: { method: "eth_blockNumber" }, timeoutMilliseconds: world.shared.rpcTimeoutMilliseconds };
    expect(asked).toMatchObject(Array(3).fill(question));
    // One failure is tolerated.
    asked.length = 0;
    isBad = () => asked.length <= 1;
    expect((await chain.head()).number).toBeGreaterThan(0n);
    expect(asked.length).toBeGreaterThan(1);
  });

  it("is sent a transaction only once", async () => {
    const { sender } = world.openedChain;
    world.devChain.calls.length = 0;
    world.devChain.misbehave(() => "500");
    await expect(sender.broadcast("0x02")).rejects.toEqual(unavailable);
    expect(world.devChain.calls.map(({ method }) => method)).toEqual(["eth_sendRawTransaction"]);
  });

  it("is waited for when the service starts", async () => {
    let bad = 12;
    world.devChain.misbehave(() => (bad-- > 0 ? "500" : "pass"));
    await world.open();
    expect(bad).toBeLessThan(0);
    world.devChain.misbehave(() => "500");
    await expect(world.open({ patienceMilliseconds: 0 })).rejects.toEqual(unavailable);
  });

  it("is unavailable if nothing listens", async () => {
    const client = createEvmClient(
      createRpc({ url: "http://127.0.0.1:9", http: world.http, timeoutMilliseconds: 300, retryPauseMilliseconds: 1 }),
    );
    const { tokens } = patient;
    const contracts = { tokens: { USDC: tokens.USDC.address, EURC: requireToken({ tokens }, "EURC").address } };
    await expect(
      createEvmChain({ environment: "sandbox", client, contracts, confirmations: 1, clock: systemClock }),
    ).rejects.toEqual(unavailable);
  });
});

describe("a chain that does not belong to the database", () => {
  let other: DevChain;
  beforeAll(async () => {
    other = await startDevChain();
  });
  afterAll(async () => {
    await other.close();
  });

  it("is refused by its genesis, though its id is the same", async () => {
    const options = { ...world.shared, rpcUrl: other.url, funderKey: other.funderKey };
    await expect(startSandboxChain(options)).rejects.toThrow(
      /^Not started: .*another genesis.*database.*share DATA_DIR .*EMBEDDED_SANDBOX=off/,
    );
    await expect(startSandboxChain(options)).rejects.toBeInstanceOf(ConfigError);
    // Control: its own chain is accepted.
    await world.open();
  });

  it("is refused if it lacks a block whose movements are booked", async () => {
    const { db } = world;
    const { number, hash } = (await world.openedChain.boundChains.get(sandboxChain))?.indexed ?? {
      number: 0n,
      hash: "0x",
    };
    const set = (values: { indexedNumber: bigint; indexedHash: Hex }) =>
      db.updateTable("chainNetwork").set(values).where("environment", "=", "sandbox").execute();
    try {
      await set({ indexedNumber: 1_000_000n, indexedHash: hash });
      await expect(world.open()).rejects.toThrow(/lacks block 1000000/);
      await set({ indexedNumber: number, indexedHash: `0x${"11".repeat(32)}` });
      await expect(world.open()).rejects.toThrow(/lacks block/);
    } finally {
      await set({ indexedNumber: number, indexedHash: hash });
    }
    await world.open();
  });
});

describe("a live network", () => {
  let live: ChainWorld;
  beforeAll(async () => {
    // Another deployment's chain, with existing tokens.
    live = await openChainWorld({ chain: await startDevChain({ chainId: 77_077 }) });
  });
  afterAll(async () => {
    await live[Symbol.asyncDispose]();
    await live.devChain.close();
  });

  const options = (change: { relayerKey?: Hex; usdc?: Hex; rpcUrl?: string } = {}) => {
    const { USDC, EURC } = live.openedChain.chain.tokens;
    return {
      ...world.shared,
      rpcUrl: change.rpcUrl ?? live.devChain.url,
      contracts: {
        tokens: { USDC: change.usdc ?? USDC.address, ...(EURC === undefined ? {} : { EURC: EURC.address }) },
      },
      confirmations: 2,
      relayerKey: change.relayerKey ?? relayerKey,
    };
  };
  const relayerKey = generatePrivateKey();

  it.each([
    [
      "a token that calls itself otherwise",
      () => ({ usdc: requireToken(live.openedChain.chain, "EURC").address }),
      /calls itself EURC/,
    ],
    ["an address without a contract", () => ({ usdc: STRANGER }), /does not answer \w+\(\)/],
    ["a node that is away", () => ({ rpcUrl: "http://127.0.0.1:9" }), /does not answer\. Check CHAIN_RPC_URL/],
    ["this deployment's own development chain", () => ({ rpcUrl: world.devChain.url }), /development chain/],
  ])("refuses %s, and is not bound to it", async (_what, change, message) => {
    await expect(startLiveChain(options(change()))).rejects.toThrow(message);
    expect(await world.openedChain.boundChains.findHome("production")).toBeUndefined();
  });

  it.each([
    ["of a development node", ANVIL_KEY],
    ["that is found by counting", `0x${"7".padStart(64, "0")}` as const],
  ])("refuses a relayer key %s, and does not keep it", async (_what, publicKey) => {
    await expect(startLiveChain(options({ relayerKey: publicKey }))).rejects.toThrow(/publicly known/);
    expect(
      await world.openedChain.wallets.list({ environment: "production", chain: nameEvmChain(live.devChain.chainId) }),
    ).toEqual([]);
  });

  it("opens beside the sandbox, keeps its relayer, and refuses other tokens later", async () => {
    const openedChain = await startLiveChain(options());
    expect(openedChain.chain).toMatchObject({ environment: "production", chainId: 77_077, confirmations: 2 });
    expect((await startLiveChain(options())).chain.genesisHash).toBe(openedChain.chain.genesisHash);
    await expect(startLiveChain(options({ relayerKey: generatePrivateKey() }))).rejects.toThrow(
      /CHAIN_RELAYER_KEY_FILE/,
    );
  });

  it("is opened though a lagging node answers first", async () => {
    const openedChain = await startLiveChain(options());
    for (let blocks = 0; blocks < 3; blocks += 1) await live.devChain.mine();
    while (await openedChain.indexer.runOnce());
    const indexed = (await openedChain.boundChains.findHome("production"))?.indexed.number ?? 0n;
    expect(indexed).toBeGreaterThan(1n);
    let lagging = 3;
    live.devChain.misbehave(({ method }) => {
      if (method !== "eth_blockNumber" || lagging === 0) return "pass";
      lagging -= 1;
      return { result: `0x${(indexed - 1n).toString(16)}` };
    });
    try {
      await startLiveChain({ ...options(), lagPatienceMilliseconds: 60_000 });
      expect(lagging).toBe(0);
    } finally {
      live.devChain.behave();
    }
  });
});
