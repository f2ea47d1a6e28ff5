import fc from "fast-check";
import { encodeAbiParameters, type Hex, hashTypedData, keccak256, parseAbiParameters, slice, zeroHash } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployGateway, startTwoChains, word } from "../../../test/support/cross-chain.ts";
import { gatewayMinterAbi } from "../../generated/contracts/gateway-minter.ts";
import { gatewayWalletAbi } from "../../generated/contracts/gateway-wallet.ts";
import type { TransferSpec } from "../../ports/chain/unified-balance.ts";
import {
  burnIntentMessage,
  decodeAttestation,
  decodeBurnIntent,
  encodeAttestation,
  encodeBurnIntent,
  hashTransferSpec,
} from "./transfer.ts";

const FEES = "0x000000000000000000000000000000000000fee5";
const RECIPIENT = "0x0000000000000000000000000000000000000ca4";
const FOREVER = 2n ** 256n - 1n;
const DELAY_BLOCKS = 3n;

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const number = fc.nat({ max: 2 ** 31 - 1 });
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const spec = fc.record({
  sourceDomain: number,
  destinationDomain: number,
  sourceContract: bytes(32),
  destinationContract: bytes(32),
  sourceToken: bytes(32),
  destinationToken: bytes(32),
  sourceDepositor: bytes(32),
  destinationRecipient: bytes(32),
  sourceSigner: bytes(32),
  destinationCaller: bytes(32),
  value: amount,
  salt: bytes(32),
  hookData: fc.nat({ max: 80 }).chain(bytes),
});

const EXAMPLE: TransferSpec = {
  sourceDomain: 6,
  destinationDomain: 26,
  sourceContract: `0x${"01".repeat(32)}`,
  destinationContract: `0x${"02".repeat(32)}`,
  sourceToken: `0x${"03".repeat(32)}`,
  destinationToken: `0x${"04".repeat(32)}`,
  sourceDepositor: `0x${"05".repeat(32)}`,
  destinationRecipient: `0x${"06".repeat(32)}`,
  sourceSigner: `0x${"07".repeat(32)}`,
  destinationCaller: zeroHash,
  value: 1_500_000n,
  salt: `0x${"08".repeat(32)}`,
  hookData: "0x",
};

describe("the bytes of a transfer", () => {
  it("have the layout of the real contracts", () => {
    const words = ["01", "02", "03", "04", "05", "06", "07", "00"].map((each) => each.repeat(32)).join("");
    const value = (1_500_000).toString(16).padStart(64, "0");
    const terms = `ca85def7${"00000001"}${"00000006"}${"0000001a"}${words}${value}${"08".repeat(32)}00000000`;
    const intent = encodeBurnIntent({ maxBlockHeight: FOREVER, maxFee: 16n, spec: EXAMPLE });
    expect(intent).toBe(`0x070afbc2${"f".repeat(64)}${"10".padStart(64, "0")}00000154${terms}`);
    const attestation = encodeAttestation({ maxBlockHeight: 16n, spec: EXAMPLE });
    expect(attestation).toBe(`0xff6fb334${"10".padStart(64, "0")}00000154${terms}`);
    expect((attestation.length - 2) / 2).toBe(380);
    expect(hashTransferSpec(EXAMPLE)).toBe(keccak256(`0x${terms}`));
  });

  it("come back as they were", () => {
    fc.assert(
      fc.property(spec, amount, amount, (each, maxBlockHeight, maxFee) => {
        const intent = { maxBlockHeight, maxFee, spec: each };
        expect(decodeBurnIntent(encodeBurnIntent(intent))).toEqual(intent);
        const attestation = { maxBlockHeight, spec: each };
        expect(decodeAttestation(encodeAttestation(attestation))).toEqual(attestation);
      }),
    );
  });

  it("are refused where they are malformed", () => {
    const intent = encodeBurnIntent({ maxBlockHeight: 1n, maxFee: 2n, spec: EXAMPLE });
    const attestation = encodeAttestation({ maxBlockHeight: 1n, spec: EXAMPLE });
    expect(() => decodeAttestation(intent)).toThrow("a transfer has 0x070afbc2 at 0 instead of 0xff6fb334");
    expect(() => decodeBurnIntent("0x070afbc2")).toThrow("a payload of 4 bytes holds no transfer");
    expect(() => decodeAttestation(`${attestation}00`)).toThrow("a payload has 381 bytes instead of 380");
    const otherVersion = attestation.replace("ca85def700000001", "ca85def700000002");
    expect(() => decodeAttestation(`0x${otherVersion.slice(2)}`)).toThrow("a transfer has 0x00000002 at 4");
    const longHook: Hex = `0x${slice(attestation, 0, 376).slice(2)}00000001`;
    expect(() => decodeAttestation(longHook)).toThrow("the terms of a transfer have 340 bytes instead of 341");
    expect(() => encodeAttestation({ maxBlockHeight: 1n, spec: { ...EXAMPLE, salt: "0x08" } })).toThrow();
  });
});

describe("a unified balance on two chains", () => {
  let close: (() => Promise<void>) | undefined;
  let world: Awaited<ReturnType<typeof openWorld>>;

  beforeAll(async () => {
    world = await openWorld();
    close = world.close;
  });
  afterAll(() => close?.());

  it("hashes an intent as the contract does", async () => {
    const { base } = world;
    for (const each of fc.sample(spec, 5)) {
      const intent = { maxBlockHeight: 7n, maxFee: 8n, spec: each };
      const atWallet = { address: base.wallet, abi: gatewayWalletAbi } as const;
      const [structHash, separator] = await Promise.all([
        base.client.readContract({ ...atWallet, functionName: "getTypedDataHash", args: [encodeBurnIntent(intent)] }),
        base.client.readContract({ ...atWallet, functionName: "domainSeparator" }),
      ]);
      expect(hashTypedData(burnIntentMessage(intent))).toBe(
        keccak256(`0x1901${separator.slice(2)}${structHash.slice(2)}`),
      );
    }
  });

  it("is spent on the other chain: deposited by signature, minted there, burned here", async () => {
    const { base, arc, payer, deposit, mint, burn } = world;
    await deposit(payer, 60_000_000n);
    const terms = world.termsFor(payer, 20_000_000n);
    await mint(terms);
    expect(await arc.readBalance(RECIPIENT)).toBe(20_000_000n);
    await expect(mint(terms)).rejects.toThrow("TransferSpecHashUsed");
    const intent = { maxBlockHeight: FOREVER, maxFee: 50_000n, spec: terms };
    const signature = await payer.signTypedData(burnIntentMessage(intent));
    await burn(encodeBurnIntent(intent), signature, 1_000n);
    expect(await world.availableBalance(payer)).toBe(39_999_000n);
    expect(await base.readBalance(FEES)).toBe(1_000n);
    expect(await base.readBalance(base.wallet)).toBe(39_999_000n);
    const used = await base.client.readContract({
      address: base.wallet,
      abi: gatewayWalletAbi,
      functionName: "isTransferSpecHashUsed",
      args: [hashTransferSpec(terms)],
    });
    expect(used).toBe(true);
    await expect(burn(encodeBurnIntent(intent), signature, 1_000n)).rejects.toThrow("TransferSpecHashUsed");
  });

  it("is not burned for a fee or a recipient that its owner did not sign", async () => {
    const { payer, deposit, burn } = world;
    await deposit(payer, 5_000_000n);
    const intent = { maxBlockHeight: FOREVER, maxFee: 1_000n, spec: world.termsFor(payer, 1_000_000n) };
    const signature = await payer.signTypedData(burnIntentMessage(intent));
    await expect(burn(encodeBurnIntent(intent), signature, 1_001n)).rejects.toThrow("BurnFeeTooHighAtIndex");
    const changed = { ...intent, spec: { ...intent.spec, destinationRecipient: word(FEES) } };
    await expect(burn(encodeBurnIntent(changed), signature, 0n)).rejects.toThrow("InvalidIntentSourceSignerAtIndex");
  });
});

async function openWorld() {
  const chains = await startTwoChains();
  const operator = privateKeyToAccount(generatePrivateKey());
  const [base, arc] = await Promise.all([
    deployGateway(chains.base, operator.address, FEES, DELAY_BLOCKS),
    deployGateway(chains.arc, operator.address, FEES, DELAY_BLOCKS),
  ]);
  const payer = privateKeyToAccount(generatePrivateKey());
  await base.mint(payer.address, 100_000_000n);

  /** The depositor signs, and somebody else sends. */
  async function deposit(account: PrivateKeyAccount, value: bigint): Promise<void> {
    const message = {
      from: account.address,
      to: base.wallet,
      value,
      validAfter: 0n,
      validBefore: 2n ** 64n,
      nonce: generatePrivateKey(),
    };
    const signature = await account.signTypedData({
      domain: base.tokenDomain,
      types: {
        ReceiveWithAuthorization: [
          { name: "from", type: "address" },
          { name: "to", type: "address" },
          { name: "value", type: "uint256" },
          { name: "validAfter", type: "uint256" },
          { name: "validBefore", type: "uint256" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "ReceiveWithAuthorization",
      message,
    });
    const { from, validAfter, validBefore, nonce } = message;
    await base.settle(
      base.client.writeContract({
        address: base.wallet,
        abi: gatewayWalletAbi,
        functionName: "depositWithAuthorization",
        args: [base.token, from, value, validAfter, validBefore, nonce, signature],
      }),
    );
  }

  async function mint(terms: TransferSpec): Promise<void> {
    const attestation = encodeAttestation({ maxBlockHeight: FOREVER, spec: terms });
    const signature = await operator.signMessage({ message: { raw: keccak256(attestation) } });
    await arc.settle(
      arc.client.writeContract({
        address: arc.minter,
        abi: gatewayMinterAbi,
        functionName: "gatewayMint",
        args: [attestation, signature],
      }),
    );
  }

  async function burn(intent: Hex, signature: Hex, fee: bigint): Promise<void> {
    const calldata = encodeAbiParameters(parseAbiParameters("bytes[], bytes[], uint256[][]"), [
      [intent],
      [signature],
      [[fee]],
    ]);
    const operatorSignature = await operator.signMessage({ message: { raw: keccak256(calldata) } });
    await base.settle(
      base.client.writeContract({
        address: base.wallet,
        abi: gatewayWalletAbi,
        functionName: "gatewayBurn",
        args: [calldata, operatorSignature],
      }),
    );
  }

  return {
    base,
    arc,
    payer,
    deposit,
    mint,
    burn,
    termsFor: ({ address }: PrivateKeyAccount, value: bigint): TransferSpec => ({
      sourceDomain: base.domain,
      destinationDomain: arc.domain,
      sourceContract: word(base.wallet),
      destinationContract: word(arc.minter),
      sourceToken: word(base.token),
      destinationToken: word(arc.token),
      sourceDepositor: word(address),
      destinationRecipient: word(RECIPIENT),
      sourceSigner: word(address),
      destinationCaller: zeroHash,
      value,
      salt: generatePrivateKey(),
      hookData: "0x",
    }),
    availableBalance: ({ address }: PrivateKeyAccount) =>
      base.client.readContract({
        address: base.wallet,
        abi: gatewayWalletAbi,
        functionName: "availableBalance",
        args: [base.token, address],
      }),
    close: chains.close,
  };
}
