import { type Address, getContract, type Hex, parseSignature } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faucetAbi, faucetBytecode } from "../../server/src/generated/contracts/faucet.ts";
import {
  settlementSplitterAbi,
  settlementSplitterBytecode,
} from "../../server/src/generated/contracts/settlement-splitter.ts";
import { stablecoinAbi, stablecoinBytecode } from "../../server/src/generated/contracts/stablecoin.ts";
import { swapPoolAbi, swapPoolBytecode } from "../../server/src/generated/contracts/swap-pool.ts";
import { compile } from "../scripts/solc.ts";
import { type Anvil, CHAIN_ID, connect, startAnvil } from "./support/anvil.ts";
import { findFoundryBinary } from "./support/foundry-binary.ts";

const FOREVER = 2n ** 64n;
const SUPPLIER = "0x00000000000000000000000000000000000050a1";
const AGENCY = "0x0000000000000000000000000000000000000a9e";
const SERVICE = "0x00000000000000000000000000000000000005e7";
const AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;
const QUOTE = [
  { name: "trader", type: "address" },
  { name: "tokenIn", type: "address" },
  { name: "amountIn", type: "uint256" },
  { name: "rate", type: "uint256" },
  { name: "expiresAt", type: "uint256" },
  { name: "quoteId", type: "bytes32" },
] as const;
const PERMIT = [
  { name: "owner", type: "address" },
  { name: "spender", type: "address" },
  { name: "value", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
] as const;

const anvilProgram = findFoundryBinary("anvil", "server/package.json");
if (anvilProgram === undefined) {
  process.stdout.write(`anvil has no npm package for ${process.platform} ${process.arch}: this file is not run\n`);
}

// Payers have no gas: they sign, and the relayer submits.
const payer = privateKeyToAccount(generatePrivateKey());
const keeper = privateKeyToAccount(generatePrivateKey());

describe.skipIf(anvilProgram === undefined)("the contracts through viem on a chain", () => {
  let anvil: Anvil | undefined;
  let world: Awaited<ReturnType<typeof deployWorld>>;

  beforeAll(async () => {
    anvil = await startAnvil(anvilProgram ?? "");
    world = await deployWorld(anvil.url);
  });
  afterAll(() => anvil?.stop());

  it("says its domain so that a client can build it", async () => {
    const { usdc, client } = world;
    expect(await usdc.read.name()).toBe("USDC");
    expect(await usdc.read.symbol()).toBe("USDC");
    expect(await usdc.read.version()).toBe("2");
    expect(await usdc.read.decimals()).toBe(6);
    const { domain } = await client.getEip712Domain({ address: usdc.address });
    expect(domain).toMatchObject({ name: "USDC", version: "2", chainId: CHAIN_ID });
    expect(domain.verifyingContract?.toLowerCase()).toBe(usdc.address);
  });

  it("moves money by an EIP-3009 signature, once", async () => {
    const { usdc, readBalance, settle, sign } = world;
    const given = authorize(payer.address, SUPPLIER, 2_000n);
    const { r, s, yParity } = parseSignature(await sign(payer, "TransferWithAuthorization", given));
    const before = await readBalance(SUPPLIER);
    const submit = () => usdc.write.transferWithAuthorization([...listArguments(given), 27 + yParity, r, s]);
    await settle(submit());
    expect(await readBalance(SUPPLIER)).toBe(before + 2_000n);
    expect(await usdc.read.authorizationState([given.from, given.nonce])).toBe(true);
    await expect(submit()).rejects.toThrow("FiatTokenV2: authorization is used or canceled");
  });

  it("moves the money of a wallet with code by what its keeper signs", async () => {
    const { usdc, wallet, readBalance, settle, sign } = world;
    const given = authorize(wallet, SUPPLIER, 3_000n);
    const before = await readBalance(SUPPLIER);
    const submit = async (signer: typeof keeper) =>
      usdc.write.transferWithAuthorization([
        ...listArguments(given),
        await sign(signer, "TransferWithAuthorization", given),
      ]);
    await expect(submit(payer)).rejects.toThrow("FiatTokenV2: invalid signature");
    await settle(submit(keeper));
    expect(await readBalance(SUPPLIER)).toBe(before + 3_000n);
  });

  it("takes a permit", async () => {
    const { usdc, relayer, settle, domain } = world;
    const permit = { owner: payer.address, spender: relayer, value: 500n, nonce: 0n, deadline: FOREVER };
    const signature = await payer.signTypedData({
      domain,
      types: { Permit: PERMIT },
      primaryType: "Permit",
      message: permit,
    });
    await settle(usdc.write.permit([permit.owner, permit.spender, permit.value, permit.deadline, signature]));
    expect(await usdc.read.allowance([payer.address, relayer])).toBe(500n);
  });

  it("splits what the payer signed for", async () => {
    const { usdc, splitter, readBalance, settle, sign } = world;
    const terms = {
      token: usdc.address,
      supplier: SUPPLIER,
      commissionRecipient: AGENCY,
      serviceFeeRecipient: SERVICE,
      gross: 12_345_679n,
      commissionBps: 1_000,
      serviceFeeBps: 100,
      settlementId: `0x${"11".repeat(32)}`,
    } as const;
    const nonce = await splitter.read.authorizationNonce([terms, payer.address]);
    const given = { ...authorize(payer.address, splitter.address, terms.gross), nonce };
    const signature = await sign(payer, "ReceiveWithAuthorization", given);
    const before = await readBalance(SUPPLIER);
    const submit = () =>
      splitter.write.splitWithAuthorization([terms, payer.address, given.validAfter, given.validBefore, signature]);
    await settle(submit());
    expect(await readBalance(SUPPLIER)).toBe(before + 10_987_656n);
    expect(await readBalance(AGENCY)).toBe(1_234_567n);
    expect(await readBalance(SERVICE)).toBe(123_456n);
    expect(await readBalance(splitter.address)).toBe(0n);
    await expect(submit()).rejects.toThrow("AlreadySettled");
  });

  it("swaps at the rate that the quoter signed", async () => {
    const { usdc, pool, settle, sign } = world;
    const quote = {
      trader: payer.address,
      tokenIn: usdc.address,
      amountIn: 1_080_000n,
      rate: 1_080_000_000_000_000_000n,
      expiresAt: FOREVER,
      quoteId: generatePrivateKey(),
    };
    const quoteSignature = await keeper.signTypedData({
      domain: { name: "SwapPool", version: "1", chainId: CHAIN_ID, verifyingContract: pool.address },
      types: { Quote: QUOTE },
      primaryType: "Quote",
      message: quote,
    });
    const order = { minAmountOut: 998_000n, recipient: SUPPLIER, deadline: FOREVER } as const;
    const nonce = await pool.read.authorizationNonce([quote, order]);
    const given = { ...authorize(payer.address, pool.address, quote.amountIn), nonce };
    const signature = await sign(payer, "ReceiveWithAuthorization", given);
    const submit = () => pool.write.swapWithAuthorization([quote, quoteSignature, order, signature]);
    await settle(submit());
    expect(await world.eurc.read.balanceOf([SUPPLIER])).toBe(998_000n);
    await expect(submit()).rejects.toThrow("QuoteUsed");
  });

  it("drips, and names the recipient who has to wait", async () => {
    const { usdc, faucet, readBalance, settle } = world;
    const before = await readBalance(SERVICE);
    await settle(faucet.write.drip([usdc.address, SERVICE]));
    expect(await readBalance(SERVICE)).toBe(before + 10_000_000n);
    await expect(faucet.write.drip([usdc.address, SERVICE])).rejects.toThrow("CoolingDown");
  });
});

function authorize(from: Address, to: Address, value: bigint) {
  return { from, to, value, validAfter: 0n, validBefore: FOREVER, nonce: generatePrivateKey() };
}

function listArguments({ from, to, value, validAfter, validBefore, nonce }: ReturnType<typeof authorize>) {
  return [from, to, value, validAfter, validBefore, nonce] as const;
}

async function deployWorld(url: string) {
  const connection = connect(url);
  const { client, deploy, settle, relayer } = connection;
  const usdc = getContract({
    address: await deploy({
      abi: stablecoinAbi,
      bytecode: stablecoinBytecode,
      args: ["USDC", "USDC", "USD", relayer],
    }),
    abi: stablecoinAbi,
    client,
  });
  const eurc = getContract({
    address: await deploy({
      abi: stablecoinAbi,
      bytecode: stablecoinBytecode,
      args: ["EURC", "EURC", "EUR", relayer],
    }),
    abi: stablecoinAbi,
    client,
  });
  const pool = getContract({
    address: await deploy({
      abi: swapPoolAbi,
      bytecode: swapPoolBytecode,
      args: [usdc.address, eurc.address, relayer, keeper.address],
    }),
    abi: swapPoolAbi,
    client,
  });
  const splitter = getContract({
    address: await deploy({ abi: settlementSplitterAbi, bytecode: settlementSplitterBytecode }),
    abi: settlementSplitterAbi,
    client,
  });
  const faucet = getContract({
    address: await deploy({ abi: faucetAbi, bytecode: faucetBytecode, args: [relayer] }),
    abi: faucetAbi,
    client,
  });
  const walletSource = "contracts/test/support/ContractWallet.sol";
  const wallet = await deploy({
    abi: [{ type: "constructor", stateMutability: "nonpayable", inputs: [{ name: "keeper", type: "address" }] }],
    bytecode: compile([walletSource]).find(walletSource, "ContractWallet").bytecode,
    args: [keeper.address],
  });
  for (const minter of [relayer, faucet.address]) await settle(usdc.write.configureMinter([minter, 10n ** 15n]));
  for (const account of [payer.address, wallet]) await settle(usdc.write.mint([account, 100_000_000n]));
  await settle(eurc.write.configureMinter([relayer, 10n ** 15n]));
  await settle(eurc.write.mint([pool.address, 10_000_000n]));
  await settle(pool.write.setTerms([20n, 10n ** 18n, 2n * 10n ** 18n]));
  await settle(pool.write.setLimits([usdc.address, 10_000_000n, 0n]));
  await settle(faucet.write.configureDrip([usdc.address, 10_000_000n, 1_000_000_000n, 3_600n]));

  const domain = { name: "USDC", version: "2", chainId: CHAIN_ID, verifyingContract: usdc.address } as const;
  return {
    ...connection,
    usdc,
    eurc,
    pool,
    splitter,
    faucet,
    wallet,
    domain,
    readBalance: (account: Address) => usdc.read.balanceOf([account]),
    sign: (
      signer: typeof keeper,
      primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization",
      message: ReturnType<typeof authorize>,
    ): Promise<Hex> => signer.signTypedData({ domain, types: { [primaryType]: AUTHORIZATION }, primaryType, message }),
  };
}
