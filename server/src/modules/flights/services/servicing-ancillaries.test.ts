import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { micro, openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";
import { newFundedTenant } from "../../../../test/support/treasury.ts";
import { formatDecimal } from "../../../domain/money.ts";
import type { SeatService } from "../../../ports/supplier/flight-servicing.ts";
import { chooseSeats } from "./choose-seats.ts";

/** Bags, seats and credits, over dispatch, at the supplier's sandbox. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const statusAndCode = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];
const Service = z.object({ id: z.string(), totalAmount: z.string(), totalCurrency: z.string() });
const Ancillaries = z.object({
  bags: z.array(Service.extend({ maximumQuantity: z.number() })),
  seats: z.array(
    Service.extend({
      designator: z.string(),
      position: z.string().nullable(),
      airlineSays: z.array(z.string()),
      passengerId: z.string(),
      segmentId: z.string(),
    }),
  ),
  seatsAvailable: z.number(),
  hasSeatMap: z.boolean(),
});
const list = async (offerId: string, maxSeats?: number) =>
  Ancillaries.parse(
    await world.result("list_flight_ancillaries", { offerId, ...(maxSeats === undefined ? {} : { maxSeats }) }),
  );

describe("list_flight_ancillaries", () => {
  it("lists bags and the requested number of seats, with price and position", async () => {
    const { id } = await world.flexibleOffer();
    const few = await list(id, 5);
    expect(few.seats).toHaveLength(5);
    expect(few.seatsAvailable).toBeGreaterThan(5);
    expect(few.hasSeatMap).toBe(true);
    expect(few.bags.length).toBeGreaterThan(0);
    for (const seat of few.seats) {
      expect(seat.designator).toMatch(/^\d+[A-Z]$/);
      expect(micro(seat.totalAmount)).toBeGreaterThanOrEqual(0n);
    }
    expect((await list(id)).seats).toHaveLength(Math.min(24, few.seatsAvailable));
  });

  it("includes every kind, cheapest first, however few are requested", () => {
    const seat = (segmentId: string, position: SeatService["position"], price: number): SeatService => ({
      id: `${segmentId}_${position}_${price}`,
      passengerId: "pas_1",
      segmentId,
      designator: "1A",
      cabinClass: null,
      position,
      isExitRow: false,
      airlineSays: [],
      totalAmount: String(price),
      totalCurrency: "USD",
    });
    const windows = [30, 9, 12].map((price) => seat("seg_1", "window", price));
    const seats = [...windows, seat("seg_1", "aisle", 40), seat("seg_2", "window", 8)];
    const chosen = (limit: number) => chooseSeats(seats, limit).map(({ id }) => id);
    expect(chosen(3)).toEqual(["seg_1_window_9", "seg_1_aisle_40", "seg_2_window_8"]);
    expect(chosen(4)).toEqual(["seg_1_window_9", "seg_1_window_12", "seg_1_aisle_40", "seg_2_window_8"]);
    expect(chosen(9)).toHaveLength(5);
  });

  it("knows no unknown offer, and none that is private to another tenant", async () => {
    const nothing = await world.service.call("list_flight_ancillaries", { offerId: "off_0000Nothing" });
    expect(statusAndCode(nothing)).toEqual([500, "offer_not_found"]);
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 30 }).toString();
    const search = { origin: "LHR", destination: "JFK", departureDate, linkSessionTraveler: true };
    const found = await world.result("search_flights", search);
    const [offer] = z.array(z.object({ id: z.string() })).parse(found.offers);
    const { as } = await newFundedTenant(world.service, "Other");
    const refused = await world.service.call("list_flight_ancillaries", { offerId: offer?.id }, as);
    expect([statusAndCode(refused), refused.body.detail]).toEqual([statusAndCode(nothing), nothing.body.detail]);
  });
});

describe("services of book_flight", () => {
  it("are paid with the order, and named in the result", async () => {
    const offer = await world.flexibleOffer();
    const { bags, seats } = await list(offer.id);
    const [bag, seat] = [bags[0], seats.find(({ totalAmount }) => micro(totalAmount) > 0n) ?? seats[0]];
    if (bag === undefined || seat === undefined) throw new Error("there is no bag or no seat");
    const services = [{ id: bag.id, quantity: 1 }, { id: seat.id }];
    const total = micro(offer.totalAmount) + micro(bag.totalAmount) + micro(seat.totalAmount);
    const args = { offerId: offer.id, services };
    const paid = { totalAmount: formatDecimal(total), chargedUsdc: formatDecimal(total) };
    expect(await world.result("preview_call", { tool: "book_flight", args })).toMatchObject({
      accepted: true,
      totals: [{ token: "USDC", amount: paid.totalAmount }],
    });
    const result = await world.result("book_flight", args);
    const ancillaries = {
      way: "ordered_at_once",
      services: [bag, seat].map(({ id }) => ({ id, quantity: 1, booked: true, reason: null })),
    };
    expect(result).toMatchObject({ ...paid, ancillaries });
    const again = await world.result("book_flight", { offerId: offer.id, services });
    expect(again).toMatchObject({ orderId: result.orderId, ancillaries });
    expect(result.services).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "bag", quantity: 1, totalAmount: bag.totalAmount }),
        expect.objectContaining({ kind: "seat", designator: seat.designator, totalAmount: seat.totalAmount }),
      ]),
    );
    const ledger = await world.ledger();
    const orders = ledger.orders.filter(({ offer_id }) => offer_id === offer.id);
    expect(orders).toMatchObject([{ type: "instant", total_amount: formatDecimal(total) }]);
    expect(ledger.services.filter(({ order_id }) => order_id === result.orderId)).toHaveLength(2);
    await world.expectSameBooks();
  });

  it("are not bought at a higher price than the tenant was shown", async () => {
    const offer = await world.flexibleOffer();
    const [bag] = (await list(offer.id)).bags;
    if (bag === undefined) throw new Error("there is no bag");
    await world.service.sql(
      `update seen_offer set offer = jsonb_set(offer, '{services,0,eachAmount}', '"1.00"') where offer_id = $1`,
      [offer.id],
    );
    const refused = await world.service.call("book_flight", { offerId: offer.id, services: [{ id: bag.id }] });
    expect(refused.body).toMatchObject({
      code: "price_changed",
      servicesAmount: bag.totalAmount,
      seenAmount: "1.00",
    });
    expect((await world.ledger()).orders.filter(({ offer_id }) => offer_id === offer.id)).toEqual([]);
  });

  it("are reported as none if a flight is booked without them", async () => {
    const offer = await world.flexibleOffer();
    const result = await world.result("book_flight", { offerId: offer.id });
    expect(result).toMatchObject({ services: [], ancillaries: null });
  });

  it("that the offer lacks, or has fewer of, are refused before anything is sent", async () => {
    const offer = await world.flexibleOffer();
    const { bags, seats } = await list(offer.id);
    const [bag, seat] = [bags[0], seats[0]];
    if (bag === undefined || seat === undefined) throw new Error("there is no bag or no seat");
    const book = (services: unknown) => world.service.call("book_flight", { offerId: offer.id, services });
    for (const [services, serviceId, why] of [
      [[{ id: "ase_0000Nothing" }], "ase_0000Nothing", "The offer has no service ase_0000Nothing "],
      [[{ id: seat.id, quantity: 2 }], seat.id, `has only 1 of service ${seat.id}, but 2 were requested.`],
      [[{ id: bag.id, quantity: 9 }], bag.id, `has only ${bag.maximumQuantity} of service ${bag.id}, but 9`],
    ] as const) {
      const refused = await book(services);
      expect(statusAndCode(refused), JSON.stringify(services)).toEqual([500, "service_not_available"]);
      expect(refused.body).toMatchObject({ serviceId, detail: expect.stringContaining(why) });
      expect(refused.body.detail).toContain("call list_flight_ancillaries again");
    }
    expect(statusAndCode(await book([{ id: bag.id }, { id: bag.id }]))).toEqual([400, "invalid_input"]);
    expect((await world.ledger()).orders.filter(({ offer_id }) => offer_id === offer.id)).toEqual([]);
    await world.arm("/air/orders", "service_taken");
    const taken = await book([{ id: seat.id }]);
    expect(statusAndCode(taken)).toEqual([500, "service_not_available"]);
    expect(taken.body.detail).toContain("call list_flight_ancillaries again");
    await world.expectSameBooks();
  });

  it("and an airline credit pay together: the balance pays the rest", async () => {
    const offer = await world.flexibleOffer();
    const credit = "25.00";
    const airlineCreditId = await world.giveCredit(offer.owner.iataCode, credit);
    const listed = await world.result("list_airline_credits", { limit: 50 });
    expect(listed.credits).toContainEqual(
      expect.objectContaining({ id: airlineCreditId, amount: credit, usable: true }),
    );

    const [bag] = (await list(offer.id)).bags;
    if (bag === undefined) throw new Error("there is no bag");
    const services = [{ id: bag.id, quantity: 1 }];
    const result = await world.result("book_flight", { offerId: offer.id, services, airlineCreditId });
    const rest = micro(offer.totalAmount) + micro(bag.totalAmount) - micro(credit);
    expect(result).toMatchObject({
      chargedUsdc: formatDecimal(rest),
      creditApplied: { airlineCreditId, amount: credit, currency: "USD" },
      services: [expect.objectContaining({ kind: "bag" })],
    });
    const payments = (await world.ledger()).payments.filter(({ order_id }) => order_id === result.orderId);
    expect(new Map(payments.map(({ type, amount }) => [type, amount]))).toEqual(
      new Map([
        ["airline_credit", credit],
        ["balance", formatDecimal(rest)],
      ]),
    );
    await world.expectSameBooks();
  });
});

describe("read_account", () => {
  it("names unused airline credits that expire soon", async () => {
    const offer = await world.flexibleOffer();
    const { orderId } = await world.result("book_flight", { offerId: offer.id });
    const id = await world.giveCredit(offer.owner.iataCode, "31.00", 20);
    const [later, endless] = [await world.giveCredit("BA", "32.00", 90), await world.giveCredit("BA", "33.00")];
    const named = async () => (await world.result("read_account", {})).expiringAirlineCredits;
    // Without a record of ours the supplier is not asked.
    expect(await named()).not.toContainEqual(expect.objectContaining({ airlineCreditId: id }));
    await world.service.sql(
      "insert into order_event (network, order_id, kind, key, source, details, at) values ('sandbox', $1, 'credit_issued', 'test', 'webhook', $2, now())",
      [orderId, JSON.stringify({ id })],
    );
    const credits = z.array(z.object({ airlineCreditId: z.string(), amount: z.string() })).parse(await named());
    expect(credits).toContainEqual(expect.objectContaining({ airlineCreditId: id, amount: "31.00" }));
    const ids = credits.map(({ airlineCreditId }) => airlineCreditId);
    expect(ids).not.toContain(later);
    expect(ids).not.toContain(endless);
  });

  it("and a search says which of them its query did not name may fit its offers", async () => {
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 68 }).toString();
    const asked = { origin: "LHR", destination: "JFK", departureDate };
    const Found = z.object({
      offers: z.array(z.object({ id: z.string(), totalAmount: z.string(), owner: z.object({ iataCode: z.string() }) })),
      unusedCredits: z
        .array(
          z.object({
            airlineCreditId: z.string(),
            offers: z.array(z.object({ offerId: z.string(), remains: z.string(), toPay: z.string() })),
          }),
        )
        .optional(),
    });
    const search = async (more = {}) => Found.parse(await world.result("search_flights", { ...asked, ...more }));
    const iataCode = (await search()).offers[0]?.owner.iataCode ?? "";
    const airlineCreditId = await world.giveCredit(iataCode, "40.00");
    const { offers, unusedCredits } = await search();
    const said = unusedCredits?.find((one) => one.airlineCreditId === airlineCreditId);
    const fitting = offers.filter(({ owner }) => owner.iataCode === iataCode);
    expect(said?.offers).toEqual(
      fitting.map(({ id, totalAmount }) => ({
        offerId: id,
        remains: "0.00",
        toPay: formatDecimal(micro(totalAmount) - micro("40.00")),
      })),
    );
    expect((await search({ airlineCreditIds: [airlineCreditId] })).unusedCredits).toBeUndefined();
  });
});

describe("list_airline_credits", () => {
  it("answers for the tenant's own users only", async () => {
    const { customerUserId, userId } = await world.result("ensure_flight_customer", {});
    const other = await newFundedTenant(world.service, "Other");
    expect(await world.result("list_airline_credits", { clerkUserId: userId, customerUserId })).toHaveProperty(
      "credits",
    );
    expect(await world.result("list_airline_credits", {}, other.as)).toMatchObject({ credits: [] });
    const theirs = await world.service.call("list_airline_credits", { customerUserId }, other.as);
    const nothing = await world.service.call("list_airline_credits", { customerUserId: "icu_0000Nothing" }, other.as);
    expect([statusAndCode(theirs), theirs.body.detail]).toEqual([statusAndCode(nothing), nothing.body.detail]);
    expect(statusAndCode(theirs)).toEqual([500, "customer_not_found"]);
    for (const [args, code] of [
      [{ clerkUserId: "nobody" }, "customer_not_found"],
      [{ clerkUserId: "nobody", customerUserId }, "customer_not_found"],
      [{ tenantId: other.tenantId }, "invalid_input"],
    ] as const) {
      expect((await world.service.call("list_airline_credits", args)).body.code, JSON.stringify(args)).toBe(code);
    }
  });
});
