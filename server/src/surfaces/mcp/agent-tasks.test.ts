import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnyClient, connectClient } from "../../../test/support/mcp-clients.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** Typical tasks of agents, done with only an official client of the protocol and its answers. */

let service: TestService;
let client: AnyClient;
beforeAll(async () => {
  service = await openSharedService();
  client = await connectClient(`${service.appUrl}/api/mcp`, "v2", service.apiKey);
});
afterAll(async () => {
  await client?.close();
  await service?.[Symbol.asyncDispose]();
});

async function callTool(name: string, args: object = {}, meta: Record<string, unknown> = {}) {
  const answer = await client.callTool({ name, arguments: { ...args }, _meta: meta });
  const [{ text = "" } = {}] = Array.isArray(answer.content) ? answer.content : [];
  return { isError: answer.isError === true, result: Object(JSON.parse(text)), meta: Object(answer._meta) };
}

async function done(name: string, args: object = {}) {
  const { isError, result } = await callTool(name, args);
  expect(isError, `${name}: ${JSON.stringify(result)}`).toBe(false);
  return result;
}

const inDays = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

/** An offer without special requirements: these passengers, without passports. */
async function findOffer(passengers: number): Promise<string> {
  const search = { origin: "LHR", destination: "LIS", departureDate: inDays(30), passengers };
  const { offers } = await done("search_flights", search);
  return offers[0].id;
}

const grace = { givenName: "Grace", familyName: "Hopper", bornOn: "1986-12-09", title: "ms", gender: "f" };
const passports = [{ nationality: "USA", number: "P55500142", issuedOn: "2024-01-01", expiresOn: "2034-01-01" }];

/** From a name to a bookable traveler. */
async function addTraveler(userId: string): Promise<string> {
  const contact = { email: `${userId}-${service.tenantId}@example.com`.toLowerCase(), phoneNumber: "+442080160509" };
  const { missingForFlights } = await done("save_traveler", { userId, ...grace, ...contact, passports });
  expect(missingForFlights).toEqual([]);
  return (await done("ensure_flight_customer", { clerkUserId: userId })).customerUserId;
}

describe("an agent with only the protocol", () => {
  it("books for two people, the second known only by name", async () => {
    await done("save_traveler", { passports });
    const second = await addTraveler("user_second");
    const args = { offerId: await findOffer(2), additionalCustomerUserIds: [second] };
    const booked = await done("book_flight", args);
    expect(booked).toMatchObject({ callerTravels: true, travelers: [{ givenName: "Tess" }, { givenName: "Grace" }] });
  });

  it("books for a client without traveling, then shows the order, its ticket and its cost", async () => {
    const client = await addTraveler("user_client");
    const { spending } = await done("read_account");
    const args = { offerId: await findOffer(1), additionalCustomerUserIds: [client] };
    const { orderId, callerTravels, totalAmount } = await done("book_flight", args);
    expect(callerTravels).toBe(false);
    const { orders } = await done("list_orders", { limit: 1, kind: "flight" });
    expect(orders).toMatchObject([{ orderId, totalAmount, status: "confirmed" }]);
    const order = await done("read_order", { orderId });
    expect(order).toMatchObject({
      orderId,
      isLive: true,
      stay: null,
      travelers: [{ givenName: "Grace", userId: "user_client" }],
      flight: { slices: [{ segments: [{ origin: "LHR", destination: "LIS" }] }] },
    });
    expect(order.flight.slices[0].segments[0].departingAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d/);
    const { changeableUntil, conditions, slices, voidWindowEndsAt } = order.flight;
    expect(changeableUntil === null).toBe(conditions.changeBeforeDeparture?.allowed === false);
    // London's time, with its UTC offset on that day.
    const leaves = Temporal.PlainDateTime.from(slices[0].segments[0].departingAt).toZonedDateTime("Europe/London");
    if (changeableUntil !== null) expect(changeableUntil).toBe(leaves.toString({ timeZoneName: "never" }));
    expect(order.next.includes("free of charge")).toBe(voidWindowEndsAt !== null);
    expect(Date.parse(order.readAt)).toBeGreaterThanOrEqual(Date.parse(order.createdAt));
    // save_traveler and ensure_flight_customer came before; read_account is paid when it has answered.
    const { records, totals, sums } = await done("list_usage", { tool: "book_flight", limit: 1 });
    expect(records).toMatchObject([{ priceMicroUsdc: "20000" }]);
    const { calls } = sums;
    expect(sums.tools).toEqual([{ tool: "book_flight", calls, priceMicroUsdc: String(20_000 * calls) }]);
    expect(await done("list_usage", { from: inDays(2), to: inDays(3) })).toMatchObject({
      records: [],
      sums: { calls: 0, tools: [] },
    });
    const [spent, cap] = [BigInt(totals.spentMicroUsdc), BigInt(totals.capMicroUsdc)];
    expect([spent > BigInt(spending.spentMicroUsdc), BigInt(totals.leftMicroUsdc)]).toEqual([true, cap - spent]);
  });

  it("reads its trip and its transfers, and returns the rest of the trip's money, once", async () => {
    const { tripId, txHash: funded } = await done("prefund_trip", { budgetUsdc: "300" });
    const { bookingId, txHash: reserved } = await done("reserve_booking", { tripId, upperBoundUsdc: "120" });
    expect((await done("list_trips", { limit: 1 })).trips).toMatchObject([{ tripId, freeUsdc: "180.00" }]);
    const trip = await done("read_trip", { tripId });
    expect(trip).toMatchObject({
      budget: { freeUsdc: "180.00", reservedUsdc: "120.00", committedUsdc: "0.00", returnedUsdc: "0.00" },
      claim: { guestWallet: null },
      bookings: [{ bookingId, state: "reserved" }],
      history: [
        { step: "fund", txHash: funded, bookingId: null },
        { step: "reserve", txHash: reserved, bookingId },
      ],
    });
    expect(JSON.stringify(trip)).not.toContain("codeNonce");
    const { transfers, state, confirmations } = await done("read_transaction", { txHash: funded });
    expect([state, confirmations > 0]).toEqual(["confirmed", true]);
    expect(transfers).toMatchObject([{ token: "USDC", amount: "300.00", direction: "out" }]);
    const closed = await callTool("close_trip", { tripId });
    expect(closed.result).toMatchObject({ state: "closed", returnedUsdc: "180.00", heldUsdc: "120.00" });
    const again = await callTool("close_trip", { tripId });
    expect(again.result).toEqual({ ...closed.result, replayed: true });
    const { transfers: back } = await done("read_transaction", { txHash: closed.result.txHash });
    expect(back).toMatchObject([{ amount: "180.00", direction: "in" }]);
    expect((await callTool("reserve_booking", { tripId, upperBoundUsdc: "1" })).result.code).toBe("trip_closed");
  });

  it("finds out what a markup of 3 % under a ceiling makes of 200, without committing to it", async () => {
    const policy = { markupConfig: { strategy: "static", bps: 300 }, ceilingMicroUsdc: "25000000" };
    await done("activate_tenant_pricing_policy", policy);
    const { tripId } = await done("prefund_trip", { budgetUsdc: "300" });
    const { bookingId } = await done("reserve_booking", { tripId, upperBoundUsdc: "300" });
    const vendorAddress = "0x00000000000000000000000000000000000a11ce";
    const args = { bookingId, vendorAddress, costMicroUsdc: "200000000", itineraryHash: `0x${"17".repeat(32)}` };
    const { accepted, movements } = await done("preview_call", { tool: "confirm_booking", args });
    expect(accepted).toBe(true);
    expect(movements.map(({ amount }: { amount: string }) => amount)).toEqual(["200.00", "6.00", "2.00"]);
    expect((await done("read_trip", { tripId })).bookings).toMatchObject([{ bookingId, state: "reserved" }]);
  });

  it("sees that a second settlement paid nothing", async () => {
    const { tripId } = await done("prefund_trip", { budgetUsdc: "50" });
    const { bookingId } = await done("reserve_booking", { tripId, upperBoundUsdc: "40" });
    const [vendorAddress, hash] = ["0x00000000000000000000000000000000000a11ce", `0x${"18".repeat(32)}`];
    await done("confirm_booking", { bookingId, vendorAddress, costMicroUsdc: "20000000", itineraryHash: hash });
    await done("confirm_flight", { bookingId, ticketOrderHash: hash });
    const settled = await done("settle_booking", { bookingId });
    expect(await done("settle_booking", { bookingId })).toEqual({ ...settled, replayed: true });
    const { budget, history, record } = await done("read_trip", { tripId });
    expect(budget.settledUsdc).toBe("20.80");
    // Each step has its own time in the record, newest first, though not each changes the trip's money.
    const times: number[] = record
      .filter(({ kind }: { kind: string }) => kind === "money")
      .map(({ at }: { at: string }) => Temporal.Instant.from(at).epochMilliseconds);
    expect(times).toHaveLength(5);
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => other - one));
    expect(history.filter(({ step }: { step: string }) => step === "settle")).toHaveLength(1);
  });

  it("sends money once for a key among the arguments, and accepts no other extra member", async () => {
    const to = "0x00000000000000000000000000000000000000ab";
    const send = { to, amount: "1.25", token: "USDC", _meta: { idempotencyKey: "by-a-model" } };
    const sent = await done("send_tokens", send);
    expect(await done("send_tokens", send)).toEqual({ ...sent, replayed: true });
    const { isError, result } = await callTool("send_tokens", { ...send, _meta: { idempotencyKey: "other", to } });
    expect({ isError, issues: result.issues }).toMatchObject({ isError: true, issues: [{ path: "_meta" }] });
  });

  it("finds a validator, including itself", async () => {
    const { address } = await done("check_treasury");
    expect(await done("list_validators")).toMatchObject({ ownAddress: address });
    const { agentId } = await done("read_reputation", {});
    const asked = await done("request_validation", {
      subjectAgentId: agentId,
      validatorAddress: address,
      tag: "itinerary",
      ownerWalletAddress: address,
    });
    await done("submit_validation_response", {
      requestHash: asked.requestHash,
      response: 100,
      tag: "itinerary",
      validatorWalletAddress: address,
    });
    const { validators } = await done("list_validators", { limit: 200 });
    expect(validators).toContainEqual(
      expect.objectContaining({ validatorAddress: address, isYours: true, answers: 1, averageResponse: 100 }),
    );
  });
});

describe("data that a key may not read", () => {
  const keyWith = async (...scopes: string[]) => {
    const input = { tenantId: service.tenantId, environment: "sandbox", scopes, actor: "test" } as const;
    return (await service.operator((identity) => identity.mintKey(input))).apiKey;
  };

  it("is removed from orders: names without travelers:read, flights for keys that may read stays only", async () => {
    const flights = await keyWith("flights:read");
    const [{ orderId }] = Object(requireResult(await service.call("list_orders", {}, { key: flights }))).orders;
    const order = await service.call("read_order", { orderId }, { key: flights });
    expect(requireResult(order).travelers).toEqual([{ givenName: "G***", familyName: "H***" }]);
    expect(order.text).not.toMatch(/Grace|user_client/);
    const stays = await keyWith("stays:read");
    expect(requireResult(await service.call("list_orders", {}, { key: stays })).orders).toEqual([]);
    expect((await service.call("read_order", { orderId }, { key: stays })).body.code).toBe("order_not_found");
    const neither = await service.call("read_order", { orderId }, { key: await keyWith("escrow:read") });
    expect(neither.body).toMatchObject({ code: "missing_scope", scope: "flights:read" });
  });

  it("is not found for another tenant", async () => {
    const { trips } = requireResult(await service.call("list_trips", {}));
    const { orders } = requireResult(await service.call("list_orders", {}));
    const { apiKey: key, tenant } = await service.operator((identity) =>
      identity.createTenant({ name: "Stranger", actor: "test" }),
    );
    const callCode = async (tool: string, args: object) =>
      (await service.call(tool, args, { key, tenantId: tenant.id })).body.code;
    const [{ tripId }] = Object(trips);
    const [{ orderId }] = Object(orders);
    expect(await callCode("read_trip", { tripId })).toBe("trip_not_found");
    expect(await callCode("close_trip", { tripId })).toBe("trip_not_found");
    expect(await callCode("read_order", { orderId })).toBe("order_not_found");
    const [{ id }] = Object(
      await service.sql("select id from chain_transaction where tenant_id = $1 limit 1", [service.tenantId]),
    );
    expect(await callCode("read_transaction", { transferId: id })).toBe("transaction_not_found");
  });
});
