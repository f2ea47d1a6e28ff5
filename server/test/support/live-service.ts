import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createWalletClient, defineChain, getAbiItem, http, toFunctionSelector } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { type Operator, withIdentity } from "../../src/commands/open-database.ts";
import { type AppOptions, startApp } from "../../src/compose.ts";
import { type Config, readConfig } from "../../src/config/config.ts";
import type { Hex, TokenSymbol } from "../../src/domain/tokens.ts";
import {
  settlementSplitterAbi,
  settlementSplitterBytecode,
} from "../../src/generated/contracts/settlement-splitter.ts";
import { stablecoinAbi, stablecoinBytecode } from "../../src/generated/contracts/stablecoin.ts";
import { tripEscrowAbi, tripEscrowBytecode } from "../../src/generated/contracts/trip-escrow.ts";

import { startDevChain } from "./dev-chain.ts";
import { silentLog } from "./identity.ts";
import { partPrograms } from "./programs.ts";
import { type Answer, dropSandboxDatabase } from "./service.ts";
import { createMigratedDatabase } from "./test-database.ts";

export const LIVE_CHAIN_ID = 5_042_099;
const GRACE_SECONDS = 604_800n;

interface EscrowChange {
  token?: Hex;
  operator?: Hex;
  serviceFeeRecipient?: Hex;
  /** As earlier releases deployed it: without the function that puts a reservation back into its trip. */
  lacksReturn?: true;
}

/** Nothing that is asked for finds the function any more. */
function withoutReturn(): Hex {
  const item = getAbiItem({ abi: tripEscrowAbi, name: "returnToTrip" });
  const selector = toFunctionSelector(item).slice(2);
  const [before, after, ...more] = tripEscrowBytecode.split(`63${selector}`);
  if (before === undefined || after === undefined || more.length > 0) throw new Error("the selector is not there once");
  return `0x${before.slice(2)}63ffffffff${after}`;
}

/** A second local chain that stands in for the live one: real tokens on it, a relayer with gas, and a mint to deposit from. */
export async function startLiveChain(chainId = LIVE_CHAIN_ID) {
  const chain = await startDevChain({ chainId });
  // Longer than any machine stands still.
  const transport = http(chain.url, { retryCount: 0, timeout: 120_000, fetchOptions: { keepalive: false } });
  const definition = defineChain({
    id: chainId,
    name: "stand-in",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [chain.url] } },
  });
  const account = privateKeyToAccount(chain.funderKey);
  const owner = createWalletClient({ account, chain: definition, transport, pollingInterval: 20 });

  async function deployed(hash: Hex): Promise<Hex> {
    const { contractAddress } = await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (contractAddress == null) throw new Error("nothing was deployed");
    return contractAddress;
  }
  const deployToken = async (name: string, symbol: string, currency: string): Promise<Hex> =>
    deployed(
      await owner.deployContract({
        abi: stablecoinAbi,
        bytecode: stablecoinBytecode,
        args: [name, symbol, currency, account.address],
      }),
    );
  // Named as nobody would guess: what is signed must be what the token says of itself.
  const tokens: Record<TokenSymbol, Hex> = {
    USDC: await deployToken("USD Coin", "USDC", "USD"),
    EURC: await deployToken("Euro Coin", "EURC", "EUR"),
  };
  const splitter = await deployed(
    await owner.deployContract({ abi: settlementSplitterAbi, bytecode: settlementSplitterBytecode }),
  );
  for (const address of Object.values(tokens)) {
    const args = [account.address, 10n ** 18n] as const;
    await owner.writeContract({ address, abi: stablecoinAbi, functionName: "configureMinter", args });
  }
  const relayerKey = generatePrivateKey();
  await owner.sendTransaction({ to: privateKeyToAddress(relayerKey), value: 10n ** 20n });

  return {
    ...chain,
    tokens,
    splitter,
    relayerKey,
    deployToken,
    /** Takes the code that deploys, with its arguments. */
    deploy: async (data: Hex): Promise<Hex> => deployed(await owner.sendTransaction({ data })),
    /** As its operator does it, before it is named to the service. */
    deployEscrow: async (change: EscrowChange = {}): Promise<Hex> => {
      const { token = tokens.USDC, operator = privateKeyToAddress(relayerKey) } = change;
      const { serviceFeeRecipient = account.address } = change;
      const args = [token, account.address, operator, serviceFeeRecipient, GRACE_SECONDS] as const;
      const bytecode = change.lacksReturn === true ? withoutReturn() : tripEscrowBytecode;
      return await deployed(await owner.deployContract({ abi: tripEscrowAbi, bytecode, args }));
    },
    async deposit(to: Hex, value: bigint, token: TokenSymbol = "USDC"): Promise<void> {
      const args = [to, value] as const;
      await owner.writeContract({ address: tokens[token], abi: stablecoinAbi, functionName: "mint", args });
    },
    /** As the token's issuer does with whom it does not want. */
    async setBlocked(functionName: "blacklist" | "unBlacklist", address: Hex): Promise<void> {
      await owner.writeContract({ address: tokens.USDC, abi: stablecoinAbi, functionName, args: [address] });
    },
    readBalance: (address: Hex, token: TokenSymbol = "USDC"): Promise<bigint> =>
      chain.client.readContract({
        address: tokens[token],
        abi: stablecoinAbi,
        functionName: "balanceOf",
        args: [address],
      }),
  };
}

export type LiveChain = Awaited<ReturnType<typeof startLiveChain>>;

/** A database and files of a deployment in production mode, that can be started again and again. */
export async function createLiveDeployment(chain: LiveChain, supplier: { url: string; token: string }) {
  const database = await createMigratedDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "wayfare-live-"));
  const writeKey = (name: string, key: string): string => {
    const path = join(dataDir, name);
    writeFileSync(path, `${key}\n`, { mode: 0o600 });
    return path;
  };
  const environment: Record<string, string> = {
    NETWORK_MODE: "production",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: "0",
    EDGE_PORT: "0",
    LOG_LEVEL: "fatal",
    DATABASE_POOL_SIZE: "4",
    CHAIN_RPC_URL: chain.url,
    CHAIN_USDC: chain.tokens.USDC,
    CHAIN_EURC: chain.tokens.EURC,
    CHAIN_SPLITTER: chain.splitter,
    CHAIN_CONFIRMATIONS: "1",
    CHAIN_RELAYER_KEY_FILE: writeKey("relayer.key", chain.relayerKey),
    MASTER_KEY_FILE: writeKey("master.key", randomBytes(32).toString("hex")),
    SUPPLIER_URL: supplier.url,
    SUPPLIER_TOKEN: supplier.token,
    SETTLE_USAGE_SECONDS: "1",
  };
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  const buildConfig = (change: Readonly<Record<string, string>>): Config => readConfig({ ...environment, ...change });

  async function start(change: Readonly<Record<string, string>> = {}, options: AppOptions = {}) {
    const config = buildConfig(change);
    const app = await startApp(config, { ...partPrograms(), ...options });
    async function send(path: string, init: RequestInit): Promise<Answer> {
      const response = await fetch(`${app.appUrl}${path}`, init);
      const text = await response.text();
      const body: unknown = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: typeof body === "object" ? { ...body } : {},
      };
    }
    return {
      app,
      config,
      dataDir,
      send,
      call: (
        tool: string,
        args: unknown,
        as: { key: string; tenantId: string; userId?: string },
        headers: Readonly<Record<string, string>> = {},
      ): Promise<Answer> =>
        send("/api/agent/dispatch", {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${as.key}`, ...headers },
          body: JSON.stringify({ tenantId: as.tenantId, userId: as.userId, tool, args }),
        }),
      operator: <Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> =>
        withIdentity(config, { log: silentLog, progress: () => undefined }, work),
      stop: () => app.stop(),
    };
  }

  return {
    dataDir,
    writeKey,
    start,
    /** Starts what must not start: its one line. */
    async refuse(change: Readonly<Record<string, string>>): Promise<string> {
      const { message, app } = await startApp(buildConfig(change), partPrograms()).then(
        (started) => ({ message: undefined, app: started }),
        (error: unknown) => ({ message: error instanceof Error ? error.message : String(error), app: undefined }),
      );
      await app?.stop();
      if (message === undefined) throw new Error("it started");
      return message;
    },
    sql: async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
      (await pool.query<Record<string, unknown>>(text, values)).rows,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await dropSandboxDatabase(database.url);
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type LiveDeployment = Awaited<ReturnType<typeof createLiveDeployment>>;
export type LiveService = Awaited<ReturnType<LiveDeployment["start"]>>;
