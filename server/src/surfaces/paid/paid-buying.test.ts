import { extractDiscoveryInfo, validateDiscoveryExtension } from "@x402/extensions/bazaar";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { freshHash } from "../../../test/support/escrow.ts";
import { type Buyer, createBuyer, decode, encode } from "../../../test/support/paid.ts";
import { isSignedBy, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** The official x402 client, with only a wallet, against the whole product. */

let service: TestService;
let buyer: Buyer;

beforeAll(async () => {
  service = await openSharedService();
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const inSixtyDays = () => new Date(Date.now() + 60 * 864e5).toISOString().slice(0, 10);
const search = () => ({ origin: "LHR", destination: "JFK", departureDate: inSixtyDays() });

const ToolList = z.object({
  x402Version: z.literal(2),
  scheme: z.literal("exact"),
  network: z.string(),
  asset: z.string(),
  payTo: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      summary: z.string(),
      area: z.string(),
      effect: z.enum(["read", "write", "spend"]),
      url: z.string(),
      priceMicroUsdc: z.string(),
      priceUsdc: z.string(),
      apiKeyRequired: z.boolean(),
      inputSchema: z.looseObject({ type: z.literal("object") }),
      outputSchema: z.looseObject({ type: z.literal("object") }),
    }),
  ),
});

const Described = z.looseObject({
  extensions: z.object({
    bazaar: z.object({
      info: z.looseObject({ input: z.looseObject({}) }),
      schema: z.looseObject({
        properties: z.looseObject({
          output: z
            .object({ properties: z.looseObject({ example: z.looseObject({ properties: z.looseObject({}) }) }) })
            .optional(),
        }),
      }),
    }),
  }),
});

const Unread = z.looseObject({
  accepted: z.looseObject({}),
  payload: z.looseObject({ authorization: z.looseObject({}) }),
});

describe("a bought search", () => {
  it("moves exactly its price on the chain and answers with the settlement", async () => {
    const { payTo } = await readList();
    const before = await balances(payTo);
    const answer = await buyer.buy("search_flights", search());
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      tool: "search_flights",
      paid: true,
      priceUsdc: "0.002",
      payment: { payer: buyer.address.toLowerCase(), amountUsdc: "0.002" },
      result: { sandbox: true },
    });
    const { settlementTx } = z.object({ settlementTx: z.string() }).parse(answer.body.payment);
    expect(settlementTx).toMatch(/^0x[0-9a-f]{64}$/);
    expect(decode(answer.headers.get("payment-response"))).toEqual({
      success: true,
      transaction: settlementTx,
      network: buyer.chain.network,
      payer: buyer.address.toLowerCase(),
      amount: "2000",
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await balances(payTo)).toEqual({ payer: before.payer - 2_000n, collection: before.collection + 2_000n });

    const usageId = answer.headers.get("x-service-meter-id");
    const [record] = await service.sql("select * from usage_record where id = $1", [usageId]);
    expect(record).toMatchObject({
      tenant_id: null,
      key_id: null,
      subject: buyer.address.toLowerCase(),
      tool: "search_flights",
      surface: "paid",
      status: "sandbox",
      trace_id: answer.headers.get("x-service-trace-id"),
    });
  });

  it("unknown members are passed on, and the payment is valid", async () => {
    const signed: unknown = decode(await buyer.sign("find_airports_nearby"));
    const { accepted, payload, ...rest } = Unread.parse(signed);
    const header = encode({
      ...rest,
      extensions: { theirs: { info: {} } },
      more: 1,
      accepted: { ...accepted, more: [2] },
      payload: { ...payload, more: { of: 3 }, authorization: { ...payload.authorization, more: null } },
    });
    const answer = await buyer.post("find_airports_nearby", { query: "Lisbon" }, { "payment-signature": header });
    expect(answer.status, answer.text).toBe(200);
  });

  it("is answered again from storage, without a second run or payment, for the same signed request", async () => {
    const { payTo } = await readList();
    const signature = await buyer.sign("search_flights");
    const args = search();
    const first = await buyer.post("search_flights", args, { "payment-signature": signature });
    expect(first.status, first.text).toBe(200);
    const before = await balances(payTo);
    const second = await buyer.post("search_flights", args, { "payment-signature": signature });
    expect(second.status).toBe(200);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body).toEqual({ ...first.body, replayed: true });
    expect(second.headers.get("x-service-meter-id")).toBe(first.headers.get("x-service-meter-id"));
    expect(await balances(payTo)).toEqual(before);
  });

  it("names the original payment if another signature asks for the same result", async () => {
    const authorization = `Bearer ${service.apiKey}`;
    const { tripId } = requireResult(await service.call("prefund_trip", { budgetUsdc: "20" }));
    const reserve = (bookingId: string) => ({ tripId, upperBoundUsdc: "1", bookingId });
    const paidBefore = reserve(freshHash());
    const first = await buyer.buy("reserve_booking", paidBefore, { authorization });
    expect(first.status, first.text).toBe(200);
    const again = await buyer.buy("reserve_booking", paidBefore, { authorization });
    expect(again.body).toEqual({ ...first.body, replayed: true });
    expect(again.headers.get("x-service-meter-id")).toBe(first.headers.get("x-service-meter-id"));

    const byKey = reserve(freshHash());
    requireResult(await service.call("reserve_booking", byKey));
    const free = await buyer.buy("reserve_booking", byKey, { authorization });
    const nothing = { payer: buyer.address.toLowerCase(), amountUsdc: "0.00", settlementTx: null };
    expect(free.body).toMatchObject({ paid: false, priceUsdc: "0.00", payment: nothing, replayed: true });
    expect(free.headers.get("payment-response")).toBeNull();
  });

  it("with a key costs the price of the tenant's plan, in the tenant's name, and does not use its cap", async () => {
    const { apiKey } = await service.operator((identity) =>
      identity.createTenant({ name: "Paid", plan: "pro", actor: "test" }),
    );
    const authorization = `Bearer ${apiKey}`;
    const { accepts } = await buyer.readTerms("search_flights", { authorization });
    expect(accepts[0].amount).toBe("1400");
    const answer = await buyer.buy("search_flights", search(), { authorization });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ paid: true, priceUsdc: "0.0014", payment: { amountUsdc: "0.0014" } });
    const usage = await fetch(`${service.appUrl}/api/usage`, { headers: { authorization } });
    expect(await usage.json()).toMatchObject({
      records: [{ tool: "search_flights", status: "sandbox", priceMicroUsdc: "1400" }],
      totals: { spentMicroUsdc: "0" },
    });
  });

  it("has the service's audit headers, signed with the tenant's secret if there is a key", async () => {
    const authorization = `Bearer ${service.apiKey}`;
    const keyed = await buyer.buy("find_airports_nearby", { query: "Lisbon" }, { authorization });
    expect(keyed.status, keyed.text).toBe(200);
    expect(isSignedBy(keyed, service.signingSecret)).toBe(true);
    const keyless = await buyer.buy("find_airports_nearby", { query: "Lisbon" });
    expect(keyless.headers.get("x-service-sig")).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(keyless.headers.get("x-service-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(isSignedBy(keyless, service.signingSecret)).toBe(false);
  });
});

describe("the offer", () => {
  it("is listed with each tool's price", async () => {
    const list = await readList();
    expect(list.tools.length).toBeGreaterThan(8);
    for (const tool of list.tools) {
      const { accepts, resource } = await buyer.readTerms(tool.name);
      expect(accepts[0]).toMatchObject({
        scheme: list.scheme,
        network: list.network,
        asset: list.asset,
        payTo: list.payTo,
        amount: tool.priceMicroUsdc,
      });
      expect(resource.url).toBe(tool.url);
      expect(BigInt(Math.round(Number(tool.priceUsdc) * 1e6))).toBe(BigInt(tool.priceMicroUsdc));
    }
    const search = list.tools.find(({ name }) => name === "search_flights");
    expect(search).toMatchObject({ priceMicroUsdc: "2000", priceUsdc: "0.002", apiKeyRequired: false });
    expect(list.tools.find(({ name }) => name === "check_treasury")?.apiKeyRequired).toBe(true);
  });

  it("is described in every 402 for catalogs of x402, in a header of limited length", async () => {
    // The package's validator knows no formats and warns about each.
    vi.spyOn(console, "warn").mockReturnValue();
    for (const { name } of (await readList()).tools) {
      const answer = await buyer.post(name, {});
      const header = answer.headers.get("payment-required") ?? "";
      expect(header.length, name).toBeLessThan(6_000);
      const { extensions } = Described.parse(decode(header));
      expect(validateDiscoveryExtension(z.any().parse(extensions.bazaar)), name).toEqual({ valid: true });
      const { info, schema } = Described.parse(answer.body).extensions.bazaar;
      expect(info.input).toEqual(extensions.bazaar.info.input);
      expect(schema.properties.output?.properties.example.properties.result).toMatchObject({ type: "object" });
    }
    const answer = await buyer.post("search_flights", {});
    const payload = z.any().parse({ ...answer.body, payload: {} });
    const found = extractDiscoveryInfo(payload, z.any().parse(Object(answer.body.accepts)[0]));
    expect(found).toMatchObject({
      resourceUrl: buyer.toolUrl("search_flights"),
      method: "POST",
      discoveryInfo: { input: { bodyType: "json", body: search() }, output: { type: "json" } },
    });
  });

  it("is found by crawlers, as far as anyone can buy it", async () => {
    const response = await fetch(`${service.edgeUrl}/.well-known/x402`);
    const { version, resources } = z
      .object({ version: z.number(), resources: z.array(z.string()) })
      .parse(await response.json());
    expect(version).toBe(1);
    const open = (await readList()).tools.filter(({ apiKeyRequired }) => !apiKeyRequired);
    expect(resources).toEqual(open.map(({ url }) => url));
    for (const url of resources) expect((await fetch(url)).status).toBe(402);
  });

  it("is signed, and limited to a key's scopes at its plan's prices", async () => {
    const list = async (authorization?: string) => {
      const response = await fetch(`${service.edgeUrl}/tools`, { headers: authorization ? { authorization } : {} });
      const text = await response.text();
      expect(response.headers.get("x-service-sig")).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    };
    const own = await list(`Bearer ${service.apiKey}`);
    expect(isSignedBy(own, service.signingSecret)).toBe(true);
    const open = await list();
    expect(isSignedBy(open, service.signingSecret)).toBe(false);
    expect(own.body).toEqual(open.body);
    const narrow = await service.operator(async (identity) => {
      const { tenant } = await identity.createTenant({ name: "Lists", plan: "pro", actor: "test" });
      const key = { tenantId: tenant.id, environment: "sandbox", scopes: ["stays:read"], actor: "test" } as const;
      return (await identity.mintKey(key)).apiKey;
    });
    const { body } = await list(`Bearer ${narrow}`);
    const names = ToolList.parse(body).tools.map(({ name }) => name);
    expect(names).toContain("search_hotels");
    expect(names).not.toContain("search_flights");
    expect(body.tools.find(({ name }: { name: string }) => name === "search_hotels").priceMicroUsdc).toBe("1400");
    expect((await list("Bearer ak_nobody")).status).toBe(401);
  });

  it("may be cached by crawlers for an hour and revalidated by its tag", async () => {
    const first = await fetch(`${service.edgeUrl}/.well-known/x402`);
    expect(first.headers.get("cache-control")).toBe("max-age=3600");
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(`${service.edgeUrl}/.well-known/x402`, { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
  });
});

async function readList() {
  const response = await fetch(`${service.edgeUrl}/tools`);
  expect(response.status).toBe(200);
  return ToolList.parse(await response.json());
}

async function balances(collection: string) {
  const payTo: `0x${string}` = `0x${collection.slice(2)}`;
  const [payer, collected] = await Promise.all([buyer.readBalance(buyer.address), buyer.readBalance(payTo)]);
  return { payer, collection: collected };
}
