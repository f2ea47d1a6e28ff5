import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, getAddress, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { createVault } from "../../src/adapters/vault.ts";
import { withBooks } from "../../src/commands/books.ts";
import { chainProgram } from "../../src/commands/chain.ts";
import { runProgram } from "../../src/commands/command-line.ts";
import type { Config } from "../../src/config/config.ts";
import type { Hex, TokenSymbol } from "../../src/domain/tokens.ts";
import { readMasterKey } from "../../src/embedded/master-key.ts";
import { stablecoinAbi } from "../../src/generated/contracts/stablecoin.ts";
import { createBoundChains } from "../../src/modules/chain/index.ts";
import { createSigner, createWallets } from "../../src/modules/chain/store-wallets.ts";
import { sandboxFunder } from "../../src/outside/sandbox-keys.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import type { WalletKind } from "../../src/ports/chain/wallets.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Environment } from "../../src/ports/identity.ts";
import { silentLog } from "./identity.ts";
import { mintOperatorKey, type TestService } from "./service.ts";

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const Quickstart = z.object({
  chain: z.object({ rpcUrl: z.string(), chainId: z.number(), usdc: Address, eurc: Address }),
});

export const UNIT = 1_000_000n;

/** An address that nobody has. */
export const stranger = (): Hex => `0x${randomBytes(20).toString("hex")}`;

type Owner = Pick<TestService, "config" | "dataDir" | "sql">;

/** The keys of a deployment, as its storage and its master key give them: what only a thief or a test does. */
function openKeys({ config, dataDir }: Pick<Owner, "config" | "dataDir">) {
  const { masterKeyFile, databaseUrl = "" } = config;
  const vault = createVault(readMasterKey({ masterKeyFile, dataDir, production: false }));
  const { db, close } = openDatabase(databaseUrl, { poolSize: 2, onError: () => undefined });
  const wallets = createWallets({ db, vault, clock: systemClock });
  const boundChains = createBoundChains(db, systemClock);
  const signer = createSigner({ db, vault });
  return {
    vault,
    close,
    async wallet(environment: Environment, kind: WalletKind, tenantId: string | null = null) {
      const home = await boundChains.requireHome(environment);
      const found = (await wallets.list(home)).find((one) => one.kind === kind && one.tenantId === tenantId);
      if (found === undefined) throw new Error(`there is no ${kind} wallet`);
      return { ...found, account: privateKeyToAccount(await signer.readPrivateKey(found.id)) };
    },
  };
}

/** The development chain of a started product, as anybody with viem sees it, and the keys to it. */
export function openTreasury(service: Owner) {
  const { chain: facts } = Quickstart.parse(JSON.parse(readFileSync(join(service.dataDir, "quickstart.json"), "utf8")));
  const { chainId, rpcUrl } = facts;
  const keys = openKeys(service);
  const chain = defineChain({
    id: chainId,
    name: "devnet",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  // Longer than any machine stands still.
  const transport = http(rpcUrl, { retryCount: 0, timeout: 120_000, fetchOptions: { keepalive: false } });
  const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const tokens: Record<TokenSymbol, Hex> = { USDC: facts.usdc, EURC: facts.eurc };
  const funder = createWalletClient({
    account: privateKeyToAccount(sandboxFunder(keys.vault).privateKey),
    chain,
    transport,
  });

  async function mined(hash: Hex): Promise<void> {
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`${hash} was reverted`);
  }

  /** By the owner of the tokens, who is the relayer: with a nonce that the service then knows to be used. */
  async function asOwner(token: TokenSymbol, functionName: "blacklist" | "unBlacklist", address: Hex): Promise<void> {
    const { id, account } = await keys.wallet("sandbox", "relayer");
    const [row] = await service.sql(
      "update wallet set next_nonce = next_nonce + 1 where id = $1 returning (next_nonce - 1)::int as nonce",
      [id],
    );
    const { nonce } = z.object({ nonce: z.number() }).parse(row);
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName, args: [address] });
    await mined(
      await createWalletClient({ account, chain, transport }).sendTransaction({ to: tokens[token], data, nonce }),
    );
  }

  return {
    ...facts,
    keys,
    client,
    tokens,
    close: keys.close,
    readBalance: (address: Hex, token: TokenSymbol = "USDC"): Promise<bigint> =>
      client.readContract({
        address: tokens[token],
        abi: stablecoinAbi,
        functionName: "balanceOf",
        args: [getAddress(address)],
      }),
    findTreasury: async (tenantId: string): Promise<Hex> =>
      (await keys.wallet("sandbox", "treasury", tenantId)).address,
    /** A contract that somebody with gas has deployed. */
    async deploy(data: Hex): Promise<Hex> {
      const { contractAddress } = await client.waitForTransactionReceipt({
        hash: await funder.sendTransaction({ data }),
      });
      if (contractAddress == null) throw new Error("no contract came to be");
      return Address.parse(contractAddress.toLowerCase());
    },
    block: (token: TokenSymbol, address: Hex) => asOwner(token, "blacklist", address),
    /** Money that leaves a tenant's wallet past the service: signed with the tenant's key, sent by a stranger with gas. */
    async steal(tenantId: string, to: Hex, value: bigint, token: TokenSymbol = "USDC"): Promise<Hex> {
      const { account } = await keys.wallet("sandbox", "treasury", tenantId);
      const message = {
        from: account.address,
        to,
        value,
        validAfter: 0n,
        validBefore: 2n ** 48n,
        nonce: `0x${randomBytes(32).toString("hex")}`,
      } as const;
      const signature = await account.signTypedData({
        domain: { name: token, version: "2", chainId, verifyingContract: tokens[token] },
        types: {
          TransferWithAuthorization: [
            { name: "from", type: "address" },
            { name: "to", type: "address" },
            { name: "value", type: "uint256" },
            { name: "validAfter", type: "uint256" },
            { name: "validBefore", type: "uint256" },
            { name: "nonce", type: "bytes32" },
          ],
        },
        primaryType: "TransferWithAuthorization",
        message,
      });
      const { from, validAfter, validBefore, nonce } = message;
      const data = encodeFunctionData({
        abi: stablecoinAbi,
        functionName: "transferWithAuthorization",
        args: [from, to, value, validAfter, validBefore, nonce, signature],
      });
      const hash = await funder.sendTransaction({ to: tokens[token], data });
      await mined(hash);
      return hash;
    },
  };
}

export type Treasury = ReturnType<typeof openTreasury>;

/** A tenant of its own with a key of every scope, and with the money of a new tenant. */
export async function newFundedTenant(service: TestService, name: string) {
  const { tenant, apiKey, operatorKey } = await service.operator(async (identity) => {
    const created = await identity.createTenant({ name, actor: "test" });
    return { ...created, operatorKey: await mintOperatorKey(identity, created.tenant.id) };
  });
  await service.isFunded(tenant.id);
  const as = { key: apiKey, tenantId: tenant.id };
  return { tenantId: tenant.id, apiKey, operatorKey, as };
}

export const requireResult = (answer: { body: Record<string, unknown>; text: string }): Record<string, unknown> => {
  const { result } = answer.body;
  if (typeof result !== "object" || result === null) throw new Error(answer.text);
  return { ...result };
};

/** `npm run chain`, inside this process: what takes a second to spawn takes a moment. */
export async function runChainCommand(
  config: Config,
  args: readonly string[],
): Promise<{ code: number; out: string; error: string }> {
  const said = { out: "", error: "" };
  const output = {
    out(text: string) {
      said.out += text;
    },
    error(text: string) {
      said.error += text;
    },
  };
  // A node that is late is no node that is away.
  const options = { log: silentLog, progress: () => undefined, rpcTimeoutMilliseconds: 60_000 };
  const code = await runProgram(chainProgram, args, output, (work) =>
    work((place, inner) => withBooks(config, { ...options, ...place }, inner)),
  );
  return { code, ...said };
}
