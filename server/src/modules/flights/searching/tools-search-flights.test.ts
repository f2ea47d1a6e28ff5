import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBookingWorld } from "../../../../test/support/booking-world.ts";
import { toolCaller } from "../../../../test/support/call-tool.ts";
import { offer, segment, slice } from "../../../../test/support/offers.ts";
import { searchFlights } from "../tools/search-flights.ts";

let world: Awaited<ReturnType<typeof openBookingWorld>>;
let tenant: Awaited<ReturnType<typeof world.newTenant>>;
let call: ReturnType<typeof toolCaller>;

beforeAll(async () => {
  world = await openBookingWorld();
  tenant = await world.newTenant();
  tenant.supplier.answerSearchesWith([offer()]);
  call = toolCaller(tenant);
});
afterAll(() => world.close());

const trip = { origin: "LHR", destination: "JFK", departureDate: "2027-01-20" };
const search = (args: object, as = {}) => call(searchFlights, { ...trip, ...args }, as);
const lastSearch = () => tenant.supplier.searches.at(-1);
const issueAt = (path: string) => ({ code: "invalid_input", issues: [{ path }] });

describe("search_flights", () => {
  test("answers with offers, their source and what was not applied", async () => {
    expect(await search({})).toMatchObject({
      offers: [
        {
          id: "off_1",
          totalAmount: "412.50",
          totalCurrency: "USD",
          slices: [{ segments: [{ flightNumber: "BA117" }] }],
        },
      ],
      notApplied: [],
      source: "memory-supplier",
      sourceLevel: "embedded",
      sandbox: true,
    });
  });

  test("passes all of the request to the supplier", async () => {
    await search({
      origin: "lhr",
      destination: "jfk",
      returnDate: "2027-01-27",
      passengers: 3,
      cabinClass: "business",
      privateFares: { ba: [{ corporate_code: "C1", tour_code: "T1", tracking_reference: "R1", account_number: "A1" }] },
      leisureFareTypes: ["student", "tour"],
      loyaltyProgrammeAccounts: [[], [{ airlineIataCode: "aa", accountNumber: "77" }]],
    });
    expect(lastSearch()).toEqual({
      origin: "LHR",
      destination: "JFK",
      departureDate: "2027-01-20",
      returnDate: "2027-01-27",
      cabinClass: "business",
      passengers: [
        { leisureFareType: "student", loyaltyAccounts: [] },
        { leisureFareType: "tour", loyaltyAccounts: [{ airlineIataCode: "AA", accountNumber: "77" }] },
        { loyaltyAccounts: [] },
      ],
      privateFares: { BA: [{ corporateCode: "C1", tourCode: "T1", trackingReference: "R1", accountNumber: "A1" }] },
      airlineCreditIds: [],
    });
  });

  test("puts the session's traveler on the first seat; a given account number replaces the traveler's own", async () => {
    await search({ passengers: 2, linkSessionTraveler: true });
    const amelia = { givenName: "Amelia", familyName: "Hart" };
    const account = { airlineIataCode: "BA", accountNumber: "12345678" };
    expect(lastSearch()?.passengers).toEqual([{ ...amelia, loyaltyAccounts: [account] }, { loyaltyAccounts: [] }]);
    await search({
      linkSessionTraveler: true,
      loyaltyProgrammeAccounts: [[{ airlineIataCode: "BA", accountNumber: "9" }]],
    });
    expect(lastSearch()?.passengers).toEqual([{ ...amelia, loyaltyAccounts: [{ ...account, accountNumber: "9" }] }]);
  });

  test("puts the tenant's customer on the first seat, and knows no other tenant's", async () => {
    const { tenantId } = tenant.caller;
    await world.travelers.put(
      tenantId,
      "bob",
      "sandbox",
      { givenName: "Bob", familyName: "Lee", loyaltyProgrammeAccounts: [], passports: [] },
      "test",
    );
    await world.travelers.linkCustomer(tenantId, "bob", "sandbox", "icu_bob");
    await search({ customerUserId: "icu_bob", linkSessionTraveler: true });
    expect(lastSearch()?.passengers).toEqual([{ givenName: "Bob", familyName: "Lee", loyaltyAccounts: [] }]);
    const stranger = await world.newTenant();
    for (const as of [{ tenantId: stranger.caller.tenantId }, { environment: "production" }]) {
      await expect(search({ customerUserId: "icu_bob" }, as)).rejects.toMatchObject({ code: "customer_not_found" });
    }
  });

  test("names what the traveler's profile lacks", async () => {
    await expect(search({ linkSessionTraveler: true }, { travelerId: "nobody" })).rejects.toMatchObject({
      code: "traveler_incomplete",
      extra: { travelers: [{ userId: "nobody", fields: ["givenName", "familyName"] }] },
    });
  });

  test("passes on the tenant's credits, reports the spent ones, and knows no others", async () => {
    const { credits } = tenant.supplier;
    await world.travelers.linkCustomer(tenant.caller.tenantId, "amelia", "sandbox", "icu_amelia");
    const credit = {
      airlineIataCode: "BA",
      amount: "50.00",
      currency: "USD",
      customerUserId: "icu_amelia",
      usable: true,
    };
    credits.set("acd_good", { ...credit, id: "acd_good" });
    credits.set("acd_spent", { ...credit, id: "acd_spent", usable: false });
    credits.set("acd_other", { ...credit, id: "acd_other", customerUserId: "icu_of_somebody_else" });
    credits.set("acd_loose", { ...credit, id: "acd_loose", customerUserId: null });
    const answer = await search({ airlineCreditIds: ["acd_good", "acd_spent"] });
    expect(lastSearch()?.airlineCreditIds).toEqual(["acd_good"]);
    expect(answer).toMatchObject({ notApplied: [{ input: "airlineCreditIds", value: "acd_spent" }] });
    expect(JSON.stringify(answer)).not.toContain('"airlineCredits"');
    tenant.supplier.answerSearchesWith([
      { ...offer(), totalAmount: "420.50", availableAirlineCreditIds: ["acd_good"] },
    ]);
    credits.set("acd_large", { ...credit, id: "acd_large", amount: "500.00", customerUserId: "icu_amelia" });
    expect(await search({ airlineCreditIds: ["acd_good", "acd_large"] })).toMatchObject({
      offers: [
        {
          airlineCredits: [
            { airlineCreditId: "acd_good", amount: "50.00", currency: "USD", remains: "0.00", toPay: "370.50" },
          ],
        },
      ],
    });
    tenant.supplier.answerSearchesWith([
      { ...offer(), totalAmount: "420.50", availableAirlineCreditIds: ["acd_large"] },
    ]);
    expect(await search({ airlineCreditIds: ["acd_large"] })).toMatchObject({
      offers: [{ airlineCredits: [{ remains: "79.50", toPay: "0.00" }] }],
    });
    tenant.supplier.answerSearchesWith([offer()]);
    for (const id of ["acd_other", "acd_loose", "acd_unheard_of"]) {
      await expect(search({ airlineCreditIds: [id] })).rejects.toMatchObject({ code: "credit_not_found" });
    }
  });

  test("reports that there are no offers", async () => {
    tenant.supplier.answerSearchesWith([]);
    await expect(search({})).rejects.toMatchObject({ code: "no_offers" });
    tenant.supplier.answerSearchesWith([offer()]);
  });

  test.each([
    ["returnDate", { returnDate: "2027-01-19" }],
    ["departureDate", { departureDate: "2027-02-30" }],
    ["destination", { destination: "lhr" }],
    ["destination", { destination: "LGW" }],
    ["destination", { destination: "LON" }],
    ["destination", { destination: "J1K" }],
    ["leisureFareTypes", { leisureFareTypes: ["student", "student"] }],
    ["loyaltyProgrammeAccounts", { loyaltyProgrammeAccounts: [[], []] }],
    [
      "loyaltyProgrammeAccounts.0.0.airlineIataCode",
      { loyaltyProgrammeAccounts: [[{ airlineIataCode: "12", accountNumber: "1" }]] },
    ],
    ["privateFares.BAW", { privateFares: { BAW: [{}] } }],
    ["privateFares.BA.0.tour_cod", { privateFares: { BA: [{ tour_cod: "1" }] } }],
    ["passengers", { passengers: 10 }],
  ])("refuses %s of %j", async (path, args) => {
    await expect(search(args)).rejects.toMatchObject(issueAt(path));
  });

  test("refuses a day that is over at the origin, and only then", async () => {
    // 12:00 UTC on 20 November: Auckland is at 01:00 on the 21st, Honolulu at 02:00 on the 20th.
    const leaves = (origin: string, departureDate: string) => search({ origin, departureDate });
    await expect(leaves("AKL", "2026-11-20")).rejects.toMatchObject(issueAt("departureDate"));
    expect(await leaves("AKL", "2026-11-21")).toBeDefined();
    expect(await leaves("HNL", "2026-11-20")).toBeDefined();
    await expect(leaves("HNL", "2026-11-19")).rejects.toMatchObject(issueAt("departureDate"));
    // QQQ is unknown: 20 November has not ended anywhere, the 19th has ended everywhere.
    expect(await leaves("QQQ", "2026-11-20")).toBeDefined();
    await expect(leaves("QQQ", "2026-11-19")).rejects.toMatchObject(issueAt("departureDate"));
  });

  test("picks count the flights in the requested cabin; the fourth named offer is a pick that can be booked", async () => {
    const leg = (id: string, cabinClass: string, hour: number, durationMinutes: number) =>
      segment({ id, cabinClass, durationMinutes, departingAt: `2027-01-20T${hour}:00:00`, flightNumber: `BA${hour}` });
    const by = (id: string, totalAmount: string, minutes: number, ...segments: ReturnType<typeof leg>[]) =>
      offer({ id, totalAmount, slices: [slice(segments, { durationMinutes: minutes })] });
    tenant.supplier.answerSearchesWith([
      by("off_half", "900.00", 600, leg("a", "economy", 10, 300), leg("b", "business", 16, 300)),
      by("off_best", "1600.00", 620, leg("a", "business", 11, 300), leg("b", "business", 17, 300)),
      by("off_cheap", "1500.00", 1500, leg("a", "business", 12, 300), leg("b", "first", 18, 300)),
      by("off_fast", "5000.00", 400, leg("a", "business", 13, 190), leg("b", "business", 19, 190)),
      by("off_direct", "4000.00", 420, leg("a", "business", 14, 420)),
    ]);
    const answer = await search({ cabinClass: "business" });
    expect(answer).toMatchObject({
      offers: [{ id: "off_best" }, { id: "off_cheap" }, { id: "off_fast" }],
      picks: {
        best: "off_best",
        cheapest: "off_cheap",
        fastest: "off_fast",
        cheapestDirect: "off_direct",
        notShown: [
          { id: "off_direct", totalAmount: "4000.00", flights: "BA14 LHR 2027-01-20T14:00 → JFK 11:20, direct" },
        ],
        cheapestChangeable: { id: "off_cheap" },
        cheapestInMixedCabins: {
          id: "off_half",
          totalAmount: "900.00",
          cabins: ["BA10 LHR to JFK: economy", "BA16 LHR to JFK: business"],
        },
      },
    });
    expect(await search({ cabinClass: "economy" })).toMatchObject({
      picks: { best: "off_half", cheapest: "off_half" },
    });
    tenant.supplier.answerSearchesWith([offer()]);
  });
});
