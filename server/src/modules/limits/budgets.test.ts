import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Escrow, freshHash, openEscrow } from "../../../test/support/escrow.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger, UNIT } from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";

let service: TestService;
let escrow: Escrow;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const ask = (method: "GET" | "PUT", body?: object, key = service.operatorKey) =>
  service.send("/api/budgets", {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const List = z.object({ budgets: z.array(z.looseObject({ budgetId: z.string() })) });
async function budget(budgetId: string, key?: string) {
  const { budgets } = List.parse((await ask("GET", undefined, key)).body);
  return budgets.find((one) => one.budgetId === budgetId);
}

async function setBudget(body: { budgetId: string; [member: string]: unknown }, key?: string): Promise<void> {
  const answer = await ask("PUT", body, key);
  expect(answer.status, answer.text).toBe(200);
}

const send = (amount: string, more = {}) => service.call("send_tokens", { to: stranger(), amount }, more);

let daysAhead = 50;
async function nextOffer() {
  daysAhead += 1;
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: daysAhead }).toString();
  const found = await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate });
  const Offers = z.object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })) });
  const [offer] = Offers.parse(requireResult(found)).offers;
  if (offer === undefined) throw new Error("there is no offer");
  return offer;
}

const daysFromNow = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

const plusOne = (amount: string) => formatDecimal((parseDecimal(amount) ?? 0n) + UNIT);

const arm = (path: string, fault: string) =>
  fetch(`${service.supplierUrl}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ match: { path, method: "POST" }, fault, times: 1, delayMs: 0 }),
  });

describe("a budget", () => {
  test("is named with its rest when an offer is judged and the account is read, if it covers the caller", async () => {
    const { apiKey: key, operatorKey, tenantId } = await newFundedTenant(service, "Budgeted");
    const offer = { kind: "hotel", priceUsd: 100, pricePerNightUsd: 100 };
    const check = async () =>
      requireResult(await service.call("check_policy", { policyId: "default-corp", offer }, { key, tenantId }));
    expect((await check()).budgets).toEqual([]);
    await setBudget({ budgetId: "mine", amountUsdc: "20", costCentre: "4711" }, operatorKey);
    await setBudget({ budgetId: "over", amountUsdc: "20", endsOn: "2020-01-01" }, operatorKey);
    expect((await send("7.5", { key, tenantId })).status).toBe(200);
    const left = [{ budgetId: "mine", costCentre: "4711", endsOn: null, amountUsdc: "20.00", leftUsdc: "12.50" }];
    expect((await check()).budgets).toEqual(left);
    expect(requireResult(await service.call("read_account", {}, { key, tenantId })).budgets).toEqual(left);
  });

  test("is never exceeded by 64 parallel callers, and another tenant's does not count", async () => {
    const { as, operatorKey } = await newFundedTenant(service, "Budgeted");
    await setBudget({ budgetId: "all", amountUsdc: "10", costCentre: "4711" }, operatorKey);
    await setBudget({ budgetId: "all", amountUsdc: "1" }, (await newFundedTenant(service, "Other")).operatorKey);
    const answers = await Promise.all(Array.from({ length: 64 }, () => send("3", as)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.body).toMatchObject({
      code: "spend_limit_exceeded",
      limit: "budget",
      budgetId: "all",
      costCentre: "4711",
    });
    expect(await budget("all", operatorKey)).toMatchObject({
      usedUsdc: "9.00",
      reservedUsdc: "0.00",
      leftUsdc: "1.00",
    });
    const lowered = await ask("PUT", { budgetId: "all", amountUsdc: "8.999999" }, operatorKey);
    expect([lowered.status, lowered.body]).toMatchObject([409, { code: "conflict", usedUsdc: "9.00" }]);
    expect(await budget("all", operatorKey)).toMatchObject({ amountUsdc: "10.00" });
  });

  test("for a flight is checked once the supplier has told the price, and gets back what was not booked", async () => {
    const [first, second, third] = [await nextOffer(), await nextOffer(), await nextOffer()];
    const book = (offerId: string) => service.call("book_flight", { offerId });
    const travelerIds = ["user_demo"];
    await setBudget({ budgetId: "travel", amountUsdc: "100000", travelerIds });
    // An ended budget covers nothing.
    await setBudget({ budgetId: "over", amountUsdc: "0", endsOn: "2020-01-01" });
    await arm("/air/orders", "offer_expired");
    expect((await book(second.id)).body.code).toBe("offer_expired");
    expect(await budget("travel")).toMatchObject({ usedUsdc: "0.00", reservedUsdc: "0.00" });
    const exactly = { budgetId: "travel", amountUsdc: first.totalAmount, travelerIds };
    await setBudget({ ...exactly, endsOn: Temporal.Now.plainDateISO("UTC").add({ days: 1 }).toString() });
    expect((await book(first.id)).status).toBe(200);
    expect(await budget("travel")).toMatchObject({ usedUsdc: first.totalAmount, leftUsdc: "0.00" });
    // A repetition is the same booking, and uses nothing.
    expect((await book(first.id)).headers.get("idempotent-replayed")).toBe("true");
    await setBudget({
      budgetId: "travel",
      amountUsdc: plusOne(first.totalAmount),
      travelerIds: ["user_demo"],
    });
    const refused = await book(third.id);
    expect([refused.status, refused.body]).toMatchObject([402, { limit: "budget", leftUsdc: "1.00" }]);
    expect(refused.body.neededUsdc).toBe(third.totalAmount);
    expect(await service.sql("select 1 from booking where offer_id = $1", [third.id])).toEqual([]);
    expect(await budget("travel")).toMatchObject({ usedUsdc: first.totalAmount, reservedUsdc: "0.00" });
    await setBudget({ budgetId: "travel", amountUsdc: "1000000", travelerIds });
    expect((await book(third.id)).status).toBe(200);
  });

  test("of a traveler counts bookings for them as a companion, whoever books", async () => {
    const profile = {
      familyName: "Hart",
      bornOn: "1988-02-03",
      title: "ms",
      gender: "f",
      phoneNumber: "+442080160509",
    };
    const person = { userId: "carol", givenName: "Carol", email: "carol.hart@example.com", ...profile };
    expect((await service.call("save_traveler", person)).status).toBe(200);
    const { customerUserId } = requireResult(await service.call("ensure_flight_customer", { clerkUserId: "carol" }));
    const carols = (amountUsdc: string) => setBudget({ budgetId: "carols", amountUsdc, travelerIds: ["carol"] });
    await carols("5");
    const offer = await nextOffer();
    const book = { offerId: offer.id, additionalCustomerUserIds: [customerUserId] };
    const refusal = { code: "spend_limit_exceeded", limit: "budget", budgetId: "carols", leftUsdc: "5.00" };
    expect((await service.call("book_flight", book)).body).toMatchObject(refusal);
    // Even for an offer that the tenant was never shown.
    await service.sql("delete from seen_offer where offer_id = $1", [offer.id]);
    expect((await service.call("book_flight", book)).body).toMatchObject(refusal);
    expect(await service.sql("select 1 from booking where offer_id = $1", [offer.id])).toEqual([]);

    const dates = { checkInDate: daysFromNow(40), checkOutDate: daysFromNow(42) };
    const found = requireResult(await service.call("search_hotels", { location: "Lisbon", guests: 2, ...dates }));
    const rateId = Object(found).accommodations[0].cheapestRate.id;
    const quote = Object(requireResult(await service.call("quote_stay", { rateId })));
    const guests = [
      { givenName: "Amelia", familyName: "Hart" },
      { givenName: "Carol", familyName: "Hart", customerUserId },
    ];
    const stay = { quoteId: quote.id, email: person.email, phoneNumber: person.phoneNumber, guests };
    expect((await service.call("book_stay", stay)).body).toMatchObject(refusal);
    expect(await service.sql("select 1 from booking where offer_id = $1", [quote.id])).toEqual([]);

    // Each traveler's budget counts the full amount.
    await carols(quote.totalAmount);
    await setBudget({ budgetId: "both", amountUsdc: "100000", travelerIds: ["user_demo", "carol"] });
    expect((await service.call("book_stay", stay)).status).toBe(200);
    expect(await budget("carols")).toMatchObject({ usedUsdc: quote.totalAmount, leftUsdc: "0.00" });
    expect(await budget("both")).toMatchObject({ usedUsdc: quote.totalAmount });
  });

  test("of a trip counts what is committed, once, and not what was put in", async () => {
    const tripId = await escrow.prefund("100");
    await setBudget({ budgetId: "trip", amountUsdc: "60", tripIds: [tripId] });
    await setBudget({ budgetId: "escrowed", amountUsdc: "50000" });
    const commit = async (vendorAmountUsdc: string) => {
      const bookingId = await escrow.reserve(tripId, "50");
      const terms = { vendorAmountUsdc, vendorAddress: stranger(), itineraryHash: freshHash() };
      return await service.call("commit_booking", { bookingId, ...terms });
    };
    expect((await commit("40")).status).toBe(200);
    expect(await budget("trip")).toMatchObject({ usedUsdc: "40.00" });
    expect((await commit("20.000001")).body).toMatchObject({ limit: "budget", budgetId: "trip", leftUsdc: "20.00" });
    // An amount counted at prefunding is not counted again.
    expect(await budget("escrowed")).toMatchObject({ usedUsdc: "0.00" });
  });

  test("covers the calls of its keys, its travelers and its days, and no others", async () => {
    const { as, operatorKey, tenantId } = await newFundedTenant(service, "Several budgets");
    const { key: second, apiKey: secondKey } = await service.operator((operator) =>
      operator.mintKey({ tenantId, environment: "sandbox", actor: "test" }),
    );
    const ownDay = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
    const amountUsdc = "100";
    await setBudget({ budgetId: "everybody", amountUsdc, startsOn: ownDay(-1), endsOn: ownDay(1) }, operatorKey);
    await setBudget({ budgetId: "key", amountUsdc, keyIds: [second.id] }, operatorKey);
    await setBudget({ budgetId: "traveler", amountUsdc, travelerIds: [`svc:${second.id}`] }, operatorKey);
    await setBudget({ budgetId: "later", amountUsdc, startsOn: ownDay(2) }, operatorKey);
    expect((await send("3", as)).status).toBe(200);
    expect((await send("4", { ...as, key: secondKey })).status).toBe(200);
    const names = ["everybody", "key", "traveler", "later"];
    const used = await Promise.all(names.map(async (name) => (await budget(name, operatorKey))?.usedUsdc));
    expect(used).toEqual(["7.00", "4.00", "4.00", "0.00"]);
    // Only budgets that cover a call refuse it.
    await setBudget({ budgetId: "key", amountUsdc: "4", keyIds: [second.id] }, operatorKey);
    expect((await send("1", { ...as, key: secondKey })).body).toMatchObject({ limit: "budget", budgetId: "key" });
    expect((await send("1", as)).status).toBe(200);
  });

  test("names the tenant's own keys, users and trips only", async () => {
    const other = await newFundedTenant(service, "Stranger");
    const [key] = await service.operator((operator) => operator.listKeys(service.tenantId));
    const foreign = {
      budgetId: "x",
      amountUsdc: "1",
      keyIds: [key?.id],
      travelerIds: ["user_demo"],
      tripIds: [freshHash()],
    };
    const answer = await ask("PUT", { ...foreign, startsOn: "2026-02-02", endsOn: "2026-02-01" }, other.operatorKey);
    expect(answer.status).toBe(400);
    const Issues = z.array(z.object({ path: z.string() }));
    expect(Issues.parse(answer.body.issues).map(({ path }) => path)).toEqual([
      "keyIds.0",
      "travelerIds.0",
      "tripIds.0",
      "endsOn",
    ]);
    expect(await budget("x", other.operatorKey)).toBeUndefined();
  });
});
