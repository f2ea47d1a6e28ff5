import { request } from "node:http";
import { x402Client, x402HTTPClient } from "@x402/core/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLightFinger } from "../../../test/support/light-finger.ts";
import {
  type Buyer,
  createBuyer,
  decode,
  encode,
  type Forged,
  type PaidAnswer,
  SPECIFIED_REASONS,
} from "../../../test/support/paid.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import type { Tool } from "../../kernel/contracts/tool.ts";

/** Wrong payments and failed calls: no money moves, and no authorization is used up. */

const probes = createProbes();
const [probeRead] = probes.tools;
if (probeRead === undefined) throw new Error("There is no probe.");
const open: Tool = { ...probeRead, name: "probe_open", payableWithoutKey: true };
const openWrite: Tool = { ...open, name: "probe_open_write", effect: "write", price: 5_000n };
const lightFinger = createLightFinger({ ...open, name: "probe_unpaid" });

let service: TestService;
let buyer: Buyer;

beforeAll(async () => {
  const extraTools = [...probes.tools, open, openWrite, lightFinger.tool];
  service = await startTestService({}, { extraTools, decorate: lightFinger.decorate });
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const other = "0x000000000000000000000000000000000000dEaD";
const now = () => Math.floor(Date.now() / 1000);

/** `word` is a reason of x402, or one of ours with the x402 reason that stands for it. */
async function expectRefused(
  tool: string,
  args: unknown,
  headers: Record<string, string>,
  word: string | [serviceReason: string, reason: string],
) {
  const [serviceReason, reason] = Array.isArray(word) ? word : [undefined, word];
  const answer = await buyer.post(tool, args, headers);
  expect(answer.status, answer.text).toBe(402);
  expect(answer.body).toMatchObject({ ok: false, code: "payment_invalid", retryable: false, reason, x402Version: 2 });
  expect(answer.body.serviceReason).toBe(serviceReason);
  expect(SPECIFIED_REASONS).toContain(reason);
  expect(decode(answer.headers.get("payment-required"))).toMatchObject({
    error: reason,
    accepts: [{ scheme: "exact", amount: "500" }],
  });
  expect(answer.headers.get("payment-response")).toBeNull();
  expect(answer.body.accepts).toMatchObject([{ scheme: "exact", amount: "500" }]);
}

async function expectMalformed(text: string, headers: Record<string, string>, reason: string) {
  const answer = await buyer.post("probe_open", { text }, headers);
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body).toMatchObject({ ok: false, code: "payment_malformed", retryable: false, reason });
  expect(SPECIFIED_REASONS).toContain(reason);
  expect(answer.body.detail).toMatch(/PAYMENT-SIGNATURE/);
  expect(answer.headers.get("payment-response")).toBeNull();
  expect(probes.runs(text)).toBe(0);
}

const ALREADY_USED: [string, string] = ["authorization_already_used", "invalid_transaction_state"];

describe("malformed payments", () => {
  it.each([
    ["no base64", "not base64!", "invalid_payload"],
    ["a single character, which no encoder makes", "a", "invalid_payload"],
    ["base64 of no JSON", Buffer.from("hello").toString("base64"), "invalid_payload"],
    ["base64 of broken UTF-8", Buffer.from([0x22, 0xff, 0x22]).toString("base64"), "invalid_payload"],
    ["JSON that is no object", encode([1]), "invalid_payload"],
    ["an empty object", encode({}), "invalid_x402_version"],
    ["version 1", encode({ x402Version: 1 }), "invalid_x402_version"],
    [
      "a payment without a payload",
      encode({ x402Version: 2, accepted: { scheme: "exact", network: "eip155:1", asset: "", amount: "1", payTo: "" } }),
      "invalid_payload",
    ],
  ])("%s is malformed", async (_, header, reason) => {
    await expectMalformed("garbage", { "payment-signature": header }, reason);
  });

  it.each<[string, Forged, string]>([
    ["a negative value", { authorization: { value: "-500" } }, "invalid_payload"],
    ["a value that is a number", { authorization: { value: 500 } }, "invalid_payload"],
    ["a value in hexadecimal", { authorization: { value: "0x1f4" } }, "invalid_payload"],
    ["a nonce that is too short", { authorization: { nonce: "0x01" } }, "invalid_payload"],
    ["an amount that is none", { accepted: { amount: "much" } }, "invalid_payload"],
    ["no scheme", { accepted: { scheme: undefined } }, "invalid_payload"],
  ])("%s is malformed", async (what, forged, reason) => {
    await expectMalformed(what, { "payment-signature": await buyer.sign("probe_open", forged) }, reason);
  });

  it.each(["!!", " ", "=", "%3D"])("a good payment with %j in it is malformed", async (tail) => {
    const signature = await buyer.sign("probe_open");
    const headers = { "payment-signature": `${signature.slice(0, 8)}${tail}${signature.slice(8)}` };
    await expectMalformed("tail", headers, "invalid_payload");
  });

  it("the old header name is not a payment", async () => {
    const answer = await buyer.post("probe_open", { text: "old" }, { "x-payment": await buyer.sign("probe_open") });
    expect(answer.body.code).toBe("payment_required");
  });

  it("two payments in one request are malformed", async () => {
    const [one, two] = [await buyer.sign("probe_open"), await buyer.sign("probe_open")];
    const headers = new Headers({ "content-type": "application/json" });
    headers.append("payment-signature", one);
    headers.append("payment-signature", two);
    const response = await fetch(buyer.toolUrl("probe_open"), { method: "POST", headers, body: '{"text":"two"}' });
    expect(await response.json()).toMatchObject({ code: "payment_malformed", reason: "invalid_payload" });
  });

  it("a header of 64 kB is answered 431, and the next request normally", async () => {
    const status = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const sent = request(
        new URL("/tools/probe_open", service.edgeUrl),
        { method: "POST", agent: false, headers: { "payment-signature": "a".repeat(64 * 1024) } },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (text: string) => {
            body += text;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
        },
      );
      sent.on("error", reject);
      sent.end();
    });
    expect(status.status).toBe(431);
    expect(JSON.parse(status.body)).toMatchObject({ ok: false, code: "headers_too_large", status: 431 });
    expect((await buyer.post("probe_open", {})).status).toBe(402);
  });
});

/** USDC of the public test network with the development chain's chain id. */
const PUBLIC_USDC = "0x3600000000000000000000000000000000000000";

const forgeries: [what: string, forged: () => Forged, reason: string | [string, string]][] = [
  ["another scheme", () => ({ accepted: { scheme: "upto" } }), "unsupported_scheme"],
  ["another network", () => ({ accepted: { network: "eip155:8453" } }), "invalid_network"],
  [
    "a network whose addresses look otherwise",
    () => ({ accepted: { network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", asset: "EPjFWdd5Aufq" } }),
    "invalid_network",
  ],
  ["another asset", () => ({ accepted: { asset: other } }), ["invalid_asset", "invalid_payment_requirements"]],
  [
    "a payment of the public network with the same chain id",
    () => ({
      accepted: { asset: PUBLIC_USDC, payTo: other },
      authorization: { to: other },
      domain: { verifyingContract: PUBLIC_USDC },
    }),
    ["invalid_asset", "invalid_payment_requirements"],
  ],
  [
    "less than the price",
    () => ({ accepted: { amount: "499" }, authorization: { value: "499" } }),
    "invalid_exact_evm_payload_authorization_value_mismatch",
  ],
  [
    "more than the price",
    () => ({ accepted: { amount: "501" }, authorization: { value: "501" } }),
    "invalid_exact_evm_payload_authorization_value_mismatch",
  ],
  [
    "another value than it says it accepts",
    () => ({ authorization: { value: "1" } }),
    "invalid_exact_evm_payload_authorization_value_mismatch",
  ],
  [
    "another recipient",
    () => ({ accepted: { payTo: other }, authorization: { to: other } }),
    "invalid_exact_evm_payload_recipient_mismatch",
  ],
  [
    "an authorization that has expired",
    () => ({ authorization: { validBefore: String(now() - 1) } }),
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  [
    "an authorization that expires before its tool can have run",
    () => ({ authorization: { validBefore: String(now() + 5) } }),
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  [
    "an authorization that is not valid yet",
    () => ({ authorization: { validAfter: String(now() + 3_600) } }),
    "invalid_exact_evm_payload_authorization_valid_after",
  ],
  ["a signature for another chain id", () => ({ domain: { chainId: 1 } }), "invalid_exact_evm_payload_signature"],
  ["a signature for another version", () => ({ domain: { version: "1" } }), "invalid_exact_evm_payload_signature"],
  ["a signature for another name", () => ({ domain: { name: "USD Coin" } }), "invalid_exact_evm_payload_signature"],
  [
    "a signature for another token",
    () => ({ domain: { verifyingContract: other } }),
    "invalid_exact_evm_payload_signature",
  ],
  ["somebody else's money", () => ({ authorization: { from: other } }), "invalid_exact_evm_payload_signature"],
];

it.each(forgeries)("%s is refused", async (what, forged, reason) => {
  const signature = await buyer.sign("probe_open", forged());
  await expectRefused("probe_open", { text: what.slice(0, 50) }, { "payment-signature": signature }, reason);
  expect(probes.runs(what.slice(0, 50))).toBe(0);
});

describe("one authorization pays for one request", () => {
  it("not for another tool", async () => {
    const signature = await buyer.sign("probe_open");
    const paid = await buyer.post("probe_open", { text: "mine" }, { "payment-signature": signature });
    expect(paid.status, paid.text).toBe(200);
    // The same price, so that the terms alone do not distinguish them.
    const answer = await buyer.post("find_airports_nearby", { query: "Lisbon" }, { "payment-signature": signature });
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ code: "payment_invalid", reason: "invalid_transaction_state" });
    expect(answer.body.serviceReason).toBe("authorization_already_used");
  });

  it("nor for another body, nor with a key", async () => {
    const signature = await buyer.sign("probe_open");
    const paid = await buyer.post("probe_open", { text: "body one" }, { "payment-signature": signature });
    expect(paid.status, paid.text).toBe(200);
    const authorization = `Bearer ${service.apiKey}`;
    for (const [text, headers] of [
      ["body two", {}],
      ["body one", { authorization }],
    ] as const) {
      await expectRefused("probe_open", { text }, { ...headers, "payment-signature": signature }, ALREADY_USED);
    }
    expect(probes.runs("body one")).toBe(1);
    expect(probes.runs("body two")).toBe(0);
  });

  it("however often it is sent at once: it runs once and is captured once, and each gets the answer or must wait", async () => {
    const before = await buyer.readBalance(buyer.address);
    const signature = await buyer.sign("probe_open");
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => buyer.post("probe_open", { text: "fifty" }, { "payment-signature": signature })),
    );
    expect(probes.runs("fifty")).toBe(1);
    expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 409]))).toBe(true);
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
    expect(new Set(paid.map(({ text }) => text.replace(',"replayed":true', ""))).size).toBe(1);
    for (const { body } of answers.filter(({ status }) => status === 409)) expect(body.code).toBe("in_progress");
    expect(await buyer.readBalance(buyer.address)).toBe(before - 500n);
    const again = await buyer.post("probe_open", { text: "fifty" }, { "payment-signature": signature });
    expect(again.status).toBe(200);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("a call that succeeds and whose payment does not", () => {
  it("is answered with the outcome of the settlement, and asks for no other signature", async () => {
    const { buyer: poor, refill } = await lightFinger.open(service);
    const signature = await poor.sign("probe_unpaid");
    const send = () => poor.post("probe_unpaid", { text: "unpaid" }, { "payment-signature": signature });
    const failed = { success: false, errorReason: "invalid_transaction_state", transaction: "" };
    const first = await send();
    expectUnpaid(first, failed);
    expect(first.body.serviceReason).toBe("invalid_exact_evm_transaction_failed");
    // Nor does it while the money has still not arrived.
    const due = () => service.sql("update payment set created_at = updated_at where tool = 'probe_unpaid'");
    await due();
    expectUnpaid(await send(), { ...failed, errorReason: "insufficient_funds" });
    // Following the advice gives the answer, for one payment.
    await refill();
    await due();
    const paid = await send();
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body).toMatchObject({ paid: true, result: { text: "unpaid" } });
    expect(probes.runs("unpaid")).toBe(1);

    function expectUnpaid(answer: PaidAnswer, settlement: { errorReason: string }): void {
      expect(answer.status, answer.text).toBe(402);
      expect(decode(answer.headers.get("payment-response"))).toEqual({
        ...settlement,
        network: poor.chain.network,
        payer: poor.address.toLowerCase(),
      });
      expect(answer.headers.get("payment-required")).toBeNull();
      expect(answer.body).toMatchObject({ code: "payment_invalid", reason: settlement.errorReason });
      for (const member of ["accepts", "result"]) expect(answer.body).not.toHaveProperty(member);
      expect(answer.body.detail).toMatch(/same signature again .*, never a new one/);
    }
  });

  it("is read by the official client as a failed settlement, and not as terms to sign", async () => {
    const { buyer: poor } = await lightFinger.open(service);
    const bought = await poor.buy("probe_unpaid", { text: "official" });
    expect(bought.status, bought.text).toBe(402);
    const client = new x402HTTPClient(new x402Client());
    const getHeader = (name: string) => bought.headers.get(name);
    const read = client.parsePaymentResult({ status: bought.status, getHeader, body: bought.body });
    expect(read).toMatchObject({ paymentStatus: "settle_failed", header: { success: false } });
    expect(() => client.getPaymentRequiredResponse(getHeader, bought.body)).toThrow();
    expect(probes.runs("official")).toBe(1);
  });
});

describe("a failed call costs nothing", () => {
  it("invalid arguments claim nothing, and the same signature pays for valid ones", async () => {
    const before = await buyer.readBalance(buyer.address);
    const signature = await buyer.sign("probe_open");
    for (const body of ["not json", "[]", { text: 7 }, { txt: "x" }]) {
      const answer = await buyer.post("probe_open", body, { "payment-signature": signature });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("payment-response")).toBeNull();
    }
    expect(await service.sql("select 1 from payment where nonce = $1", [readNonce(signature)])).toEqual([]);
    const paid = await buyer.post("probe_open", { text: "mended" }, { "payment-signature": signature });
    expect(paid.status, paid.text).toBe(200);
    expect(await buyer.readBalance(buyer.address)).toBe(before - 500n);
  });

  it.each(["probe_open", "probe_open_write"])(
    "a failure of %s captures nothing and gives the authorization back",
    async (tool) => {
      const before = await buyer.readBalance(buyer.address);
      const signature = await buyer.sign(tool);
      const failed = await buyer.post(tool, { text: "f", mood: "fail" }, { "payment-signature": signature });
      expect(failed.status).toBe(500);
      expect(failed.body).toMatchObject({ ok: false, code: "no_offers" });
      expect(failed.headers.get("payment-response")).toBeNull();
      expect(failed.headers.get("x-service-meter-id")).toBeNull();
      expect(await buyer.readBalance(buyer.address)).toBe(before);
      const paid = await buyer.post(tool, { text: "after" }, { "payment-signature": signature });
      expect(paid.status, paid.text).toBe(200);
      expect(await buyer.readBalance(buyer.address)).toBe(before - (tool === "probe_open" ? 500n : 5_000n));
    },
  );
});

describe("keys on this surface", () => {
  it("a tool for a tenant's money requires one beside the payment, and takes nothing without", async () => {
    const probe = await buyer.post("check_treasury", {});
    expect(probe.body).toMatchObject({ code: "payment_required", apiKeyRequired: true });
    const signature = await buyer.sign("check_treasury");
    const answer = await buyer.post("check_treasury", {}, { "payment-signature": signature });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.body.code).toBe("unauthorized");
    const authorization = `Bearer ${service.apiKey}`;
    const paid = await buyer.post("check_treasury", {}, { authorization, "payment-signature": signature });
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body).toMatchObject({ paid: true, priceUsdc: "0.0005" });
  });

  it("a key never replaces the payment, and an invalid one changes no price", async () => {
    const good = await buyer.post("probe_open", { text: "x" }, { authorization: `Bearer ${service.apiKey}` });
    expect(good.body).toMatchObject({ code: "payment_required" });
    const bad = { authorization: `Bearer ak_${"x".repeat(40)}` };
    expect((await buyer.post("probe_open", { text: "x" }, bad)).status).toBe(402);
    const paid = await buyer.pay("probe_open", { text: "bad key" }, {}, bad);
    expect(paid.status).toBe(401);
    expect(probes.runs("bad key")).toBe(0);
  });

  it("arguments that name a tenant's records require one", async () => {
    const args = { origin: "LHR", destination: "JFK", departureDate: "2099-01-01" };
    const signature = await buyer.sign("search_flights");
    const answer = await buyer.post(
      "search_flights",
      {
        ...args,
        customerUserId: "icu_x",
        linkSessionTraveler: true,
        privateFares: { BA: [{ corporate_code: "A" }, { account_number: "7" }] },
      },
      { "payment-signature": signature },
    );
    expect(answer.status).toBe(400);
    const issues: unknown = answer.body.issues;
    expect(issues).toMatchObject([
      { path: "customerUserId" },
      { path: "linkSessionTraveler" },
      { path: "privateFares.BA.1.account_number" },
    ]);
    const empty = { ...args, airlineCreditIds: [], linkSessionTraveler: false };
    const left = await buyer.post("search_flights", empty, { "payment-signature": signature });
    expect(left.body.code).not.toBe("invalid_input");
  });
});

function readNonce(signature: string): unknown {
  return Object(Object(Object(decode(signature)).payload).authorization).nonce;
}
