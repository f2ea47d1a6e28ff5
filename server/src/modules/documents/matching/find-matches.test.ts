import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { buildFields, buildScan } from "../../../../test/support/fake-scanner.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult } from "../../../../test/support/treasury.ts";
import { createStores } from "../../../contributions.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { openVault } from "../../../outside/vault.ts";
import { type OpenDatabase, openDatabase } from "../../../platform/database/database.ts";
import { systemClock } from "../../../ports/clock.ts";
import type { DocumentKind } from "../document-kinds.ts";
import type { Scan } from "../scan.ts";
import { findMatches } from "./find-matches.ts";

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })) });
const Slices = z.array(
  z.object({ segments: z.array(z.object({ flightNumber: z.string(), departingAt: z.string() })) }),
);
const Booked = z.object({ orderId: z.string(), pnr: z.string(), slices: Slices });
const Orders = z.object({
  orders: z.array(z.object({ orderId: z.string(), totalAmount: z.string(), totalCurrency: z.string() })),
});

let service: TestService;
let database: OpenDatabase;
let booked: z.infer<typeof Booked>;
let order: z.infer<typeof Orders>["orders"][number];
let ask: (kind: DocumentKind, scan: Scan, as?: Partial<Caller>) => Promise<unknown>;

beforeAll(async () => {
  service = await openSharedService();
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 50 }).toString();
  const found = await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate });
  const [offer] = Offers.parse(requireResult(found)).offers;
  booked = Booked.parse(requireResult(await service.call("book_flight", { offerId: offer?.id })));
  const [first] = Orders.parse(requireResult(await service.call("list_orders", {}))).orders;
  if (first === undefined) throw new Error("there is no order");
  order = first;
  database = openDatabase(service.config.databaseUrl ?? "", { poolSize: 2, onError: () => undefined });
  const stores = createStores(database.db, systemClock, await openVault(service.config));
  const caller: Caller = {
    tenantId: service.tenantId,
    keyId: "key_test",
    userId: "svc:key_test",
    travelerId: "svc:key_test",
    environment: "sandbox",
    scopes: ["flights:read", "stays:read"],
  };
  ask = (kind, scan, as = {}) =>
    findMatches(kind, scan, { reads: (_, read) => read(stores), caller: { ...caller, ...as } });
});
afterAll(async () => {
  await database?.close();
  await service?.[Symbol.asyncDispose]();
});

const match = (by: string, certain: boolean) => [{ orderId: booked.orderId, by, certain }];
const today = (): Temporal.PlainDate => Temporal.Now.plainDateISO("UTC");

it("a booking reference or an order's id on a receipt names the order", async () => {
  expect(await ask("receipt", buildScan({}, { references: ["THANKS", booked.pnr.toLowerCase()] }))).toEqual(
    match("booking_reference", true),
  );
  expect(await ask("invoice", buildScan({}, { references: [booked.orderId] }))).toEqual(match("order_id", true));
  expect(
    await ask("invoice", buildScan({ invoiceNumber: "X-1" }, { references: ["ZZZZZZ", "ord_0000unknown"] })),
  ).toEqual([]);
});

it("an invoice of ours names its order, in its own environment only", async () => {
  const number = `TEST-${service.tenantId.slice(-6)}`;
  await service.sql(
    `insert into booking_invoice (tenant_id, network, invoice_number, series, number, kind, booking_id, order_id, total_micro, document, issued_at)
     values ($1, 'sandbox', $2, $2, 1, 'invoice', '0x00', $3, 0, '{}', now())`,
    [service.tenantId, number, booked.orderId],
  );
  expect(await ask("receipt", buildScan({ invoiceNumber: number }))).toEqual(match("invoice_number", true));
  expect(await ask("receipt", buildScan({ invoiceNumber: number }), { environment: "production" })).toEqual([]);
  await service.sql("delete from booking_invoice where tenant_id = $1", [service.tenantId]);
});

it("a booking reference of several orders is only a suggestion", async () => {
  await service.sql(
    `insert into booking select (jsonb_populate_record(booking,
       '{"id": "bkg_00000000000000000000000000", "call_id": "call_twin", "offer_id": "off_twin", "order_id": "ord_0000twin0000", "itinerary_hash": null}')).*
     from booking where tenant_id = $1 and order_id = $2`,
    [service.tenantId, booked.orderId],
  );
  const found = await ask("receipt", buildScan({}, { references: [booked.pnr] }));
  expect(found).toEqual([
    ...match("booking_reference", false),
    { orderId: "ord_0000twin0000", by: "booking_reference", certain: false },
  ]);
  await service.sql("delete from booking where order_id = 'ord_0000twin0000'");
});

it("a document that names an order with another price or passenger is not certain, and reports the difference", async () => {
  const references = [booked.pnr];
  const { totalAmount, totalCurrency: currency } = order;
  const asking = (fields: Record<string, string>) => ask("receipt", buildScan(fields, { references }));
  const otherwise = (by: string, differs: string[]) => [{ ...match(by, false)[0], differs }];
  expect(await asking({ totalAmount, currency })).toEqual(match("booking_reference", true));
  expect(await asking({ totalAmount: `9${totalAmount}`, currency })).toEqual(
    otherwise("booking_reference", ["amount"]),
  );
  expect(await asking({ totalAmount: `9${totalAmount}` })).toEqual(otherwise("booking_reference", ["amount"]));
  expect(await asking({ totalAmount, currency: "XXX" })).toEqual(otherwise("booking_reference", ["currency"]));
  const legs = [buildFields({ bookingReference: booked.pnr })];
  const pass = (fields: Record<string, string>) => ask("boarding_pass", buildScan(fields, { legs }));
  const [traveler] = await service.sql(
    "select travelers -> 0 ->> 'familyName' as family, travelers -> 0 ->> 'givenName' as given from booking where order_id = $1",
    [booked.orderId],
  );
  const [family, given] = [String(traveler?.family).toUpperCase(), String(traveler?.given).toUpperCase()];
  expect(await pass({ familyName: family, givenName: `${given}MR` })).toEqual(match("booking_reference", false));
  expect(await pass({ familyName: "NOBODY", givenName: given })).toEqual(otherwise("booking_reference", ["passenger"]));
  expect(await pass({ familyName: family, givenName: "QUINTUS" })).toEqual(
    otherwise("booking_reference", ["passenger"]),
  );
});

it("amount and date suggest an order, within a few days of its booking and in its currency", async () => {
  const { totalAmount, totalCurrency: currency } = order;
  const on = (days: number, more: Record<string, string> = {}) =>
    ask("receipt", buildScan({ totalAmount, currency, issuedOn: today().add({ days }).toString(), ...more }));
  expect(await on(0)).toEqual(match("amount_and_date", false));
  expect(await on(6)).toEqual(match("amount_and_date", false));
  for (const none of [
    on(9),
    on(-3),
    on(0, { totalAmount: "0.01" }),
    on(0, { currency: "XXX" }),
    on(0, { issuedOn: "soon" }),
  ]) {
    expect(await none).toEqual([]);
  }
});

it("a boarding pass matches an order by reference, flight and date together", async () => {
  const [segment] = booked.slices.flatMap(({ segments }) => segments);
  const [, carrier = "", digits = ""] = /^(..)(\d+)$/.exec(segment?.flightNumber ?? "") ?? [];
  const leg = {
    bookingReference: booked.pnr,
    carrier,
    flightNumber: digits.padStart(4, "0"),
    departsOn: segment?.departingAt.slice(0, 10) ?? "",
  };
  const withLeg = (more: Record<string, string>) =>
    ask("boarding_pass", buildScan({}, { legs: [buildFields({ ...leg, ...more })] }));
  expect(await withLeg({})).toEqual(match("flight", true));
  const ofOther = buildScan({ familyName: "NOBODY", givenName: "AT ALL" }, { legs: [buildFields(leg)] });
  expect(await ask("boarding_pass", ofOther)).toEqual([{ ...match("flight", false)[0], differs: ["passenger"] }]);
  expect(await withLeg({ flightNumber: "9999" })).toEqual(match("booking_reference", false));
  expect(await withLeg({ departsOn: today().toString() })).toEqual(match("booking_reference", false));
  expect(await withLeg({ bookingReference: "ZZZZZZ" })).toEqual([]);
});

it("orders that the key may not read, and those of other tenants, are never matched", async () => {
  const scan = buildScan({}, { references: [booked.pnr, booked.orderId] });
  const other = await newFundedTenant(service, "Other");
  for (const as of [
    ...[{ scopes: [] }, { scopes: ["stays:read"] }, { scopes: ["documents:read"] }, { tenantId: "payer:0x00" }],
    ...[{ tenantId: other.tenantId }, { environment: "production" as const }],
  ]) {
    expect(await ask("receipt", scan, as)).toEqual([]);
  }
  expect(await ask("id_document", scan)).toEqual([]);
});

it("an order of a booking reference is found by an index, however many there are", async () => {
  const client = await database.pool.connect();
  try {
    await client.query("begin; set local enable_seqscan = off");
    const { rows } = await client.query(
      `explain select * from booking where tenant_id = 't' and network = 'sandbox' and state = 'booked' and pnr in ('A', 'B')`,
    );
    expect(JSON.stringify(rows)).toMatch(/booking_by_pnr.*Index Cond: [^"]*pnr/);
    await client.query("rollback");
  } finally {
    client.release();
  }
});
