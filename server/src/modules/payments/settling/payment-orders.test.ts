import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { buildBroadcast, newPayer, paymentInput, randomNonce } from "../../../../test/support/payer.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { SignedPayment } from "../../../domain/payments.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { StoredOperation } from "../../../ports/chain/chain-operation.ts";
import { mint } from "../../chain/development/mint-operation.ts";
import { paymentBatch } from "./payment-batch-operation.ts";
import { payment as paymentOperation } from "./payment-operation.ts";

const PRICE = 2_000n;
const NOTHING_WRONG = { USDC: 0n, EURC: 0n };
const ELSEWHERE: Hex = "0x00000000000000000000000000000000000000cc";

/** A wallet that accepts every signature: it answers the selector of isValidSignature to any call. */
const ACCEPTS_EVERYTHING = "0x631626ba7e60e01b5f5260205ff3";

let world: ChainWorld;
let start: Temporal.Instant;
beforeAll(async () => {
  world = await openChainWorld();
  start = world.clock.now();
});
afterEach(() => world.devChain.behave());
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function enqueue(operation: StoredOperation) {
  return await world.stores.chainTransactions.enqueue({
    ...sandboxChain,
    idempotencyKey: `payment ${randomNonce()}`,
    tenantId: null,
    callId: null,
    purpose: "payment",
    operation,
    result: undefined,
  });
}

const stored = async (id: string) => await world.stores.chainTransactions.get(id);
const findOutcome = (payment: SignedPayment) => world.openedChain.outcomes.findOutcome(payment, start);
const collected = async () => {
  const { chain, collection } = world.openedChain;
  return (await chain.balances("USDC", [collection.address], (await chain.head()).number))[0] ?? 0n;
};

/** The amount that the collection wallet gains while `work` runs; the ledger gains the same. */
async function gain(work: () => Promise<unknown>): Promise<bigint> {
  const before = await collected();
  await work();
  expect(await world.reconcile()).toEqual(NOTHING_WRONG);
  return (await collected()) - before;
}

function batchInput(payments: readonly SignedPayment[]) {
  const items = payments.map((payment) => {
    const { token: _token, to: _to, ...item } = paymentInput(payment);
    return item;
  });
  return { token: "USDC", to: world.openedChain.collection.address, payments: items } as const;
}
const batchOrder = (payments: readonly SignedPayment[]) => paymentBatch.of(batchInput(payments));
const paymentOrder = (payment: SignedPayment) => paymentOperation.of(paymentInput(payment));

describe("an operation is read as it was stored", () => {
  it.each(["payment", "payment_batch"])("%s", async (kind) => {
    const payer = await newPayer(world, 0n);
    const payments = [await payer.sign({ amount: 2n ** 70n }), await payer.sign({ amount: PRICE })];
    const [first] = payments;
    if (first === undefined) throw new Error("nothing was signed");
    const order = kind === "payment" ? paymentOrder(first) : batchOrder(payments);
    const text = JSON.stringify(order);
    const read = (json: string) => paymentOperation.read(JSON.parse(json)) ?? paymentBatch.read(JSON.parse(json));
    expect(read(text)).toEqual(kind === "payment" ? paymentInput(first) : batchInput(payments));
    expect(() => read(text.replaceAll(payer.address, payer.account.address))).toThrow();
  });
});

describe("a payment", () => {
  it("reaches the collection wallet once, and the ledger", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: PRICE });
    expect(await findOutcome(payment)).toEqual({ kind: "open" });
    const { id } = await enqueue(paymentOrder(payment));
    expect(await gain(() => world.drain())).toBe(PRICE);
    const row = await stored(id);
    expect(row).toMatchObject({ state: "confirmed", failure: undefined });
    expect(await findOutcome(payment)).toMatchObject({ kind: "done", receipt: { hash: row?.hash } });
  });

  it("by a contract wallet arrives as well, whatever its signatures look like", async () => {
    const wallet = await newPayer(world, UNIT, { isContract: true });
    const short = await wallet.sign({ amount: PRICE });
    const { id } = await enqueue(paymentOrder(short));
    expect(await gain(() => world.drain())).toBe(PRICE);
    expect((await stored(id))?.state).toBe("confirmed");

    const lenient = await newPayer(world, UNIT);
    await world.devChain.ask("anvil_setCode", [lenient.address, ACCEPTS_EVERYTHING]);
    const odd = async (signature: Hex) => ({ ...(await lenient.sign({ amount: PRICE })), signature });
    await enqueue(paymentOrder(await odd("0x1234")));
    await enqueue(batchOrder([await odd(`0x${"ab".repeat(200)}`), await odd("0x56")]));
    expect(await gain(() => world.drain())).toBe(3n * PRICE);
  });

  it("broadcast by a stranger first is confirmed with that transaction", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: PRICE });
    const theirs = await world.devChain.sendAs(world.devChain.funderKey, buildBroadcast(payment));
    expect(theirs.status).toBe("success");
    const { id } = await enqueue(paymentOrder(payment));
    expect(await gain(() => world.drain())).toBe(0n);
    expect(await stored(id)).toMatchObject({ state: "confirmed", hash: theirs.transactionHash });
    expect(await findOutcome(payment)).toMatchObject({ kind: "done", receipt: { hash: theirs.transactionHash } });
  });

  it("of a payer drained meanwhile ends without effect, is not withdrawn, and can be retried", async () => {
    const payer = await newPayer(world, UNIT);
    const payment = await payer.sign({ amount: UNIT });
    await payer.spend(ELSEWHERE, 1n);
    const first = await enqueue(paymentOrder(payment));
    expect(await gain(() => world.drain())).toBe(0n);
    expect(await stored(first.id)).toMatchObject({
      state: "reverted",
      step: "carry_out",
      failure: expect.stringMatching(/exceeds balance/),
    });
    expect(await findOutcome(payment)).toEqual({ kind: "open" });
    await enqueue(mint.of({ token: "USDC", to: payer.address, amount: 1n }));
    await world.drain();
    const second = await enqueue(paymentOrder(payment));
    expect(await gain(() => world.drain())).toBe(UNIT);
    expect(await stored(second.id)).toMatchObject({ state: "confirmed" });
  });

  it("that was cancelled or has expired ends without effect", async () => {
    const payer = await newPayer(world, UNIT);
    const cancelled = await payer.sign({ amount: PRICE });
    await payer.cancel(cancelled.nonce);
    const now = BigInt(Math.floor(Date.now() / 1000));
    const expired = await payer.sign({ amount: PRICE, validBefore: now - 100n });
    const orders = [await enqueue(paymentOrder(cancelled)), await enqueue(paymentOrder(expired))];
    expect(await gain(() => world.drain())).toBe(0n);
    for (const { id } of orders) expect(await stored(id)).toMatchObject({ state: "reverted", step: "carry_out" });
    expect(await findOutcome(cancelled)).toEqual({ kind: "void" });
    expect(await findOutcome(expired)).toEqual({ kind: "void" });
  });

  it("is not made by another use of its nonce, even if the same transaction makes one that looks like it", async () => {
    const payer = await newPayer(world, UNIT);
    const nonce = randomNonce();
    const ours = await payer.sign({ amount: PRICE, nonce });
    const alike = await payer.sign({ amount: PRICE });
    const { chain } = world.openedChain;
    const signed = await payer.account.signTypedData({
      domain: { name: "USDC", version: "2", chainId: chain.chainId, verifyingContract: chain.tokens.USDC.address },
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
      message: {
        from: ours.payer,
        to: ELSEWHERE,
        value: PRICE,
        validAfter: ours.validAfter,
        validBefore: ours.validBefore,
        nonce,
      },
    });
    const elsewhere = { ...ours, payTo: ELSEWHERE, signature: signed };
    const multicall = await twoInOne(buildBroadcast(elsewhere).data, buildBroadcast(alike).data);
    expect(multicall.status).toBe("success");
    // Control: the operation that it imitates was made.
    expect(await findOutcome(alike)).toMatchObject({ kind: "done", receipt: { hash: multicall.transactionHash } });
    expect(await findOutcome(ours)).toEqual({ kind: "void" });
    const { id } = await enqueue(paymentOrder(ours));
    await world.drain();
    expect(await stored(id)).toMatchObject({ state: "reverted" });
    expect(await world.reconcile()).toEqual(NOTHING_WRONG);
  });

  it("survives a node that drops every answer to a broadcast", async () => {
    const payer = await newPayer(world, UNIT);
    const { id } = await enqueue(paymentOrder(await payer.sign({ amount: PRICE })));
    world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "dropped" : "pass"));
    await expect(world.openedChain.submitter.runOnce()).rejects.toThrow();
    world.devChain.behave();
    await world.drain();
    expect(await stored(id)).toMatchObject({ state: "confirmed" });
    expect(await world.reconcile()).toEqual(NOTHING_WRONG);
  });
});

/** One transaction with two calls of the token, made by a stranger's contract of nine kinds of instructions. */
async function twoInOne(first: Hex, second: Hex) {
  const { devChain, openedChain } = world;
  const token = openedChain.chain.tokens.USDC.address.slice(2);
  const half = first.slice(2).length / 2;
  expect(second.length).toBe(first.length);
  const size = half.toString(16).padStart(4, "0");
  // calldatacopy(0, offset, size) · call(gas, token, 0, 0, size, 0, 0), for each half
  const part = (offset: string) => `61${size}61${offset}6000376000600061${size}6000600073${token}5af150`;
  const code: Hex = `0x${part("0000")}${part(size)}00`;
  const address: Hex = "0x00000000000000000000000000000000000c0de0";
  await devChain.ask("anvil_setCode", [address, code]);
  return await devChain.sendAs(devChain.funderKey, { to: address, data: `0x${first.slice(2)}${second.slice(2)}` });
}

describe("a batch of payments", () => {
  it("is one transaction, and one bad item does not affect the others", async () => {
    const payers = await Promise.all([newPayer(world, 0n), newPayer(world, 0n), newPayer(world, 0n)]);
    for (const { address } of payers) await enqueue(mint.of({ token: "USDC", to: address, amount: UNIT }));
    await world.drain();
    const wallet = await newPayer(world, UNIT, { isContract: true });
    const good = await Promise.all(payers.map((payer) => payer.sign({ amount: PRICE })));
    const drained = await (await newPayer(world, 0n)).sign({ amount: PRICE });
    const ofWallet = await wallet.sign({ amount: PRICE });
    const [first, second, third] = good;
    if (first === undefined || second === undefined || third === undefined) throw new Error("nothing was signed");
    await payers[1].cancel(second.nonce);
    const unsigned = { ...third, nonce: randomNonce() };
    const { id } = await enqueue(batchOrder([first, second, unsigned, drained, ofWallet, third, first]));
    expect(await gain(() => world.drain())).toBe(3n * PRICE);
    const row = await stored(id);
    expect(row).toMatchObject({ state: "confirmed" });
    for (const payment of [first, third, ofWallet]) {
      expect(await findOutcome(payment)).toMatchObject({ kind: "done", receipt: { hash: row?.hash } });
    }
    expect(await findOutcome(second)).toEqual({ kind: "void" });
    expect(await findOutcome(unsigned)).toEqual({ kind: "open" });
    expect(await findOutcome(drained)).toEqual({ kind: "open" });
  });

  it("holds a hundred", async () => {
    const payer = await newPayer(world, UNIT);
    const payments: SignedPayment[] = [];
    for (let index = 0; index < 100; index += 1) payments.push(await payer.sign({ amount: PRICE }));
    const { id } = await enqueue(batchOrder(payments));
    expect(await gain(() => world.drain())).toBe(100n * PRICE);
    expect(await stored(id)).toMatchObject({ state: "confirmed" });
  });

  it("in which all items fail still ends", async () => {
    const payer = await newPayer(world, 0n);
    const { id } = await enqueue(batchOrder([await payer.sign({ amount: PRICE })]));
    expect(await gain(() => world.drain())).toBe(0n);
    expect(await stored(id)).toMatchObject({ state: "confirmed" });
  });

  it("has its contract even on a chain that existed before it", async () => {
    const { boundChains, chain } = world.openedChain;
    const before = (await boundChains.get(sandboxChain))?.contracts;
    expect(before?.paymentBatch).toBe(chain.paymentBatch);
    if (before === undefined) throw new Error("there are no contracts");
    const { paymentBatch: _paymentBatch, ...older } = before;
    await boundChains.setContracts(sandboxChain, older);
    const again = await world.open();
    const after = (await boundChains.get(sandboxChain))?.contracts;
    expect(after).toMatchObject(older);
    expect(after?.paymentBatch).not.toBe(before.paymentBatch);
    expect(after?.paymentBatch).toBe(again.chain.paymentBatch);
    const payer = await newPayer(world, UNIT);
    await enqueue(batchOrder([await payer.sign({ amount: PRICE })]));
    expect(await gain(() => world.drain(again))).toBe(PRICE);
    // Once known it stays known.
    expect((await world.open()).chain.paymentBatch).toBe(after?.paymentBatch);
  });
});
