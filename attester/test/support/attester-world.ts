import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type Abi,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  pad,
  parseEventLogs,
  publicActions,
  zeroHash,
} from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { createDevnetFixture } from "../../../devnet/test/support/devnet-fixture.ts";
import {
  createEvmClient,
  createRpc,
  deployCrossChain,
  deployDevelopment,
  listMinters,
} from "../../../server/src/adapters/evm/index.ts";
import { burnIntentMessage } from "../../../server/src/adapters/gateway/transfer.ts";
import { furtherChainUrl } from "../../../server/src/embedded/devnet-part.ts";
import { gatewayMinterAbi } from "../../../server/src/generated/contracts/gateway-minter.ts";
import { gatewayWalletAbi } from "../../../server/src/generated/contracts/gateway-wallet.ts";
import { messageTransmitterAbi } from "../../../server/src/generated/contracts/message-transmitter.ts";
import { stablecoinAbi } from "../../../server/src/generated/contracts/stablecoin.ts";
import { tokenMessengerAbi } from "../../../server/src/generated/contracts/token-messenger.ts";
import { createHttpClient } from "../../../server/src/platform/http-client/http-client.ts";
import type { BurnIntent } from "../../../server/src/ports/chain/unified-balance.ts";
import { programAt } from "../../../server/test/support/programs.ts";

const HUB = { name: "Arc_Testnet", chainId: 5_042_002, domain: 26 };
/** Both have the same domain, on networks of their own. */
const BASE = { name: "Base_Sepolia", chainId: 84_532, domain: 6 };
const BASE_MAINNET = { name: "Base", chainId: 8_453, domain: 6 };
export const FEES: Hex = "0x000000000000000000000000000000000000fee5";
export const UNIT = 1_000_000n;
const STARTING_MONEY = 10_000n * UNIT;
const TOKENS_OF_HUB = { USDC: zeroHash, EURC: zeroHash } as const;
const THRESHOLD = 2;
const FOREVER = 2n ** 256n - 1n;
const Started = z.object({ ready: z.literal(true), url: z.string() });

const word = (address: Hex): Hex => pad(address, { size: 32 });

const makeKeys = () => ({
  attesters: Array.from({ length: THRESHOLD }, generatePrivateKey),
  gateway: generatePrivateKey(),
});

/** A chain with everything of the bridge and the Gateway, and a payer with money and gas. */
function openSite(rpcUrl: string, { name, chainId, domain }: typeof HUB, payer: PrivateKeyAccount) {
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const client = createWalletClient({ account: payer, chain, transport: http(), pollingInterval: 20 }).extend(
    publicActions,
  );
  async function write(address: Hex, abi: Abi, functionName: string, args: readonly unknown[], account = payer) {
    const hash = await client.writeContract({ address, abi, functionName, args, account, gas: 1_000_000n });
    const receipt = await client.waitForTransactionReceipt({ hash });
    // Asked again without a transaction, the contract says why.
    if (receipt.status !== "success") await client.simulateContract({ address, abi, functionName, args, account });
    return receipt;
  }
  return { name, domain, rpcUrl, client, write };
}

/** The development chains with the contracts of bridge and Gateway, and as many attesters over them as a test wants. */
export async function openAttesterWorld() {
  const fixture = createDevnetFixture();
  const [funderKey, deployerKey, relayerKey] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()];
  const payer = privateKeyToAccount(generatePrivateKey());
  const relayer = privateKeyToAccount(relayerKey);
  const keys = { testnet: makeKeys(), mainnet: makeKeys() };
  const chainsFile = join(fixture.folder, "chains.json");
  const further = [BASE, BASE_MAINNET].map(({ name, chainId }) => ({ name, chainId }));
  writeFileSync(chainsFile, JSON.stringify(further));
  const prefund = [privateKeyToAddress(funderKey), payer.address];
  const devnet = await fixture.start({ prefund, words: ["--chains-file", chainsFile] });
  const client = createHttpClient();
  const open = (url: string) =>
    createEvmClient(createRpc({ url, http: client, timeoutMilliseconds: 30_000, isBatched: true }));
  const first = await deployDevelopment({
    client: open(devnet.url),
    relayerKey,
    funderKey,
    collection: FEES,
    known: {},
  });
  const hubTokens = { ...TOKENS_OF_HUB, ...first.contracts.tokens };

  const deploy = (
    url: string,
    domain: number,
    network: "testnet" | "mainnet",
    remotes: { domain: number; usdc: Hex }[],
    tokens?: typeof hubTokens,
  ) =>
    deployCrossChain({
      client: open(url),
      deployerKey,
      funderKey,
      setup: {
        domain,
        ...(tokens && { tokens }),
        remotes,
        attesters: keys[network].attesters.map(privateKeyToAddress),
        attesterThreshold: THRESHOLD,
        gatewaySigner: privateKeyToAddress(keys[network].gateway),
        relayer: relayer.address,
        feeRecipient: FEES,
      },
    });
  const toHub = [{ domain: HUB.domain, usdc: hubTokens.USDC }];
  const baseUrl = furtherChainUrl(devnet.url, BASE.name);
  const mainnetUrl = furtherChainUrl(devnet.url, BASE_MAINNET.name);
  const atBase = await deploy(baseUrl, BASE.domain, "testnet", toHub);
  const atMainnet = await deploy(mainnetUrl, BASE_MAINNET.domain, "mainnet", toHub);
  const atHub = await deploy(
    devnet.url,
    HUB.domain,
    "testnet",
    [{ domain: BASE.domain, usdc: atBase.tokens.USDC }],
    hubTokens,
  );

  const hub = { ...openSite(devnet.url, HUB, payer), contracts: atHub, network: "testnet", isHub: true } as const;
  const base = { ...openSite(baseUrl, BASE, payer), contracts: atBase, network: "testnet", isHub: false } as const;
  const mainnet = {
    ...openSite(mainnetUrl, BASE_MAINNET, payer),
    contracts: atMainnet,
    network: "mainnet",
    isHub: false,
  } as const;
  const sites = [hub, base, mainnet];
  type Site = (typeof sites)[number];

  for (const { token, minter, allowance } of listMinters(atHub)) {
    await hub.write(token, stablecoinAbi, "configureMinter", [minter, allowance], relayer);
  }
  for (const { write, contracts } of sites) {
    await write(contracts.tokens.USDC, stablecoinAbi, "mint", [payer.address, STARTING_MONEY], relayer);
    for (const spender of [contracts.messenger, contracts.gatewayWallet]) {
      await write(contracts.tokens.USDC, stablecoinAbi, "approve", [spender, STARTING_MONEY]);
    }
  }

  const children: ChildProcess[] = [];
  const folder = join(fixture.folder, "attester");
  const chains = sites.map(({ name, network, domain, rpcUrl, isHub, contracts }) => {
    const { transmitter, messenger, gatewayWallet, gatewayMinter, tokens } = contracts;
    return {
      name,
      network,
      domain,
      rpcUrl,
      isHub,
      usdc: tokens.USDC,
      transmitter,
      messenger,
      gatewayWallet,
      gatewayMinter,
    };
  });

  /** Starts the program; all of them share a folder, so that one goes on where the other was killed. */
  async function startAttester(change: Record<string, unknown> = {}, words: readonly string[] = ["--faults", "on"]) {
    const secretsFile = join(fixture.folder, "secrets.json");
    writeFileSync(secretsFile, JSON.stringify({ chains, keys, ...change }));
    const program = [programAt("attester/src/main.ts"), "--folder", folder, "--secrets-file", secretsFile];
    const child = spawn(process.execPath, [...program, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    for await (const line of createInterface({ input: child.stdout })) {
      const { url } = Started.parse(JSON.parse(line));
      const end = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return ended;
      };
      return { url, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
    }
    throw new Error("the attester did not start");
  }

  return {
    hub,
    base,
    mainnet,
    payer,
    /** As the attester's settings have them. */
    chains,
    startAttester,
    /** The transaction and the message that it shows. */
    async burn(from: Site, to: { domain: number }, amount: bigint, maxFee = 0n, finality = 2_000) {
      const { tokens, messenger } = from.contracts;
      const args = [amount, to.domain, word(payer.address), tokens.USDC, zeroHash, maxFee, finality];
      const { transactionHash, logs } = await from.write(messenger, tokenMessengerAbi, "depositForBurn", args);
      const [sent] = parseEventLogs({ abi: messageTransmitterAbi, eventName: "MessageSent", logs });
      if (sent === undefined) throw new Error("no message was sent");
      return { transactionHash, message: sent.args.message };
    },
    receive: (at: Site, message: string, attestation: string) =>
      at.write(at.contracts.transmitter, messageTransmitterAbi, "receiveMessage", [message, attestation]),
    mint: (at: Site, attestation: string, signature: string) =>
      at.write(at.contracts.gatewayMinter, gatewayMinterAbi, "gatewayMint", [attestation, signature]),
    deposit: ({ write, contracts }: Site, amount: bigint) =>
      write(contracts.gatewayWallet, gatewayWalletAbi, "deposit", [contracts.tokens.USDC, amount]),
    readDeposit: ({ client: at, contracts }: Site) =>
      at.readContract({
        address: contracts.gatewayWallet,
        abi: gatewayWalletAbi,
        functionName: "availableBalance",
        args: [contracts.tokens.USDC, payer.address],
      }),
    readBalance: ({ client: at, contracts }: Site, holder: Hex = payer.address) =>
      at.readContract({
        address: contracts.tokens.USDC,
        abi: stablecoinAbi,
        functionName: "balanceOf",
        args: [holder],
      }),
    readSupply: ({ client: at, contracts }: Site) =>
      at.readContract({ address: contracts.tokens.USDC, abi: stablecoinAbi, functionName: "totalSupply" }),
    /** Signed by the payer. */
    async signIntent(from: Site, to: Site, value: bigint, maxFee = UNIT) {
      const intent: BurnIntent = {
        maxBlockHeight: FOREVER,
        maxFee,
        spec: {
          sourceDomain: from.domain,
          destinationDomain: to.domain,
          sourceContract: word(from.contracts.gatewayWallet),
          destinationContract: word(to.contracts.gatewayMinter),
          sourceToken: word(from.contracts.tokens.USDC),
          destinationToken: word(to.contracts.tokens.USDC),
          sourceDepositor: word(payer.address),
          destinationRecipient: word(payer.address),
          sourceSigner: word(payer.address),
          destinationCaller: zeroHash,
          value,
          salt: generatePrivateKey(),
          hookData: "0x",
        },
      };
      return { intent, signature: await payer.signTypedData(burnIntentMessage(intent)) };
    },
    async close(): Promise<void> {
      for (const child of children) child.kill("SIGKILL");
      client.close();
      await fixture.cleanUp();
    },
  };
}

export type AttesterWorld = Awaited<ReturnType<typeof openAttesterWorld>>;
