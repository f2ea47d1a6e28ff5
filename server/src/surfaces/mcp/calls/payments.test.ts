import { appendPaymentIdentifierToExtensions } from "@x402/extensions/payment-identifier";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { LEGACY } from "../../../../test/support/mcp.ts";
import { type AnyClient, clientKinds, connectClient } from "../../../../test/support/mcp-clients.ts";
import { type Buyer, createBuyer, encode } from "../../../../test/support/paid.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { catalog } from "../../../contributions.ts";

/** x402 over MCP: callers with a wallet and no key, on the edge host. */

let service: TestService;
let buyer: Buyer;
beforeAll(async () => {
  service = await openSharedService();
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const TOOL = "find_airports_nearby";
const PRICE = 500n;
const PAYMENT = "x402/payment";
const RESPONSE = "x402/payment-response";

const connect = (apiKey?: string, kind: (typeof clientKinds)[number] = "v2 stateless") =>
  connectClient(`${service.edgeUrl}/mcp`, kind, apiKey);

const Text = z.tuple([z.object({ type: z.literal("text"), text: z.string() })]);
const readText = (answer: Record<string, unknown>): unknown => JSON.parse(Text.parse(answer.content)[0].text);

const payFor = (client: AnyClient, args: Record<string, unknown>, payment: unknown, name = TOOL) =>
  client.callTool({ name, arguments: args, _meta: { [PAYMENT]: payment } });

async function signFor(client: AnyClient, name = TOOL) {
  const asked = await client.callTool({ name, arguments: {} });
  return await buyer.createPayment(asked.structuredContent);
}

async function spent(work: () => Promise<unknown>): Promise<bigint> {
  const before = await buyer.readBalance(buyer.address);
  await work();
  return before - (await buyer.readBalance(buyer.address));
}

describe.each(clientKinds)("the official client %s without a key", (kind) => {
  it("sees what it can buy, learns the price, pays and gets the result", async () => {
    const client = await connect(undefined, kind);
    const { tools } = await client.listTools();
    const payable = catalog.entries.filter(({ tool }) => tool.payableWithoutKey === true);
    expect(tools.map(({ name }) => name)).toEqual(payable.map(({ tool }) => tool.name));
    // The client checks structured content against the schemas of the list, also that of the terms.
    for (const { name } of tools) {
      const asked = await client.callTool({ name, arguments: {} });
      expect(asked).toMatchObject({
        isError: true,
        structuredContent: {
          x402Version: 2,
          error: "Payment required",
          code: "payment_required",
          resource: { url: `mcp://tool/${name}` },
          accepts: [{ scheme: "exact", network: buyer.chain.network }],
          extensions: { "payment-identifier": { info: { required: false } } },
        },
      });
      expect(readText(asked)).toEqual(asked.structuredContent);
    }
    const cost = await spent(async () => {
      const paid = await payFor(client, { query: `Lisbon ${kind}` }, await signFor(client));
      expect(paid.isError, JSON.stringify(paid)).not.toBe(true);
      expect(readText(paid)).toEqual(paid.structuredContent);
      expect(paid._meta).toMatchObject({
        [RESPONSE]: {
          success: true,
          network: buyer.chain.network,
          amount: "500",
          transaction: expect.stringMatching(/^0x/),
        },
        "wayfare/meterId": expect.stringMatching(/^use_/),
        "wayfare/priceMicroUsdc": "500",
      });
    });
    expect(cost).toBe(PRICE);
    await client.close();
  });
});

describe("a payment over MCP", () => {
  it("pays once: sent again, over HTTP too, it gets the same answer", async () => {
    const client = await connect();
    const payment = await signFor(client);
    const cost = await spent(async () => {
      const first = await payFor(client, { query: "Evora" }, payment);
      const again = await payFor(client, { query: "Evora" }, payment);
      expect(again.structuredContent).toEqual({ ...Object(first.structuredContent), replayed: true });
      expect(Object(again._meta)[RESPONSE]).toEqual(Object(first._meta)[RESPONSE]);
      const overHttp = await buyer.post(TOOL, { query: "Evora" }, { "payment-signature": encode(payment) });
      expect(overHttp.body).toMatchObject({ replayed: true, result: first.structuredContent });
      const other = await payFor(client, { query: "Beja" }, payment);
      expect(readText(other)).toMatchObject({ code: "payment_invalid", serviceReason: "authorization_already_used" });
    });
    expect(cost).toBe(PRICE);
    await client.close();
  });

  it("with an identifier pays once for one request, however often it is signed", async () => {
    const client = await connect();
    const id = `pay_${crypto.randomUUID()}`;
    const payNamed = async (args: Record<string, unknown>) => {
      const asked = Object((await client.callTool({ name: TOOL, arguments: args })).structuredContent);
      const payment = await buyer.createPayment(asked);
      const extensions = appendPaymentIdentifierToExtensions(structuredClone(asked.extensions), id);
      return await payFor(client, args, { ...payment, extensions });
    };
    const cost = await spent(async () => {
      const first = await payNamed({ query: "Tomar" });
      const again = await payNamed({ query: "Tomar" });
      expect(again.structuredContent).toEqual({ ...Object(first.structuredContent), replayed: true });
      expect(readText(await payNamed({ query: "Viseu" }))).toMatchObject({ code: "payment_identifier_conflict" });
    });
    expect(cost).toBe(PRICE);
    await client.close();
  });

  it("of a call that fails takes nothing, and stays good", async () => {
    const client = await connect();
    const payment = await signFor(client);
    const cost = await spent(async () => {
      const failed = await payFor(client, { qeury: "Lisbon" }, payment);
      expect(failed).toMatchObject({ isError: true });
      expect(readText(failed)).toMatchObject({ code: "invalid_input" });
      expect(failed._meta).not.toHaveProperty(RESPONSE);
      expect((await payFor(client, { query: "Guarda" }, payment)).isError).not.toBe(true);
    });
    expect(cost).toBe(PRICE);
    await client.close();
  });

  it("that is wrong gets the terms again, and one that cannot be read is told why", async () => {
    const client = await connect();
    const payment = await signFor(client);
    const { payload } = payment;
    const forged = { ...payment, payload: { ...payload, signature: `0x${"11".repeat(65)}` } };
    const refused = await payFor(client, { query: "Lisbon" }, forged);
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: "payment_invalid", error: "invalid_exact_evm_payload_signature", accepts: [{}] },
    });
    expect(readText(refused)).toEqual(refused.structuredContent);
    for (const wrong of ["nothing", { ...payment, x402Version: 1 }]) {
      const malformed = await payFor(client, { query: "Lisbon" }, wrong);
      expect(readText(malformed)).toMatchObject({ code: "payment_malformed" });
      expect(malformed.structuredContent).toBeUndefined();
    }
    await client.close();
  });

  it("beside a key replaces the charge to the tenant, for any tool of the key", async () => {
    const client = await connect(service.apiKey);
    const terms = await buyer.readTerms("check_treasury", { authorization: `Bearer ${service.apiKey}` });
    const payment = await buyer.createPayment(terms);
    const cost = await spent(async () => {
      const paid = await payFor(client, {}, payment, "check_treasury");
      expect(paid._meta).toMatchObject({ [RESPONSE]: { success: true } });
    });
    expect(cost).toBe(PRICE);
    await client.close();
  });
});

describe("without a key", () => {
  const post = (url: string, name: string) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "mcp-protocol-version": LEGACY },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
    });

  it("a tool for a tenant's money, and the application host, answer 401", async () => {
    expect((await post(`${service.edgeUrl}/mcp`, "check_treasury")).status).toBe(401);
    expect((await post(`${service.appUrl}/api/mcp`, TOOL)).status).toBe(401);
    // Control.
    expect((await post(`${service.edgeUrl}/mcp`, TOOL)).status).toBe(200);
  });
});
