import fc from "fast-check";
import { concat, type Hex, keccak256, parseEventLogs, recoverAddress, slice, zeroHash } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount, sign } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployBridge, linkBridges, startTwoChains, word } from "../../../test/support/cross-chain.ts";
import { LIVE_ATTESTATION, LIVE_MESSAGE } from "../../../test/support/live-message.ts";
import { messageTransmitterAbi } from "../../generated/contracts/message-transmitter.ts";
import { signedBurnsAbi } from "../../generated/contracts/signed-burns.ts";
import { decodeMessage, encodeMessage } from "./message.ts";

const LIVE_ATTESTERS = ["0x52Ed4cBff8DcE6A19748043F3240ec03c834bCeF", "0x725b06F73ff761eF5390e39315e2BfbF60d33F96"];
const FEES = "0x000000000000000000000000000000000000fee5";
const RECIPIENT = "0x0000000000000000000000000000000000000ca4";
const FAST = 1_000;
const STANDARD = 2_000;

describe("the bytes of a message", () => {
  it("are those of the live network", async () => {
    const payer = word("0x5c2632cedb167609c7f12e9bbfbc5665cfd66d40");
    const messenger = word("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d");
    const message = decodeMessage(LIVE_MESSAGE);
    expect(message).toEqual({
      version: 1,
      sourceDomain: 6,
      destinationDomain: 1,
      nonce: "0xbe761cca8a69cb0e710f3c765ca929dacd58ab31238952b2889b406f6406866b",
      sender: messenger,
      recipient: messenger,
      destinationCaller: zeroHash,
      minFinalityThreshold: 500,
      finalityThresholdExecuted: 1_000,
      burn: {
        version: 1,
        burnToken: word("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
        mintRecipient: payer,
        amount: 1_000_000n,
        messageSender: payer,
        maxFee: 100n,
        feeExecuted: 100n,
        expirationBlock: 59_288_048n,
        hookData: "0x",
      },
    });
    expect(encodeMessage(message)).toBe(LIVE_MESSAGE);
    const signers = [0, 65].map((start) => slice(LIVE_ATTESTATION, start, start + 65));
    const hash = keccak256(encodeMessage(message));
    expect(await Promise.all(signers.map((signature) => recoverAddress({ hash, signature })))).toEqual(LIVE_ATTESTERS);
  });

  it("come back as they were", () => {
    const bytes = (length: number) =>
      fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
    const number = fc.nat({ max: 2 ** 31 - 1 });
    const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const burn = fc.record({
      version: number,
      burnToken: bytes(32),
      mintRecipient: bytes(32),
      amount,
      messageSender: bytes(32),
      maxFee: amount,
      feeExecuted: amount,
      expirationBlock: amount,
      hookData: fc.nat({ max: 80 }).chain(bytes),
    });
    const message = fc.record({
      version: number,
      sourceDomain: number,
      destinationDomain: number,
      nonce: bytes(32),
      sender: bytes(32),
      recipient: bytes(32),
      destinationCaller: bytes(32),
      minFinalityThreshold: number,
      finalityThresholdExecuted: number,
      burn,
    });
    fc.assert(
      fc.property(message, (each) => {
        expect(decodeMessage(encodeMessage(each))).toEqual(each);
      }),
    );
  });

  it("are refused where they are too short to hold a burn", () => {
    expect(() => decodeMessage(slice(LIVE_MESSAGE, 0, 375))).toThrow("a message of 375 bytes burns nothing");
    expect(() => decodeMessage("0x")).toThrow("a message of 0 bytes burns nothing");
  });
});

describe("a transfer between two chains", () => {
  let close: (() => Promise<void>) | undefined;
  let world: Awaited<ReturnType<typeof openWorld>>;

  beforeAll(async () => {
    world = await openWorld();
    close = world.close;
  });
  afterAll(() => close?.());

  it("burns the money of a wallet without gas and mints it once", async () => {
    const { base, arc, payer, attest, deliver } = world;
    const sent = await world.burn(payer, 25_000_000n, 0n, STANDARD);
    expect(await base.readBalance(payer.address)).toBe(75_000_000n);
    const message = decodeMessage(sent);
    expect(message).toMatchObject({
      sourceDomain: base.domain,
      destinationDomain: arc.domain,
      nonce: zeroHash,
      sender: word(base.messenger).toLowerCase(),
      recipient: word(arc.messenger).toLowerCase(),
      minFinalityThreshold: STANDARD,
      finalityThresholdExecuted: 0,
      burn: {
        burnToken: word(base.token).toLowerCase(),
        mintRecipient: word(RECIPIENT),
        amount: 25_000_000n,
        messageSender: word(base.signedBurns).toLowerCase(),
        feeExecuted: 0n,
        expirationBlock: 0n,
        hookData: "0x",
      },
    });
    const nonce = generatePrivateKey();
    const attested = encodeMessage({ ...message, nonce, finalityThresholdExecuted: STANDARD });
    const before = await arc.readBalance(RECIPIENT);
    await deliver(attested, await attest(attested));
    expect(await arc.readBalance(RECIPIENT)).toBe(before + 25_000_000n);
    await expect(deliver(attested, await attest(attested))).rejects.toThrow("Nonce already used");
  });

  it("takes the fee of a fast message, and refuses it after its last block", async () => {
    const { arc, payer, attest, deliver } = world;
    const message = decodeMessage(await world.burn(payer, 10_000_000n, 5_000n, FAST));
    const nonce = generatePrivateKey();
    const [beforeFees, before] = await Promise.all([arc.readBalance(FEES), arc.readBalance(RECIPIENT)]);
    const inBlock = await arc.client.getBlockNumber();
    const fast = { ...message, nonce, finalityThresholdExecuted: FAST };
    const expired = encodeMessage({
      ...fast,
      burn: { ...message.burn, feeExecuted: 1_300n, expirationBlock: inBlock },
    });
    await expect(deliver(expired, await attest(expired))).rejects.toThrow("Message expired and must be re-signed");
    const burn = { ...message.burn, feeExecuted: 1_300n, expirationBlock: inBlock + 1_000n };
    const attested = encodeMessage({ ...fast, burn });
    await deliver(attested, await attest(attested));
    expect(await arc.readBalance(RECIPIENT)).toBe(before + 9_998_700n);
    expect(await arc.readBalance(FEES)).toBe(beforeFees + 1_300n);
  });

  it("mints nothing that fewer attesters signed, or another message", async () => {
    const { payer, attest, deliver } = world;
    const message = decodeMessage(await world.burn(payer, 1_000_000n, 0n, STANDARD));
    const attested = { ...message, nonce: generatePrivateKey(), finalityThresholdExecuted: STANDARD };
    const attestation = await attest(encodeMessage(attested));
    await expect(deliver(encodeMessage(attested), slice(attestation, 0, 65))).rejects.toThrow(
      "Invalid attestation length",
    );
    const larger = encodeMessage({ ...attested, burn: { ...message.burn, amount: 2_000_000n } });
    await expect(deliver(larger, attestation)).rejects.toThrow("Invalid signature");
  });
});

async function openWorld() {
  const chains = await startTwoChains();
  const attesterKeys = [generatePrivateKey(), generatePrivateKey()].toSorted((one, other) =>
    lowerAddress(one) < lowerAddress(other) ? -1 : 1,
  );
  const attesters = attesterKeys.map((key) => privateKeyToAccount(key).address);
  const [base, arc] = await Promise.all([
    deployBridge(chains.base, attesters, FEES),
    deployBridge(chains.arc, attesters, FEES),
  ]);
  await linkBridges(base, arc);
  const payer = privateKeyToAccount(generatePrivateKey());
  await base.mint(payer.address, 100_000_000n);

  /** The payer signs, and somebody else sends. Resolves with the message as the chain shows it. */
  async function burn(account: PrivateKeyAccount, amount: bigint, maxFee: bigint, finality: number): Promise<Hex> {
    const terms = {
      token: base.token,
      amount,
      destinationDomain: arc.domain,
      mintRecipient: word(RECIPIENT),
      destinationCaller: zeroHash,
      maxFee,
      minFinalityThreshold: finality,
      transferId: generatePrivateKey(),
    };
    const contract = { address: base.signedBurns, abi: signedBurnsAbi } as const;
    const args = [terms, account.address] as const;
    const nonce = await base.client.readContract({ ...contract, functionName: "authorizationNonce", args });
    const validBefore = 2n ** 64n;
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
      message: {
        from: account.address,
        to: base.signedBurns,
        value: amount,
        validAfter: 0n,
        validBefore,
        nonce,
      },
    });
    const { logs } = await base.settle(
      base.client.writeContract({
        ...contract,
        functionName: "depositForBurnWithAuthorization",
        args: [...args, 0n, validBefore, signature],
      }),
    );
    const [sent] = parseEventLogs({ abi: messageTransmitterAbi, eventName: "MessageSent", logs });
    if (sent === undefined) throw new Error("no message was sent");
    return sent.args.message;
  }

  return {
    base,
    arc,
    payer,
    burn,
    /** By all attesters, in the order of their addresses. */
    attest: async (message: Hex): Promise<Hex> =>
      concat(
        await Promise.all(attesterKeys.map((privateKey) => sign({ hash: keccak256(message), privateKey, to: "hex" }))),
      ),
    deliver: (message: Hex, attestation: Hex) =>
      arc.settle(
        arc.client.writeContract({
          address: arc.transmitter,
          abi: messageTransmitterAbi,
          functionName: "receiveMessage",
          args: [message, attestation],
        }),
      ),
    close: chains.close,
  };
}

/** As text that is compared as the number that it is. */
const lowerAddress = (key: Hex): string => privateKeyToAccount(key).address.toLowerCase();
