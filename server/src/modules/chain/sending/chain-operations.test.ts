import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ChainWorld, openChainWorld, UNIT } from "../../../../test/support/chain-world.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { chainOperations } from "../../../contributions.ts";
import { StoredAddress, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { collectChainOperations, defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { escrowStep } from "../../escrow/step-machine/step-operation.ts";
import { registryEntry } from "../../reputation/registry-operation.ts";
import { transfer } from "../../treasury/transfer-operation.ts";

const RECIPIENT: Hex = "0x00000000000000000000000000000000000000dd";
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

/** A kind that the product lacks: the relayer approves a spender of its tokens. */
const approval = defineChainOperation({
  kind: "probe_approval",
  input: z.strictObject({ token: StoredToken, spender: StoredAddress, amount: StoredInteger }),
  encode({ input: { token, spender, amount }, site }) {
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "approve", args: [spender, amount] });
    return { to: requireToken(site.chain, token).address, data };
  },
  gasCeiling: () => ({ gas: 90_000n }),
  outcome: { tookEffect: (_input, { isEmpty }) => !isEmpty },
});

describe("a kind of operation that only its definition knows", () => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await openChainWorld();
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it("is stored, signed, sent and finished", async () => {
    const operations = {
      of: (stored: { kind: string }) => (stored.kind === approval.kind ? approval : chainOperations.of(stored)),
    };
    const openedChain = await world.open({ operations });
    const { id } = await world.stores.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: "probe",
      tenantId: null,
      callId: null,
      purpose: "probe",
      operation: approval.of({ token: "USDC", spender: RECIPIENT, amount: 3n * UNIT }),
      result: undefined,
    });
    await world.drain(openedChain);
    expect(await world.stores.chainTransactions.get(id)).toMatchObject({ state: "confirmed" });
    const relayer = (await openedChain.wallets.list(sandboxChain)).find(({ kind }) => kind === "relayer");
    const allowed = await world.devChain.client.readContract({
      address: openedChain.chain.tokens.USDC.address,
      abi: stablecoinAbi,
      functionName: "allowance",
      args: [relayer?.address ?? "0x", RECIPIENT],
    });
    expect(allowed).toBe(3n * UNIT);
    expect(await world.reconcile()).toEqual({ USDC: 0n, EURC: 0n });
  });
});

describe("operations stored by an earlier version", () => {
  const authorization = {
    from: address("a"),
    amount: "2000",
    validAfter: "0",
    validBefore: "1893456000",
    nonce: hash("b"),
    signature: `0x${"c1".repeat(65)}`,
  };
  const trip = { token: "USDC", escrow: address("e"), tripId: hash("1") };
  const terms = {
    funder: address("a"),
    budget: "50000000",
    expiresAt: "1893456000",
    claimSigner: address("b"),
    metadataHash: hash("2"),
    salt: hash("3"),
  };
  const step = (action: object) => ({ kind: "escrow", ...trip, action });
  const entry = (action: object) => ({ kind: "agent_registry", token: "USDC", from: address("a"), action });
  const split = { supplier: address("b"), gross: "33333333", commissionBps: 1_000, serviceFeeBps: 100 };
  const commit = {
    name: "commit",
    bookingId: hash("4"),
    vendor: address("c"),
    vendorAmount: "9",
    markup: "1",
    serviceFee: "0",
    itineraryHash: hash("5"),
  };
  const feedback = {
    name: "give_feedback",
    agentId: "12",
    stars: 4,
    tag: "0xAbc",
    feedbackUri: "",
    feedbackHash: hash("9"),
  };
  const request = {
    name: "request_validation",
    validator: address("b"),
    agentId: "3",
    requestUri: "",
    requestHash: hash("9"),
  };
  const response = {
    name: "respond_validation",
    requestHash: hash("9"),
    response: 100,
    responseUri: "",
    tag: "",
    responseHash: hash("8"),
  };

  it.each([
    { kind: "transfer", token: "EURC", from: address("a"), to: address("b"), amount: "7" },
    { kind: "split", token: "USDC", from: address("a"), ...split },
    { kind: "drip", token: "USDC", to: address("a") },
    { kind: "mint", token: "USDC", to: address("a"), amount: (2n ** 200n).toString() },
    { kind: "payment", token: "USDC", to: address("b"), ...authorization },
    { kind: "payment_batch", token: "USDC", to: address("b"), payments: [authorization, authorization] },
    { kind: "trip_prefund", ...trip, terms },
    step({ name: "claim", guest: address("b"), deadline: "1893456000", signature: `0x${"ab".repeat(70)}` }),
    step({ name: "reserve", bookingId: hash("4"), amount: "10" }),
    step(commit),
    step({ name: "confirm", bookingId: hash("4"), ticketHash: hash("6") }),
    step({ name: "settle", bookingId: hash("4") }),
    step({ name: "cancel", bookingId: hash("4"), reason: "0xNot hexadecimal" }),
    step({ name: "log", actionId: hash("7"), actionType: "Search", fee: "1" }),
    step({ name: "close" }),
    step({ name: "release" }),
    step({ name: "release_booking", bookingId: hash("4") }),
    entry({ name: "register", agentUri: "urn:wayfare:tenant:One" }),
    entry(feedback),
    entry(request),
    entry(response),
  ])("%o is read", (stored) => {
    const movement = { token: "USDC", from: address("f"), to: address("f"), amount: 0n } as const;
    const place = { transactionHash: hash("0"), logIndex: 0, blockNumber: 1n };
    const operation = chainOperations.of(stored);
    expect(operation.kind).toBe(stored.kind);
    // Reads every member, and refuses members that its kind does not store.
    expect(operation.isMovedBy(stored, { ...movement, ...place })).toBe(false);
    expect(() => operation.isMovedBy({ ...stored, surprise: 1 }, { ...movement, ...place })).toThrow();
  });

  it("is what is stored today", () => {
    const input = { token: "USDC", from: address("A"), to: address("B"), amount: 12n } as const;
    const stored = { kind: "transfer", token: "USDC", from: address("a"), to: address("b"), amount: "12" };
    expect(transfer.of(input)).toEqual(stored);
    const reason = { name: "cancel", bookingId: hash("A"), reason: "0xNot hexadecimal" } as const;
    expect(escrowStep.of({ token: "USDC", escrow: address("E"), tripId: hash("1"), action: reason })).toEqual(
      step({ name: "cancel", bookingId: hash("a"), reason: "0xNot hexadecimal" }),
    );
    const rated = { ...feedback, name: "give_feedback", agentId: 12n, feedbackHash: hash("9") } as const;
    expect(registryEntry.of({ token: "USDC", from: address("A"), action: rated })).toEqual(entry(feedback));
  });
});

it("no two modules define the same kind, and an unknown one is reported", () => {
  expect(() => collectChainOperations([transfer, transfer])).toThrow("defined twice");
  expect(() => chainOperations.of({ kind: "of_tomorrow" })).toThrow("no module has defined");
  expect(() => transfer.outgoing({ kind: "drip", token: "USDC" })).toThrow("not of kind transfer");
});
