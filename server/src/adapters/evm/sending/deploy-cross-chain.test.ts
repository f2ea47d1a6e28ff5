import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeFunctionData, type Hex, parseEventLogs, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDevnetFixture } from "../../../../../devnet/test/support/devnet-fixture.ts";
import { word } from "../../../../test/support/cross-chain.ts";
import { furtherChainUrl } from "../../../embedded/devnet-part.ts";
import { gatewayMinterAbi } from "../../../generated/contracts/gateway-minter.ts";
import { messageTransmitterAbi } from "../../../generated/contracts/message-transmitter.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { swapPoolAbi } from "../../../generated/contracts/swap-pool.ts";
import { tokenMessengerAbi } from "../../../generated/contracts/token-messenger.ts";
import { createHttpClient } from "../../../platform/http-client/http-client.ts";
import { createEvmClient, createRpc, deployCrossChain, deployDevelopment, listMinters } from "../index.ts";
import { openSending } from "./development-sending.ts";

const BASE = { name: "Base_Sepolia", chainId: 84_532, domain: 6 };
const ETHEREUM = { name: "Ethereum_Sepolia", chainId: 11_155_111, domain: 0 };
const HUB_DOMAIN = 26;
const FEES: Hex = "0x000000000000000000000000000000000000fee5";
const UNIT = 1_000_000n;

const fixture = createDevnetFixture();
const http = createHttpClient();
const [funderKey, deployerKey, relayerKey, gatewayKey] = Array.from({ length: 4 }, generatePrivateKey);
const attesters = Array.from({ length: 2 }, () => privateKeyToAccount(generatePrivateKey()).address);
const relayer = privateKeyToAccount(relayerKey ?? "0x");
const gatewaySigner = privateKeyToAccount(gatewayKey ?? "0x").address;
const open = (url: string) => createEvmClient(createRpc({ url, http, timeoutMilliseconds: 30_000, isBatched: true }));
let rpcUrl: string;
let hubTokens: { USDC: Hex; EURC: Hex };

beforeAll(async () => {
  const chainsFile = join(fixture.folder, "chains.json");
  writeFileSync(chainsFile, JSON.stringify([BASE, ETHEREUM].map(({ name, chainId }) => ({ name, chainId }))));
  const prefund = [privateKeyToAccount(funderKey ?? "0x").address];
  ({ url: rpcUrl } = await fixture.start({ prefund, words: ["--chains-file", chainsFile] }));
  const { contracts } = await deployDevelopment({
    client: open(rpcUrl),
    relayerKey: relayerKey ?? "0x",
    funderKey: funderKey ?? "0x",
    collection: FEES,
    known: {},
  });
  const { USDC, EURC } = contracts.tokens;
  if (EURC === undefined) throw new Error("there is no EURC");
  hubTokens = { USDC, EURC };
});
afterAll(() => {
  http.close();
  return fixture.cleanUp();
});

const shared = { attesters, attesterThreshold: 2, gatewaySigner, relayer: relayer.address, feeRecipient: FEES };
const toHub = () => ({ domain: HUB_DOMAIN, usdc: hubTokens.USDC });
const keys = () => ({ deployerKey: deployerKey ?? "0x", funderKey: funderKey ?? "0x" });
const deployAt = ({ name, domain }: typeof BASE) =>
  deployCrossChain({
    client: open(furtherChainUrl(rpcUrl, name)),
    ...keys(),
    setup: { ...shared, domain, remotes: [toHub()] },
  });

test("a further chain has everything at the same addresses, after two seconds at most on an idle machine", async () => {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const contracts = await deployAt(BASE);
  const took = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  // The wall clock is that of a machine that others use too.
  expect(took).toBeLessThan(20_000);
  expect(user + system).toBeLessThan(2_000_000);
  expect(await deployAt(ETHEREUM)).toEqual(contracts);
  // Again: nothing more is sent.
  const client = open(furtherChainUrl(rpcUrl, BASE.name));
  const before = await client.getBlockNumber();
  expect(await deployAt(BASE)).toEqual(contracts);
  expect(await client.getBlockNumber()).toBe(before);
  const { USDC, EURC } = contracts.tokens;
  for (const token of [USDC, EURC]) {
    const atPool = { address: contracts.swapPool, abi: swapPoolAbi, functionName: "availableInventory" } as const;
    expect(await client.readContract({ ...atPool, args: [token] })).toBe(990_000n * UNIT);
  }
});

test("the relayer mints 10,000 of both tokens there, and a burn there is a message to the first chain", async () => {
  const { tokens, messenger, tokenMinter, transmitter } = await deployAt(BASE);
  const client = open(furtherChainUrl(rpcUrl, BASE.name));
  const node = await openSending(client, performance.now() + 30_000);
  const send = async (to: Hex, data: Hex) =>
    await node.send(relayer, await node.readNonce(relayer.address), [{ name: "a test", to, data, gas: 500_000n }]);
  const amount = 10_000n * UNIT;
  for (const token of [tokens.USDC, tokens.EURC]) {
    await send(
      token,
      encodeFunctionData({ abi: stablecoinAbi, functionName: "mint", args: [relayer.address, amount] }),
    );
    const balance = { address: token, abi: stablecoinAbi, functionName: "balanceOf" } as const;
    expect(await client.readContract({ ...balance, args: [relayer.address] })).toBe(amount);
  }
  const approve = { abi: stablecoinAbi, functionName: "approve", args: [messenger, amount] } as const;
  await send(tokens.USDC, encodeFunctionData(approve));
  const burn = [amount, HUB_DOMAIN, word(FEES), tokens.USDC, zeroHash, 0n, 2_000] as const;
  await send(messenger, encodeFunctionData({ abi: tokenMessengerAbi, functionName: "depositForBurn", args: burn }));
  const logs = await client.getLogs({ address: transmitter, fromBlock: 0n });
  expect(parseEventLogs({ abi: messageTransmitterAbi, eventName: "MessageSent", logs })).toHaveLength(1);
  expect(tokenMinter).not.toBe(messenger);
});

test("a chain that has its tokens gets the rest at the addresses of the others; their master minter appoints", async () => {
  const { tokens: remoteTokens, ...others } = await deployAt(BASE);
  const setup = {
    ...shared,
    domain: HUB_DOMAIN,
    tokens: hubTokens,
    remotes: [BASE, ETHEREUM].map(({ domain }) => ({ domain, usdc: remoteTokens.USDC })),
  };
  const atHub = await deployCrossChain({ client: open(rpcUrl), ...keys(), setup });
  expect(atHub).toEqual({ ...others, tokens: hubTokens });
  expect(listMinters(atHub).map(({ token, minter }) => [token, minter])).toEqual([
    [hubTokens.USDC, others.tokenMinter],
    [hubTokens.USDC, others.gatewayMinter],
    [hubTokens.USDC, others.gatewayWallet],
  ]);
});

test("a deployment that was cut off goes on where it was", async () => {
  const other = { deployerKey: generatePrivateKey(), funderKey: keys().funderKey };
  const client = open(furtherChainUrl(rpcUrl, ETHEREUM.name));
  const setup = { ...shared, domain: 1, remotes: [toHub()] };
  let sent = 0;
  const cut = createEvmClient({
    async request(call) {
      const request = createRpc({ url: furtherChainUrl(rpcUrl, ETHEREUM.name), http, timeoutMilliseconds: 30_000 });
      if (call.method === "eth_sendRawTransaction") {
        sent += 1;
        if (sent > 6) throw new Error("cut off");
      }
      return await request.request(call);
    },
  });
  await expect(deployCrossChain({ client: cut, ...other, setup })).rejects.toThrow();
  const contracts = await deployCrossChain({ client, ...other, setup });
  const deployer = privateKeyToAccount(other.deployerKey).address;
  const nonce = await client.getTransactionCount({ address: deployer });
  await deployCrossChain({ client, ...other, setup });
  expect(await client.getTransactionCount({ address: deployer })).toBe(nonce);
  const domain = { address: contracts.transmitter, abi: messageTransmitterAbi, functionName: "localDomain" } as const;
  expect(await client.readContract(domain)).toBe(1);
  const minter = { address: contracts.gatewayMinter, abi: gatewayMinterAbi, functionName: "domain" } as const;
  expect(await client.readContract(minter)).toBe(1);
});
