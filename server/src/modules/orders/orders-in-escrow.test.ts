import { keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays, openAgent } from "../../../test/support/agent.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { parseDecimal } from "../../domain/money.ts";

/** Links an order to a trip's budget, as an agent does. */
let service: TestService;
let agent: Awaited<ReturnType<typeof openAgent>>;
beforeAll(async () => {
  service = await openSharedService();
  agent = await openAgent(service);
});
afterAll(async () => {
  await agent?.close();
  await service?.[Symbol.asyncDispose]();
});

const Found = z.object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })) });
const Booked = z.object({
  orderId: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  itineraryHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  travelers: z.array(z.object({ givenName: z.string(), familyName: z.string() })).min(1),
  slices: z.array(
    z.looseObject({
      segments: z
        .array(
          z.object({
            flightNumber: z.string().regex(/^[A-Z0-9]{2}\d+$/),
            origin: z.string().length(3),
            destination: z.string().length(3),
            departingAt: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/),
            arrivingAt: z.string(),
          }),
        )
        .min(1),
    }),
  ),
  vendorAddress: z.string().regex(/^0x[0-9a-f]{40}$/),
  next: z.string().regex(/vendorAddress to commit_booking/),
});
const Order = z.looseObject({
  externalId: z.string().nullable(),
  itineraryHash: z.string(),
  itinerarySalt: z.string(),
  ticketOrderHash: z.string().nullable(),
  refunds: z.array(z.object({ details: z.record(z.string(), z.unknown()) })),
  reimbursements: z.array(z.object({ details: z.record(z.string(), z.unknown()) })),
});

async function book(days: number) {
  const search = { origin: "LHR", destination: "CDG", departureDate: inDays(days) };
  const { offers } = await agent.ask(Found, "search_flights", search);
  return await agent.ask(Booked, "book_flight", { offerId: offers[0]?.id });
}

async function readOrder(orderId: string, key = service.apiKey) {
  const answer = await service.send(`/api/orders/${orderId}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, order: answer.status === 200 ? Order.parse(answer.body) : undefined };
}

async function available(): Promise<bigint> {
  const Wallet = z.looseObject({ available: z.object({ USDC: z.string() }) });
  return parseDecimal((await agent.ask(Wallet, "check_treasury")).available.USDC) ?? 0n;
}

const Previewed = z.object({
  accepted: z.literal(true),
  irreversible: z.array(z.object({ what: z.string() })),
  note: z.string(),
});

/** A booking of a new trip, committed for the order. */
async function commit(itineraryHash: string, vendorAmountUsdc: string, vendorAddress: string) {
  const Trip = z.looseObject({ tripId: z.string() });
  const Booking = z.looseObject({ bookingId: z.string() });
  const { tripId } = await agent.ask(Trip, "prefund_trip", { budgetUsdc: "1000" });
  const { bookingId } = await agent.ask(Booking, "reserve_booking", { tripId, upperBoundUsdc: vendorAmountUsdc });
  const args = { bookingId, vendorAmountUsdc, vendorAddress, itineraryHash };
  const { irreversible, note } = await agent.ask(Previewed, "preview_call", { tool: "commit_booking", args });
  const { warnings } = await agent.ask(z.object({ warnings: z.array(z.string()) }), "commit_booking", args);
  // A trip lasts thirty days by default; the flight is later.
  const expiry = expect.stringMatching(/^the trip expires on .* before the flight leaves/);
  expect(warnings).toEqual([...irreversible.map(({ what }) => what), expiry]);
  expect(note).toContain(warnings.at(-1));
  return { bookingId, warnings: warnings.slice(0, -1), note };
}

test("a trip that begins to pay for an order is told what happened to it before, once", async () => {
  const { orderId, itineraryHash, totalAmount, vendorAddress } = await book(43);
  await expect.poll(async () => (await readOrder(orderId)).order?.ticketOrderHash, { timeout: 30_000 }).toMatch(/^0x/);
  const { bookingId } = await commit(itineraryHash, totalAmount, vendorAddress);
  const rows = await service.sql(
    `select kind, text, trip_entry.details from trip_entry join escrow_booking using (tenant_id, network, trip_id)
     where booking_id = $1 and trip_entry.key like 'order_event:%'`,
    [bookingId],
  );
  const text = "The flight's order: ticketed.";
  expect(rows).toEqual([{ kind: "ticket", text, details: expect.objectContaining({ orderId, event: "ticketed" }) }]);
});

test("the hash of a booking links it, can be verified, and the escrow's payment is returned once", async () => {
  const booked = await book(41);
  const { orderId, itineraryHash, totalAmount: amount, totalCurrency: currency, travelers, slices } = booked;
  expect((await readOrder(orderId)).order).toMatchObject({ externalId: null, itineraryHash });
  // The booking names the payee.
  const { bookingId, warnings, note } = await commit(itineraryHash, amount, booked.vendorAddress);
  const isBack = `The order ${orderId} is not paid twice`;
  expect(note).toContain(isBack);
  expect(warnings).toEqual([]);
  const { order } = await readOrder(orderId);
  expect(order?.externalId).toBe(bookingId);
  const segments = slices.flatMap((slice) => slice.segments);
  const names = travelers.map(({ givenName, familyName }) => ({ givenName, familyName }));
  const stoodFor = { orderId, travelers: names, segments, amount, currency, salt: order?.itinerarySalt };
  expect(keccak256(stringToHex(canonicalJson(stoodFor)))).toBe(itineraryHash);

  await expect.poll(async () => (await readOrder(orderId)).order?.ticketOrderHash, { timeout: 30_000 }).toMatch(/^0x/);
  const ticketOrderHash = (await readOrder(orderId)).order?.ticketOrderHash;
  await agent.ask(z.looseObject({}), "confirm_flight", { bookingId, ticketOrderHash });
  const before = await available();
  const preview = await agent.ask(Previewed, "preview_call", { tool: "settle_booking", args: { bookingId } });
  expect(preview.note).toContain(isBack);
  const settled = await agent.ask(z.looseObject({ tripId: z.string(), vendorPaidUsdc: z.string() }), "settle_booking", {
    bookingId,
  });
  expect(settled.walletReturn).toMatchObject({
    amountUsdc: amount,
    orderId,
    transferId: expect.any(String),
  });
  expect(parseDecimal(settled.vendorPaidUsdc)).toBe(parseDecimal(amount));
  await expect.poll(available, { timeout: 30_000 }).toBe(before + (parseDecimal(amount) ?? 0n));
  const after = (await readOrder(orderId)).order;
  expect(after?.refunds).toEqual([]);
  expect(after?.reimbursements.map(({ details }) => details)).toEqual([
    expect.objectContaining({ reason: "paid_by_escrow", escrowBookingId: bookingId }),
  ]);

  const Moved = z.object({ movements: z.array(z.looseObject({ kind: z.string() })) });
  const { movements } = await agent.ask(Moved, "list_movements", { limit: 5 });
  // Those of the order: its payment, and what came back.
  const ofOrder = await agent.ask(Moved, "list_movements", { orderId });
  expect(ofOrder.movements.map(({ kind }) => kind)).toEqual(["settlement_return", "order_payment"]);
  expect(movements.find(({ kind }) => kind === "settlement_return")).toMatchObject({
    direction: "in",
    orderId,
    amount,
  });

  const Told = z.object({ record: z.array(z.object({ kind: z.string(), details: z.looseObject({}) })) });
  const { tripId } = z.object({ tripId: z.string() }).parse(settled);
  const ofTrip = await agent.ask(Moved, "list_movements", { tripId });
  // Its budget, and the order that it paid: together they tell what the trip has cost.
  expect(ofTrip.movements.map(({ kind }) => kind).toSorted()).toEqual([
    ...["order_payment", "settlement_return", "trip_budget"],
  ]);
  const both = await agent.ask(Moved, "list_movements", { tripId, orderId });
  expect(both.movements.map(({ kind }) => kind)).toEqual(["settlement_return", "order_payment"]);
  const { record } = await agent.ask(Told, "read_trip", { tripId });
  expect(record.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["offer", "order", "ticket", "money"]));
  expect(record.filter(({ details }) => details.event === "reimbursed")).toHaveLength(1);
  expect(record.filter(({ kind, details }) => kind === "order" && details.orderId === orderId)).not.toEqual([]);

  const again = await agent.call("settle_booking", { bookingId });
  expect(again.said).toMatchObject({ replayed: true, bookingId });
  expect((await readOrder(orderId)).order?.reimbursements).toHaveLength(1);

  // A second budget for the same order pays nothing.
  const { bookingId: second } = await commit(itineraryHash, amount, booked.vendorAddress);
  await agent.ask(z.looseObject({}), "confirm_flight", { bookingId: second, ticketOrderHash });
  const had = await available();
  await agent.ask(z.looseObject({}), "settle_booking", { bookingId: second });
  await expect.poll(available, { timeout: 30_000 }).toBe(had + (parseDecimal(amount) ?? 0n));
  expect((await readOrder(orderId)).order).toMatchObject({ externalId: bookingId });
});

test("another vendor is paid, and nothing is returned; another tenant's hash links nothing", async () => {
  const { orderId, itineraryHash, totalAmount, vendorAddress } = await book(42);
  const vendor = "0x00000000000000000000000000000000000a11ce";
  const { bookingId, warnings } = await commit(itineraryHash, totalAmount, vendor);
  expect(warnings).toEqual([expect.stringContaining(`has paid the order of this itineraryHash`)]);
  expect(warnings[0]).toContain(vendorAddress);
  await agent.ask(z.looseObject({}), "confirm_flight", { bookingId, ticketOrderHash: itineraryHash });
  await agent.ask(z.looseObject({}), "settle_booking", { bookingId });
  expect((await readOrder(orderId)).order).toMatchObject({ externalId: bookingId, refunds: [] });

  const other = await newFundedTenant(service, "Others");
  expect((await readOrder(orderId, other.apiKey)).status).toBe(404);
  // A stranger who saw the hash on the chain names it in vain.
  const free = await book(44);
  const taken = async (tool: string, args: object) => requireResult(await service.call(tool, args, other.as));
  const { tripId } = await taken("prefund_trip", { budgetUsdc: "1000" });
  const { bookingId: theirs } = await taken("reserve_booking", { tripId, upperBoundUsdc: free.totalAmount });
  const amounts = {
    vendorAmountUsdc: free.totalAmount,
    vendorAddress: free.vendorAddress,
    itineraryHash: free.itineraryHash,
  };
  await taken("commit_booking", { bookingId: theirs, ...amounts });
  await taken("confirm_flight", { bookingId: theirs, ticketOrderHash: free.itineraryHash });
  await taken("settle_booking", { bookingId: theirs });
  expect((await readOrder(free.orderId)).order).toMatchObject({ externalId: null, refunds: [] });
});

test("a stay answers both hashes at once", async () => {
  const Hotels = z.object({ accommodations: z.array(z.object({ cheapestRate: z.object({ id: z.string() }) })) });
  const { accommodations } = await agent.ask(Hotels, "search_hotels", {
    location: "Paris",
    checkInDate: inDays(41),
    checkOutDate: inDays(43),
  });
  const rateId = accommodations[0]?.cheapestRate.id;
  const { id: quoteId } = await agent.ask(z.looseObject({ id: z.string() }), "quote_stay", { rateId });
  const guests = [{ givenName: "Tess", familyName: "Traveler" }];
  const stay = await agent.call("book_stay", { quoteId, email: "tess@example.com", guests });
  const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
  expect(stay.said, stay.text).toMatchObject({ travelers: guests, itineraryHash: hash, ticketOrderHash: hash });
  const repeated = await agent.call("book_stay", { quoteId, email: "tess@example.com", guests });
  expect(repeated.said).toEqual({ ...stay.said, replayed: true });
});
