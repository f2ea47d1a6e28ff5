import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { inDays } from "../../../test/support/agent.ts";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";

/** Who a stay is booked for, and which arguments are refused before the supplier is asked. */
let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world.close());

const said = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code, body.detail];
/** Stored before the supplier is asked. */
const selectIntents = (quoteId: string) => world.service.sql("select id from booking where offer_id = $1", [quoteId]);
const guest = { givenName: "Amelia", familyName: "Hart" };

describe("book_stay", () => {
  it("uses the phone number of the caller's profile by default", async () => {
    const { id } = await world.quoted();
    expect(await world.bookStay(id, { phoneNumber: undefined })).toMatchObject({ status: 200 });
    const other = await newFundedTenant(world.service, "Without a profile");
    const missing = await world.bookStay(id, { phoneNumber: undefined }, other.as);
    expect(missing.body).toMatchObject({
      code: "traveler_incomplete",
      travelers: [{ fields: ["phoneNumber"] }],
    });
    expect(await world.stayBookings(id)).toHaveLength(1);
  });

  it("books one quote for two tenants, separately", async () => {
    const other = await newFundedTenant(world.service, "Two of one quote");
    const quote = await world.quoted();
    const mine = await world.bookStay(quote.id);
    const theirs = await world.bookStay(quote.id, {}, other.as);
    expect([mine.status, theirs.status], theirs.text).toEqual([200, 200]);
    const [first, second] = await world.stayBookings(quote.id);
    expect([mine.body.result, theirs.body.result]).toMatchObject([{ orderId: first?.id }, { orderId: second?.id }]);
    expect(first?.id).not.toBe(second?.id);
    // An order is visible to its own tenant only.
    const cancelling = await world.service.call("cancel_order_quote", { orderId: first?.id }, other.as);
    const nothing = await world.service.call("cancel_order_quote", { orderId: "bok_0000Nothing" }, other.as);
    expect(said(cancelling)).toEqual(said(nothing));
    expect([cancelling.status, cancelling.body.code]).toEqual([500, "order_not_found"]);
  });

  it("links the guests who travel with a known one by their names, and says whom it cannot tell", async () => {
    const person = { bornOn: "1990-01-01", title: "ms", gender: "f", phoneNumber: "+14155550133" };
    const { tenantId } = world.service;
    const save = async (userId: string, names: object) =>
      await world.result("save_traveler", { userId, ...person, ...names, email: `${userId}.${tenantId}@example.com` });
    const [cleo, dan, eve] = ["Cleo", "Dan", "Eve"].map((givenName) => ({ givenName, familyName: "Ives" }));
    if (cleo === undefined || dan === undefined || eve === undefined) throw new Error("nobody travels");
    for (const [userId, names] of [
      ["cleo", cleo],
      ["dan", dan],
      ["eve1", eve],
      ["eve2", eve],
    ] as const)
      await save(userId, names);
    const stay = { location: "Paris", checkInDate: inDays(60), checkOutDate: inDays(62), guests: 3 };
    const [hotel] = Found.parse(await world.result("search_hotels", stay)).accommodations;
    const { id: quoteId } = await world.quoted(hotel?.rates[0]?.id);
    const email = `cleo.${tenantId}@example.com`;
    const args = { quoteId, email, guests: [cleo, dan, eve] };
    const preview = await world.result("preview_call", { tool: "book_stay", args });
    expect(JSON.stringify(preview)).toContain("Eve Ives (userId eve1 or eve2)");
    const booked = await world.result("book_stay", args);
    expect(booked.travelers).toEqual([{ ...cleo, userId: "cleo" }, { ...dan, userId: "dan" }, eve]);
    expect(booked.next).toMatch(/Not linked to a saved traveler: Eve Ives \(userId eve1 or eve2\)\. .*customerUserId/);
    expect(booked.next).not.toContain("Dan Ives");
    const { orders, sums } = await world.result("list_orders", { userId: "dan" });
    expect(orders).toMatchObject([{ orderId: booked.orderId, shareUsdc: expect.any(String) }]);
    expect(sums).toMatchObject({ byTraveler: [{ userId: "dan", orders: 1, costUsdc: expect.any(String) }] });
    // Without a guest whom the address tells, a name alone is no proof.
    const alone = { quoteId: (await world.quoted()).id, email: `office.${tenantId}@example.com`, guests: [dan] };
    const unlinked = await world.result("book_stay", alone);
    expect(unlinked.travelers).toEqual([dan]);
    expect(unlinked.next).toContain("Not linked to a saved traveler: Dan Ives (userId dan).");
  });

  it("is in the lists of the travelers who are its guests: by userId, or by names and the booking's address", async () => {
    const person = { bornOn: "1990-01-01", title: "ms", gender: "f", phoneNumber: "+14155550133" };
    const ada = { givenName: "Ada", familyName: "Hale" };
    const ben = { givenName: "Ben", familyName: "Hale" };
    const email = `ada.${world.service.tenantId}@example.com`;
    await world.result("save_traveler", { userId: "ada", ...person, ...ada, email });
    await world.result("save_traveler", { userId: "ben", ...person, ...ben, email: `ben.${email}` });
    const [first, second] = [await world.quoted(), await world.quoted()];
    const byAddress = await world.result("book_stay", { quoteId: first.id, email: email.toUpperCase(), guests: [ada] });
    expect(byAddress.travelers).toEqual([{ ...ada, userId: "ada" }]);
    const named = { quoteId: second.id, email, guests: [{ ...ben, customerUserId: "ben" }] };
    const byId = await world.result("book_stay", named);
    expect(byId.travelers).toEqual([{ ...ben, userId: "ben" }]);
    expect(await world.result("book_stay", named)).toMatchObject({ orderId: byId.orderId });
    for (const [userId, { orderId }] of [
      ["ada", byAddress],
      ["ben", byId],
    ] as const)
      expect((await world.result("list_orders", { userId })).orders).toMatchObject([{ orderId }]);
    const slices = { add: [], remove: [{ slice_id: "sli_0000" }] };
    const changing = await world.service.call("request_order_change", { orderId: byId.orderId, slices });
    expect(changing.body).toMatchObject({
      code: "order_not_changeable",
      detail: expect.stringContaining("whose dates and guests cannot be changed"),
    });
    const nobody = { quoteId: (await world.quoted()).id, email, guests: [{ ...ben, customerUserId: "nobody" }] };
    expect((await world.service.call("book_stay", nobody)).body).toMatchObject({ code: "customer_not_found" });
  });

  it("accepts the tenant's own customers only", async () => {
    const { customerUserId } = await world.result("ensure_flight_customer", {});
    const mine = await world.quoted();
    const booked = await world.bookStay(mine.id, {
      guests: [{ ...guest, customerUserId }],
      additionalCustomerUserIds: [customerUserId],
    });
    expect(booked.status, booked.text).toBe(200);
    const other = await newFundedTenant(world.service, "Strangers");
    const theirs = await world.quoted();
    for (const place of ["guests", "additionalCustomerUserIds"]) {
      const naming = (id: unknown) =>
        place === "guests" ? { guests: [{ ...guest, customerUserId: id }] } : { additionalCustomerUserIds: [id] };
      const foreign = await world.bookStay(theirs.id, naming(customerUserId), other.as);
      const unknown = await world.bookStay(theirs.id, naming("icu_0000Nobody"), other.as);
      expect([foreign.status, foreign.body.code], place).toEqual([500, "customer_not_found"]);
      expect(said(foreign)).toEqual(said(unknown));
    }
    expect(await world.stayBookings(theirs.id)).toEqual([]);
  });

  it.each([
    ["phoneNumber", { phoneNumber: "020 8016 0508" }],
    ["email", { email: "nobody" }],
    ["guests", { guests: [] }],
    ["guests", { guests: [guest, guest] }],
    ["guests.0.givenName", { guests: [{ ...guest, givenName: "4242424242424242" }] }],
    ["guests.0.bornOn", { guests: [{ ...guest, bornOn: "2001-02-30" }] }],
    ["loyaltyProgrammeAccountNumber", { loyaltyProgrammeAccountNumber: " " }],
    ["accommodationSpecialRequests", { accommodationSpecialRequests: "Charge 4242 4242 4242 4242" }],
    ["accommodationSpecialRequests", { accommodationSpecialRequests: "a".repeat(1_001) }],
  ])("refuses %s %j", async (path, extra) => {
    const { id } = await world.quoted();
    const answer = await world.bookStay(id, extra);
    expect([answer.status, answer.body.code], answer.text).toEqual([400, "invalid_input"]);
    expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
    expect(await selectIntents(id)).toEqual([]);
    expect(await world.stayBookings(id)).toEqual([]);
  });

  it("accepts a loyalty number only if there is a programme", async () => {
    const cities = ["New York", "Berlin", "Madrid", "Vienna"];
    const found = await Promise.all(cities.map((location) => world.searchHotels({}, { location })));
    const hotels = [world.hotel, ...found.flatMap(({ accommodations }) => accommodations)];
    const quotes = await Promise.all(hotels.map((one) => world.quoted(one.cheapestRate.id)));
    const has = quotes.find(({ supportedLoyaltyProgramme }) => supportedLoyaltyProgramme !== null);
    const hasNot = quotes.find(({ supportedLoyaltyProgramme }) => supportedLoyaltyProgramme === null);
    if (has === undefined || hasNot === undefined) throw new Error("every hotel has a programme, or none");
    const loyaltyProgrammeAccountNumber = "12345678";
    expect(await world.bookStay(has.id, { loyaltyProgrammeAccountNumber })).toMatchObject({ status: 200 });
    expect((await world.bookStay(hasNot.id, { loyaltyProgrammeAccountNumber })).body).toMatchObject({
      code: "invalid_input",
      issues: [{ path: "loyaltyProgrammeAccountNumber" }],
    });
    expect(await selectIntents(hasNot.id)).toEqual([]);
  });

  it("tells the accommodation the ages of children at check-in that the quote does not count as such", async () => {
    const stay = { location: "Paris", checkInDate: inDays(50), checkOutDate: inDays(52), guests: 3 };
    const found = Found.parse(await world.result("search_hotels", stay));
    expect(found.searchedFor).toEqual({ adults: 3, childAges: [], rooms: 1 });
    const [hotel] = found.accommodations;
    for (const { beds } of hotel?.rates ?? []) expect(beds.length).toBeGreaterThan(0);
    const quote = await world.result("quote_stay", { rateId: hotel?.rates[0]?.id });
    expect(quote).toMatchObject({ guests: 3, childAges: [], beds: hotel?.rates[0]?.beds });
    const { id } = z.object({ id: z.string() }).parse(quote);
    const bornBefore = (years: number, days = 0) =>
      Temporal.PlainDate.from(stay.checkInDate).subtract({ years }).add({ days }).toString();
    const guests = [
      { ...guest, bornOn: bornBefore(18) },
      { ...guest, givenName: "Bea", bornOn: bornBefore(18, 1) },
      { ...guest, givenName: "Cal", bornOn: bornBefore(6) },
    ];
    const unborn = [guest, { ...guest, bornOn: inDays(51) }];
    expect((await world.bookStay(id, { guests: unborn })).body).toMatchObject({
      code: "invalid_input",
      issues: [{ path: "guests.1.bornOn" }],
    });
    const long = await world.bookStay(id, { guests, accommodationSpecialRequests: "a".repeat(990) });
    expect(long.body).toMatchObject({ code: "invalid_input", issues: [{ path: "accommodationSpecialRequests" }] });
    const booked = await world.bookStay(id, { guests, accommodationSpecialRequests: "A quiet room" });
    expect(booked.status, booked.text).toBe(200);
    const [sent] = await bookingsSent(id);
    expect(sent).toMatchObject({
      accommodation_special_requests: "A quiet room\nChildren among the guests, ages at check-in: 17, 6.",
    });
    expect(JSON.stringify(sent)).not.toContain(bornBefore(6));
  });

  it("searches for children by their ages, which the quote then has, so the accommodation is not told again", async () => {
    const stay = { location: "Paris", checkInDate: inDays(50), checkOutDate: inDays(52) };
    const asked = { ...stay, adults: 2, childAges: [6, 3] };
    const { searchedFor, accommodations } = Found.parse(await world.result("search_family_hotels", asked));
    expect(searchedFor).toEqual({ adults: 2, childAges: [6, 3], rooms: 1 });
    const quote = await world.result("quote_stay", { rateId: accommodations[0]?.rates[0]?.id });
    expect(quote).toMatchObject({ guests: 4, childAges: [6, 3] });
    const { id } = z.object({ id: z.string() }).parse(quote);
    const born = (years: number) => Temporal.PlainDate.from(stay.checkInDate).subtract({ years }).toString();
    const guests = [30, 6, 4].map((years) => ({ ...guest, givenName: `Kim${"abc"[years % 3]}`, bornOn: born(years) }));
    expect(await world.bookStay(id, { guests })).toMatchObject({ status: 200 });
    const [sent] = await bookingsSent(id);
    expect(sent).toMatchObject({
      accommodation_special_requests: "Children among the guests, ages at check-in: 4.",
    });
    const tooMany = await world.service.call("search_family_hotels", { ...asked, adults: 8 });
    expect(tooMany.body).toMatchObject({ code: "invalid_input", issues: [{ path: "childAges" }] });
  });

  it("tells the accommodation nothing about adults or guests without a date of birth", async () => {
    const { id } = await world.quoted();
    expect(await world.bookStay(id, { guests: [{ ...guest, bornOn: "1987-07-24" }] })).toMatchObject({ status: 200 });
    const [sent] = await bookingsSent(id);
    expect(sent).not.toHaveProperty("accommodation_special_requests");
  });
});

const Beds = z.array(z.object({ type: z.string(), count: z.number() }));
const Found = z.object({
  searchedFor: z.looseObject({}),
  accommodations: z.array(z.object({ rates: z.array(z.object({ id: z.string(), beds: Beds })) })),
});
const Sent = z.object({ requests: z.array(z.object({ path: z.string(), body: z.string().nullable() })) });
const Posted = z.object({ data: z.looseObject({}) });

/** The bookings that the supplier received for a quote. */
async function bookingsSent(quoteId: string) {
  const answer = await fetch(`${world.service.supplierUrl}/_sandbox/requests?contains=${quoteId}`);
  const { requests } = Sent.parse(await answer.json());
  const posted = requests.filter(({ path }) => path.startsWith("/stays/bookings"));
  return posted.map(({ body }) => Posted.parse(JSON.parse(body ?? "{}")).data);
}
