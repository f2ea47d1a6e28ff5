import fc from "fast-check";
import {
  bytesToHex,
  encodeAbiParameters,
  encodeFunctionData,
  hashTypedData,
  recoverAddress as recoverByLibrary,
} from "viem";
import { generatePrivateKey, privateKeyToAccount, sign } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { buildBroadcast, newPayer, paymentInput } from "../../../../test/support/payer.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { createPaymentDigest } from "../../../adapters/evm/signing/payment-digest.ts";
import {
  recoverAddress,
  recoverKeyEverywhere,
  recoverKeyNatively,
} from "../../../adapters/evm/signing/recover-address.ts";
import type { SignedPayment } from "../../../domain/payments.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { payment as paymentOperation } from "../settling/payment-operation.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const PRICE = 2_000n;

describe("the address behind a signature", () => {
  it("equals the library's", async () => {
    await fc.assert(
      fc.asyncProperty(bytes32, fc.noShrink(bytes32), async (digest, seed) => {
        const privateKey = bytesToHex(seed);
        fc.pre(BigInt(privateKey) > 0n && BigInt(privateKey) < ORDER);
        const signature = await sign({ hash: bytesToHex(digest), privateKey, to: "hex" });
        const expected = privateKeyToAccount(privateKey).address.toLowerCase();
        expect(recoverAddress(digest, signature)).toBe(expected);
        const other = Uint8Array.from(digest, (byte, index) => (index === 31 ? byte ^ 1 : byte));
        const byLibrary = await recoverByLibrary({ hash: bytesToHex(other), signature });
        expect(recoverAddress(other, signature)).toBe(byLibrary.toLowerCase());
        expect(recoverAddress(other, signature)).not.toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it.skipIf(recoverKeyNatively === undefined)("is the same in machine code and in WebAssembly", () => {
    const [low, high] = [new Uint8Array(32), new Uint8Array(32).fill(255)];
    const half = fc.oneof({ weight: 8, arbitrary: bytes32 }, fc.constantFrom(low, high));
    const answers = new Set<boolean>();
    fc.assert(
      fc.property(bytes32, half, half, fc.constantFrom(0 as const, 1 as const), (digest, r, s, recoveryId) => {
        const rs = Uint8Array.from([...r, ...s]);
        const key = recoverKeyEverywhere(digest, rs, recoveryId);
        answers.add(key === undefined);
        expect(recoverKeyNatively?.(digest, rs, recoveryId)).toEqual(key);
      }),
      { numRuns: 200 },
    );
    expect(answers, "some are a key's and some are nobody's").toEqual(new Set([true, false]));
  });

  it("is undefined for signatures that the tokens refuse", async () => {
    const hash = bytesToHex(new Uint8Array(32).fill(7));
    const digest = new Uint8Array(32).fill(7);
    const privateKey = generatePrivateKey();
    const signature = await sign({ hash, privateKey, to: "hex" });
    expect(recoverAddress(digest, signature)).toBe(privateKeyToAccount(privateKey).address.toLowerCase());
    const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
    const highS = (ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, "0");
    const otherV = v === "1b" ? "1c" : "1b";
    // Control: the same key's payment to any recipient.
    const twin: Hex = `0x${r}${highS}${otherV}`;
    expect(await recoverByLibrary({ hash, signature: twin })).toBe(privateKeyToAccount(privateKey).address);
    const zero = "0".repeat(64);
    const bad: Hex[] = [
      twin,
      `0x${r}${s}${v === "1b" ? "00" : "01"}`,
      `0x${r}${s}1d`,
      `0x${r}${s}`,
      `0x${r}${s}${v}00`,
      `0x${zero}${s}${v}`,
      `0x${r}${zero}${v}`,
      `0x${ORDER.toString(16)}${s}${v}`,
      `0x${"f".repeat(64)}${s}${v}`,
      "0x",
    ];
    for (const one of bad) expect(recoverAddress(digest, one)).toBeUndefined();
  });
});

describe("on a chain", () => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await openChainWorld();
  });
  afterEach(() => world.devChain.behave());
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const toTerms = (payment: SignedPayment) => ({
    network: payment.network,
    asset: payment.asset,
    payTo: payment.payTo,
    amount: payment.amount,
    maxTimeoutSeconds: 120,
    extra: { name: "USDC", version: "2" },
  });
  const verify = (payment: SignedPayment) => world.openedChain.facilitator.verify(payment, toTerms(payment));
  const refused = (reason: string) => expect.objectContaining({ name: "PaymentRefused", reason });
  const refusedMoreExactly = (serviceReason: string) =>
    expect.objectContaining({ name: "PaymentRefused", serviceReason });
  const badSignature = refused("invalid_exact_evm_payload_signature");

  async function settle(payment: SignedPayment) {
    await world.stores.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: `payment ${payment.nonce}`,
      tenantId: null,
      callId: null,
      purpose: "test",
      operation: paymentOperation.of(paymentInput(payment)),
      result: undefined,
    });
    await world.drain();
  }

  /** Sent by the token's administrator, which is the relayer here. */
  async function administer(functionName: "blacklist" | "unBlacklist", account: Hex): Promise<void> {
    const relayer = (await world.openedChain.wallets.list(sandboxChain)).find(({ kind }) => kind === "relayer");
    const { address } = world.openedChain.chain.tokens.USDC;
    await world.devChain.ask("anvil_impersonateAccount", [relayer?.address]);
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName, args: [account] });
    await world.devChain.ask("eth_sendTransaction", [{ from: relayer?.address, to: address, data }]);
    await world.devChain.mine();
    await world.devChain.ask("anvil_stopImpersonatingAccount", [relayer?.address]);
  }

  it("a digest follows EIP-712 for the token as read", async () => {
    const payer = await newPayer(world, 0n);
    const { chain } = world.openedChain;
    const payment = await payer.sign({ amount: PRICE });
    const field = (name: string, type: string) => ({ name, type });
    const expected = hashTypedData({
      domain: { name: "USDC", version: "2", chainId: chain.chainId, verifyingContract: chain.tokens.USDC.address },
      types: {
        TransferWithAuthorization: [
          field("from", "address"),
          field("to", "address"),
          ...["value", "validAfter", "validBefore"].map((name) => field(name, "uint256")),
          field("nonce", "bytes32"),
        ],
      },
      primaryType: "TransferWithAuthorization",
      message: { ...payment, from: payment.payer, to: payment.payTo, value: payment.amount },
    });
    expect(bytesToHex(createPaymentDigest(chain.tokens.USDC, chain.chainId)(payment))).toBe(expected);
  });

  it("a valid payment is verified by one request, with its payer's balance", async () => {
    const payer = await newPayer(world, 5n * UNIT);
    const payment = await payer.sign({ amount: PRICE });
    const before = world.devChain.calls.length;
    expect(await verify(payment)).toEqual({ balance: 5n * UNIT });
    expect(world.devChain.calls.slice(before).map(({ method }) => method)).toEqual(["eth_call"]);
    expect(await verify(await payer.sign({ amount: 5n * UNIT }))).toEqual({ balance: 5n * UNIT });
  });

  it("an invalid signature for an account known to have no code is refused without a request", async () => {
    const payer = await newPayer(world, 5n * UNIT);
    const stranger = privateKeyToAccount(generatePrivateKey());
    const before = world.devChain.calls.length;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const forged = await payer.sign({ amount: PRICE, signer: stranger });
      await expect(verify(forged)).rejects.toMatchObject({ reason: "invalid_exact_evm_payload_signature" });
    }
    expect(world.devChain.calls).toHaveLength(before + 1);
    expect(await verify(await payer.sign({ amount: PRICE }))).toEqual({ balance: 5n * UNIT });
  });

  it("a signature is valid only from the payer, over this domain and this payment", async () => {
    const payer = await newPayer(world, 5n * UNIT);
    const { signature, ...rest } = await payer.sign({ amount: PRICE });
    const stranger = privateKeyToAccount(generatePrivateKey());
    const payments = [
      await payer.sign({ amount: PRICE, signer: stranger }),
      await payer.sign({ amount: PRICE, domain: { version: "1" } }),
      await payer.sign({ amount: PRICE, domain: { name: "USD Coin" } }),
      await payer.sign({ amount: PRICE, domain: { chainId: 1 } }),
      await payer.sign({
        amount: PRICE,
        domain: { verifyingContract: requireToken(world.openedChain.chain, "EURC").address },
      }),
      { ...rest, signature, amount: PRICE + 1n },
      { ...rest, signature, validBefore: rest.validBefore + 1n },
      { ...rest, signature, payTo: payer.address },
      { ...rest, signature: `${signature}00` as const },
      { ...rest, signature: "0x" as const },
      { ...rest, signature: `0x${"11".repeat(65)}` as const },
      { ...rest, signature: `0x${"11".repeat(3_000)}` as const },
    ];
    for (const payment of payments) await expect(verify(payment)).rejects.toEqual(badSignature);
    // Control: the same, unchanged.
    expect(await verify({ ...rest, signature })).toEqual({ balance: 5n * UNIT });
  });

  it("a payment in another token of ours is verified there, and in no other", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: PRICE });
    const nowhere = { ...payment, asset: payer.address };
    await expect(verify(nowhere)).rejects.toEqual(refusedMoreExactly("invalid_asset"));
    await expect(verify({ ...payment, network: "eip155:1" })).rejects.toEqual(refused("invalid_network"));
    const eurc = requireToken(world.openedChain.chain, "EURC");
    const inEurc = await payer.sign({ amount: PRICE, domain: { name: eurc.name, verifyingContract: eurc.address } });
    await expect(verify({ ...inEurc, asset: eurc.address })).rejects.toEqual(refused("insufficient_funds"));
  });

  it("a used or cancelled authorization is refused", async () => {
    const payer = await newPayer(world, 5n * UNIT);
    const used = await payer.sign({ amount: PRICE });
    const byStranger = await payer.sign({ amount: PRICE });
    const cancelled = await payer.sign({ amount: PRICE });
    for (const payment of [used, byStranger, cancelled]) expect(await verify(payment)).toBeDefined();
    await settle(used);
    await world.devChain.sendAs(world.devChain.funderKey, buildBroadcast(byStranger));
    await payer.cancel(cancelled.nonce);
    for (const payment of [used, byStranger, cancelled]) {
      await expect(verify(payment)).rejects.toEqual(refusedMoreExactly("invalid_exact_evm_nonce_already_used"));
    }
  });

  it("a payer with too little money, or blocked by the issuer, is refused", async () => {
    const payer = await newPayer(world, UNIT);
    const tooMuch = await payer.sign({ amount: UNIT + 1n });
    await expect(verify(tooMuch)).rejects.toEqual(refused("insufficient_funds"));
    const payment = await payer.sign({ amount: UNIT });
    expect(await verify(payment)).toEqual({ balance: UNIT });
    await administer("blacklist", payer.address);
    await expect(verify(payment)).rejects.toEqual(refusedMoreExactly("payer_blocked"));
    await administer("unBlacklist", payer.address);
    expect(await verify(payment)).toEqual({ balance: UNIT });
  });

  it("while our own wallet is blocked all payments are refused", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: UNIT });
    await administer("blacklist", payment.payTo);
    const unavailable = expect.objectContaining({ name: "Failure", code: "payment_unavailable" });
    await expect(verify(payment)).rejects.toEqual(unavailable);
    await administer("unBlacklist", payment.payTo);
    expect(await verify(payment)).toEqual({ balance: UNIT });
  });

  it("a contract wallet is asked itself", async () => {
    const wallet = await newPayer(world, UNIT, { isContract: true });
    const good = await wallet.sign({ amount: PRICE });
    expect(await verify(good)).toEqual({ balance: UNIT });
    const stranger = privateKeyToAccount(generatePrivateKey());
    await expect(verify(await wallet.sign({ amount: PRICE, signer: stranger }))).rejects.toEqual(badSignature);
    await expect(verify({ ...good, amount: PRICE + 1n })).rejects.toEqual(badSignature);
    await settle(good);
    await expect(verify(good)).rejects.toEqual(refusedMoreExactly("invalid_exact_evm_nonce_already_used"));
  });

  it("a key whose account got code no longer signs for it", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: PRICE });
    expect(await verify(payment)).toEqual({ balance: UNIT });
    const other = await newPayer(world, 0n, { isContract: true });
    const code = await world.devChain.client.getCode({ address: other.address });
    await world.devChain.ask("anvil_setCode", [payer.address, code]);
    await world.devChain.mine();
    await expect(verify(payment)).rejects.toEqual(badSignature);
  });

  it("an undeployed wallet is reported as such", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: PRICE });
    const parameters = [{ type: "address" }, { type: "bytes" }, { type: "bytes" }] as const;
    const wrapped = encodeAbiParameters(parameters, [payer.address, "0x1234", payment.signature]);
    const signature: Hex = `0x${wrapped.slice(2)}${"6492".repeat(16)}`;
    await expect(verify({ ...payment, signature })).rejects.toEqual(
      refusedMoreExactly("invalid_exact_evm_payload_undeployed_smart_wallet"),
    );
  });

  it.each([
    ["is away", "reset"],
    ["answers 500", "500"],
    ["answers nothing of use", { result: "0x" }],
    ["answers with an error", { error: { code: -32_000, message: "no state" } }],
  ] as const)("a node that %s refuses no payment", async (_what, fate) => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: PRICE });
    world.devChain.misbehave(() => fate);
    await expect(verify(payment)).rejects.toEqual(
      expect.objectContaining({ name: "Failure", code: "payment_unavailable", retryAfterSeconds: 5 }),
    );
    world.devChain.behave();
    expect(await verify(payment)).toEqual({ balance: UNIT });
  });
});
