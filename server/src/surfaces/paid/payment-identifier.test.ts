import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
} from "@x402/extensions/payment-identifier";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Buyer, createBuyer, decode, encode } from "../../../test/support/paid.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

/** x402's extension `payment-identifier`, with the functions of its own library. */

let service: TestService;
let buyer: Buyer;

beforeAll(async () => {
  service = await openSharedService();
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const TOOL = "find_airports_nearby";

/** Signs anew and names the payment. */
async function payNamed(args: unknown, id: string) {
  const { extensions = {} } = await buyer.readTerms(TOOL);
  const named = appendPaymentIdentifierToExtensions(extensions, id);
  const payment = { ...Object(decode(await buyer.sign(TOOL))), extensions: named };
  return await buyer.post(TOOL, args, { "payment-signature": encode(payment) });
}

const newId = () => `pay_${crypto.randomUUID()}`;

it("is offered by the terms of every tool", async () => {
  const declared = declarePaymentIdentifierExtension();
  for (const tool of [TOOL, "search_flights", "scan_document"]) {
    const { extensions } = await buyer.readTerms(tool);
    expect(extensions).toMatchObject({ "payment-identifier": declared });
    expect((await buyer.post(tool, {})).body.extensions).toMatchObject({ "payment-identifier": declared });
  }
});

describe("a payment with an identifier", () => {
  it("pays once for one request, however often it is signed", async () => {
    const id = newId();
    const before = await buyer.readBalance(buyer.address);
    const first = await payNamed({ query: "Porto" }, id);
    expect(first.status, first.text).toBe(200);
    const again = await payNamed({ query: "Porto" }, id);
    expect(again.status, again.text).toBe(200);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual({ ...first.body, replayed: true });
    expect(await buyer.readBalance(buyer.address)).toBe(before - 500n);
  });

  it("is refused with 409 for another request, and takes nothing", async () => {
    const id = newId();
    expect((await payNamed({ query: "Faro" }, id)).status).toBe(200);
    const before = await buyer.readBalance(buyer.address);
    const other = await payNamed({ query: "Lagos" }, id);
    expect(other.status, other.text).toBe(409);
    expect(other.body).toMatchObject({ code: "payment_identifier_conflict", retryable: false });
    expect(await buyer.readBalance(buyer.address)).toBe(before);
  });

  it.each([7, "short", "x".repeat(129), "has a space in it"])("that is %j is refused with what to fix", async (id) => {
    const info = { required: false, id };
    const payment = { ...Object(decode(await buyer.sign(TOOL))), extensions: { "payment-identifier": { info } } };
    const answer = await buyer.post(TOOL, { query: "Faro" }, { "payment-signature": encode(payment) });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "payment_malformed", reason: "invalid_payload" });
    expect(answer.body.detail).toContain("extensions.payment-identifier.info.id");
  });
});
