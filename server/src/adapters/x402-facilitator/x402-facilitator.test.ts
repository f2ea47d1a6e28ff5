import { inspect } from "node:util";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld } from "../../../test/support/chain-world.ts";
import { DEAD_PORT } from "../../../test/support/dead-port.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { signPayment } from "../../../test/support/sign-payment.ts";
import {
  type FacilitatorFate,
  type StockFacilitator,
  startStockFacilitator,
} from "../../../test/support/stock-facilitator.ts";
import { readConfig } from "../../config/config.ts";
import type { PaymentTerms } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import { mint } from "../../modules/chain/development/mint-operation.ts";
import { openFacilitator } from "../../outside/facilitator.ts";
import type { HttpClient, HttpRequest } from "../../platform/http-client/http-client.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Facilitator } from "../../ports/facilitator.ts";
import { createX402Facilitator } from "./index.ts";

const PRICE = 2_000n;
const COLLECTION: Hex = "0x00000000000000000000000000000000000000c0";
/** Longer than any machine stalls. */
const TIMEOUT_MILLISECONDS = 120_000;
const SHORT_TIMEOUT_MILLISECONDS = 200;

let world: ChainWorld;
let stock: StockFacilitator;
let facilitator: Facilitator;
let terms: PaymentTerms;
let payer: PrivateKeyAccount;

beforeAll(async () => {
  world = await openChainWorld();
  const { chain } = world.openedChain;
  const { chainId, funderKey, url: rpcUrl } = world.devChain;
  stock = await startStockFacilitator({
    chainId,
    rpcUrl,
    fund: (to, value) => world.devChain.sendAs(funderKey, { to, value }),
  });
  const { address: asset, name, version } = chain.tokens.USDC;
  const network = `eip155:${chain.chainId}`;
  terms = { network, asset, payTo: COLLECTION, amount: PRICE, maxTimeoutSeconds: 120, extra: { name, version } };
  facilitator = await open();
  payer = privateKeyToAccount(generatePrivateKey());
  const address: Hex = `0x${payer.address.slice(2).toLowerCase()}`;
  await world.stores.chainTransactions.enqueue({
    ...sandboxChain,
    idempotencyKey: "test payer",
    tenantId: null,
    callId: null,
    purpose: "payer",
    operation: mint.of({ token: "USDC", to: address, amount: 1_000_000n }),
    result: undefined,
  });
  await world.drain();
});
afterEach(() => stock.behave());
afterAll(async () => {
  await stock.close();
  await world[Symbol.asyncDispose]();
});

function open(
  change: { url?: string; key?: string; timeoutMilliseconds?: number; chain?: ChainKey; http?: HttpClient } = {},
): Promise<Facilitator> {
  return createX402Facilitator({
    url: stock.url,
    http: world.http,
    chain: { environment: "sandbox", chain: terms.network },
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    ...change,
  });
}

/** An external facilitator settles payments itself. */
function settle(by: Facilitator, ...payment: Parameters<NonNullable<Facilitator["settle"]>>) {
  if (by.settle === undefined) throw new Error("An external facilitator settles.");
  return by.settle(...payment);
}

async function collected(): Promise<bigint> {
  const { chain } = world.openedChain;
  const head = await chain.head();
  return (await chain.balances("USDC", [COLLECTION], head.number))[0] ?? 0n;
}

const unavailable = expect.objectContaining({ name: "Failure", code: "payment_unavailable" });
const refused = (reason: string) => expect.objectContaining({ name: "PaymentRefused", reason });

describe("with the stock facilitator", () => {
  it("a payment is verified and settled, and the chain shows exactly its amount", async () => {
    const payment = await signPayment(payer, terms);
    const before = await collected();
    expect(await facilitator.verify(payment, terms)).toEqual({ balance: undefined });
    expect(await collected()).toBe(before);
    const settled = await settle(facilitator, payment, terms);
    expect(await collected()).toBe(before + PRICE);
    const transactionHash = settled.kind === "sent" ? settled.transactionHash : undefined;
    const receipt = transactionHash === undefined ? undefined : await world.openedChain.chain.receipt(transactionHash);
    expect(receipt).toMatchObject({ succeeded: true, movements: [{ to: COLLECTION, amount: PRICE }] });
  });

  it.each([
    ["of another amount", { amount: PRICE + 1n }, "invalid_exact_evm_payload_authorization_value_mismatch"],
    [
      "to another recipient",
      { payTo: "0x00000000000000000000000000000000000000aa" },
      "invalid_exact_evm_payload_recipient_mismatch",
    ],
    ["that has expired", { validBefore: 1n }, "invalid_exact_evm_payload_authorization_valid_before"],
    ["that is not valid yet", { validAfter: 9_999_999_999n }, "invalid_exact_evm_payload_authorization_valid_after"],
  ] as const)("an authorization %s is refused with its reason", async (_, change, reason) => {
    const payment = await signPayment(payer, terms, change);
    await expect(facilitator.verify(payment, terms)).rejects.toEqual(refused(reason));
  });

  it("a stranger's signature is refused", async () => {
    const payment = await signPayment(payer, terms);
    const { signature } = await signPayment(privateKeyToAccount(generatePrivateKey()), terms);
    await expect(facilitator.verify({ ...payment, signature }, terms)).rejects.toMatchObject({
      name: "PaymentRefused",
    });
  });

  it("a payer without money is refused", async () => {
    const payment = await signPayment(privateKeyToAccount(generatePrivateKey()), terms);
    await expect(facilitator.verify(payment, terms)).rejects.toEqual(refused("invalid_transaction_state"));
  });

  it("a settled payment is refused a second time, and no money moves again", async () => {
    const payment = await signPayment(payer, terms);
    expect(await settle(facilitator, payment, terms)).toMatchObject({ kind: "sent" });
    const before = await collected();
    expect(await settle(facilitator, payment, terms)).toMatchObject({ kind: "refused" });
    expect(await collected()).toBe(before);
  });

  it("a lost answer after the broadcast has an unknown outcome, and the chain has the money", async () => {
    const payment = await signPayment(payer, terms);
    const before = await collected();
    stock.misbehave(({ path }) => (path === "/settle" ? "dropped" : "pass"));
    await expect(settle(facilitator, payment, terms)).rejects.toEqual(unavailable);
    expect(await collected()).toBe(before + PRICE);
  });
});

describe("it receives what the packages' own client sends", () => {
  it("with the payer's extra fields, and the configured key", async () => {
    const beside = { resource: { url: "https://example.com/tools/x" }, extensions: { bazaar: { info: {} } }, more: 1 };
    const payment = { ...(await signPayment(payer, terms)), beside };
    const already = stock.asked.length;
    const keyed = await open({ key: "a key" });
    await keyed.verify(payment, terms);
    stock.misbehave(() => ({ status: 500, json: {} }));
    await expect(settle(keyed, payment, terms)).rejects.toEqual(unavailable);
    const asked = stock.asked.slice(already);
    expect(asked.map(({ path }) => path)).toEqual(["/supported", "/verify", "/settle"]);
    for (const { authorization } of asked) expect(authorization).toBe("Bearer a key");
    for (const { body } of asked.slice(1))
      expect(body).toMatchObject({ paymentPayload: { x402Version: 2, ...beside } });
  });

  it("the configured key appears only in that header, even if the facilitator echoes it", async () => {
    const key = "k3y-that-nobody-else-reads";
    const sent: HttpRequest[] = [];
    const send = (request: HttpRequest) => {
      sent.push(request);
      return world.http.send(request);
    };
    const config = readConfig({ X402_FACILITATOR_URL: stock.url, X402_FACILITATOR_KEY: key });
    const keyed = await openFacilitator(config, { home: () => world.openedChain }, { ...world.http, send });
    if (keyed === undefined) throw new Error("A facilitator is configured.");
    const payment = await signPayment(payer, terms);
    await keyed.verify(payment, terms);
    stock.misbehave(() => ({ status: 401, text: `Bearer ${key} is not known` }));
    const refusal = await settle(keyed, payment, terms).catch((reason: unknown) => reason);
    expect(refusal).toEqual(unavailable);
    const logged = inspect(refusal, { depth: 10 });
    expect(logged).toContain("is not known");
    expect(logged).not.toContain(key);

    expect(sent.map(({ url }) => url)).toEqual(["supported", "verify", "settle"].map((path) => `${stock.url}/${path}`));
    for (const { headers, ...rest } of sent) {
      expect(headers).toEqual({ authorization: `Bearer ${key}` });
      expect(JSON.stringify(rest)).not.toContain(key);
    }
  });

  it.each(["verify", "settle"] as const)("to %s", async (path) => {
    const { HTTPFacilitatorClient } = await import("@x402/core/http");
    const payment = await signPayment(payer, terms);
    stock.misbehave(() => ({ status: 500, json: {} }));
    const already = stock.asked.length;
    const ask = path === "verify" ? facilitator.verify(payment, terms) : settle(facilitator, payment, terms);
    await expect(ask).rejects.toEqual(unavailable);
    const { payer: from, payTo: to, validAfter, validBefore, nonce, signature, amount } = payment;
    const requirements = { ...terms, network: "eip155:5042002", scheme: "exact", amount: "2000" } as const;
    const authorization = { from, to, value: amount, validAfter, validBefore, nonce };
    const theirs = new HTTPFacilitatorClient({ url: stock.url });
    const payload = { x402Version: 2, accepted: requirements, payload: { authorization, signature } };
    await expect(theirs[path](payload, requirements)).rejects.toThrow();
    const [ours, expected, ...more] = stock.asked.slice(already);
    expect(more).toEqual([]);
    expect(ours).toEqual(expected);
    expect(ours?.path).toBe(`/${path}`);
  });
});

/** Whatever it answers, the payment's outcome is unknown. */
const nonsense: [string, FacilitatorFate][] = [
  ["breaks the connection", "reset"],
  ["is broken", { status: 500, text: "<h1>Internal Server Error</h1>" }],
  ["is broken and says that the payment is bad", { status: 503, json: { isValid: false, success: false } }],
  ["has too much to do", { status: 429, json: { error: "slow down" } }],
  ["wants a key", { status: 401, json: { isValid: false, success: false, transaction: "", network: "" } }],
  ["answers no JSON", { status: 200, text: "ok" }],
  ["answers nothing", { status: 200, text: "" }],
  ["answers something else", { status: 200, json: { isValid: "yes", success: "yes", transaction: 1 } }],
  ["leads elsewhere", { status: 302, text: "" }],
  ["answers without end", { status: 200, text: " ".repeat(1_000_000) }],
];

describe("a facilitator that", () => {
  it.each(nonsense)("%s is unavailable: payments are neither valid nor invalid", async (_, fate) => {
    const payment = await signPayment(payer, terms);
    stock.misbehave(() => fate);
    await expect(facilitator.verify(payment, terms)).rejects.toEqual(unavailable);
    await expect(settle(facilitator, payment, terms)).rejects.toEqual(unavailable);
  });

  it("does not answer in time is unavailable", async () => {
    const { http } = world;
    // At the start it gets all the time it needs.
    const send = (request: HttpRequest) =>
      http.send(request.method === "GET" ? { ...request, timeoutMilliseconds: TIMEOUT_MILLISECONDS } : request);
    const impatient = await open({ timeoutMilliseconds: SHORT_TIMEOUT_MILLISECONDS, http: { ...http, send } });
    const payment = await signPayment(payer, terms);
    stock.misbehave(() => "hang");
    await expect(impatient.verify(payment, terms)).rejects.toEqual(unavailable);
    await expect(settle(impatient, payment, terms)).rejects.toEqual(unavailable);
  });

  it("could not decide is unavailable, whatever it answers", async () => {
    const payment = await signPayment(payer, terms);
    stock.misbehave(({ path }) => ({
      status: 200,
      json:
        path === "/verify"
          ? { isValid: false, invalidReason: "unexpected_verify_error" }
          : { success: false, errorReason: "settlement_pending", transaction: "0x12", network: terms.network },
    }));
    await expect(facilitator.verify(payment, terms)).rejects.toEqual(unavailable);
    await expect(settle(facilitator, payment, terms)).rejects.toEqual(unavailable);
  });

  it.each([
    ["another payer", { payer: COLLECTION }],
    ["another network", { network: "eip155:1" }],
    ["another amount", { amount: "1" }],
    ["no transaction", { transaction: "" }],
  ])("claims to have settled for %s is not believed", async (_, lie) => {
    const payment = await signPayment(payer, terms);
    stock.misbehave(() => ({ lie: (answer) => ({ ...answer, ...lie }) }));
    await expect(settle(facilitator, payment, terms)).rejects.toEqual(unavailable);
  });

  it("names another payer at verification is not believed", async () => {
    const payment = await signPayment(payer, terms);
    stock.misbehave(() => ({ lie: (answer) => ({ ...answer, payer: COLLECTION }) }));
    await expect(facilitator.verify(payment, terms)).rejects.toEqual(unavailable);
  });

  it("refuses with its own text does not reach callers with it", async () => {
    const payment = await signPayment(payer, terms);
    stock.misbehave(({ path }) => ({
      status: path === "/verify" ? 400 : 200,
      json: {
        isValid: false,
        invalidReason: "Canary says no",
        invalidMessage: "canary",
        success: false,
        errorReason: "Canary says no",
        transaction: "",
        network: terms.network,
      },
    }));
    const error = await facilitator.verify(payment, terms).catch((reason: unknown) => reason);
    expect(error).toEqual(refused("invalid_payload"));
    expect(String(error)).not.toMatch(/canary/i);
    expect(await settle(facilitator, payment, terms)).toEqual({ kind: "refused", reason: "settlement_failed" });
  });
});

describe("at the start", () => {
  const setupError = (text: string) =>
    expect.objectContaining({ name: "FacilitatorSetupError", message: expect.stringContaining(text) });

  it("it must support our network", async () => {
    await expect(open({ chain: { environment: "sandbox", chain: "eip155:1" } })).rejects.toEqual(
      setupError("exact on eip155:1"),
    );
  });

  it.each([
    ["only version 1", { x402Version: 1, scheme: "exact" }],
    ["only another scheme", { x402Version: 2, scheme: "upto" }],
  ])("it is refused with %s", async (_, kind) => {
    stock.misbehave(() => ({ status: 200, json: { kinds: [{ ...kind, network: terms.network }] } }));
    await expect(open()).rejects.toEqual(setupError("does not support x402 version 2"));
  });

  it("it must be reachable, and speak x402", async () => {
    await expect(open({ url: `http://127.0.0.1:${DEAD_PORT}` })).rejects.toEqual(setupError("unreachable"));
    stock.misbehave(() => "hang");
    await expect(open({ timeoutMilliseconds: SHORT_TIMEOUT_MILLISECONDS })).rejects.toEqual(setupError("timeout"));
    stock.misbehave(() => ({ status: 404, text: "" }));
    await expect(open()).rejects.toEqual(setupError("answers 404"));
    stock.misbehave(() => ({ status: 200, json: {} }));
    await expect(open()).rejects.toEqual(setupError("no x402 document"));
  });
});
