import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays, openAgent } from "../../../../test/support/agent.ts";
import { offer, segment, slice } from "../../../../test/support/offers.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { supplierAccess } from "../../../embedded/supplier-part.ts";
import { chooseOffers } from "../offers/best-offers.ts";
import { compareOffers, otherFares } from "../offers/fares.ts";

/** Shows how an agent learns about the fares of a flight, and the rates of a hotel. */
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

const picked = { id: z.string(), totalAmount: z.string(), flights: z.string().optional() };
const changeable = { ...picked, changePenaltyAmount: z.string() };
const Found = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      totalAmount: z.string(),
      fareName: z.string().nullable(),
      checkedBags: z.number(),
      slices: z.array(z.object({ durationMinutes: z.number() })),
      fares: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          totalAmount: z.string(),
          refundable: z.boolean(),
          changeable: z.boolean(),
          changePenaltyAmount: z.string().optional(),
        }),
      ),
    }),
  ),
  timeZones: z.record(z.string(), z.string()),
  picks: z.object({
    best: z.string(),
    cheapest: z.string(),
    fastest: z.string(),
    cheapestChangeable: z.object(changeable),
    cheapestWithOneChange: z.object(changeable),
    cheapestRefundable: z.object({ ...picked, refundPenaltyAmount: z.string() }),
  }),
  considered: z.object({ offers: z.number(), itineraries: z.number() }),
});

const journey = { origin: "LHR", destination: "JFK", departureDate: inDays(61), returnDate: inDays(70) };

test("a changeable and refundable fare is found in one search, and is the one booked", async () => {
  const { offers, considered } = await agent.ask(Found, "search_flights", journey);
  expect(considered.offers).toBeGreaterThan(offers.flatMap(({ fares }) => fares).length);
  expect(considered.itineraries).toBeGreaterThanOrEqual(3);
  const fares = offers.flatMap(({ fares: others, ...shown }) => others.map((fare) => ({ fare, shown })));
  for (const { fare, shown } of fares)
    expect(Number(fare.totalAmount)).toBeGreaterThanOrEqual(Number(shown.totalAmount));
  const flexible = fares.find(({ fare }) => fare.refundable && fare.changePenaltyAmount === "0.00");
  expect(flexible?.fare.name).toBe("Flex");
  const conditions = await agent.ask(z.looseObject({}), "display_offer_conditions", { offerId: flexible?.fare.id });
  expect(conditions).toMatchObject({
    totalAmount: flexible?.fare.totalAmount,
    fareBrands: ["Flex"],
    conditions: { refundBeforeDeparture: { allowed: true }, changeBeforeDeparture: { penaltyAmount: "0.00" } },
    slices: [
      { origin: "LHR", destination: "JFK", changeBeforeDeparture: { allowed: true, penaltyAmount: "0.00" } },
      { origin: "JFK", destination: "LHR", changeBeforeDeparture: { allowed: true, penaltyAmount: "0.00" } },
    ],
  });
});

test("the cheapest and the fastest of all are among the three, and are named", async () => {
  const { offers, picks } = await agent.ask(Found, "search_flights", journey);
  const minutes = (id: string) =>
    offers.find((shown) => shown.id === id)?.slices.reduce((sum, { durationMinutes }) => sum + durationMinutes, 0);
  expect(picks.best).toBe(offers[0]?.id);
  for (const { id, totalAmount } of offers) {
    const cheapest = offers.find((shown) => shown.id === picks.cheapest);
    expect(Number(cheapest?.totalAmount)).toBeLessThanOrEqual(Number(totalAmount));
    expect(minutes(picks.fastest)).toBeLessThanOrEqual(minutes(id) ?? 0);
  }
});

test("the cheapest changeable or refundable fares are named, also of flights that are not shown", async () => {
  const { offers, picks, timeZones } = await agent.ask(Found, "search_flights", journey);
  expect(timeZones).toMatchObject({ LHR: "Europe/London", JFK: "America/New_York" });
  const { cheapestChangeable, cheapestWithOneChange, cheapestRefundable } = picks;
  const withChange = Number(cheapestWithOneChange.totalAmount) + Number(cheapestWithOneChange.changePenaltyAmount);
  const fares = offers.flatMap((shown) => shown.fares);
  for (const fare of fares.filter((one) => one.changeable)) {
    expect(Number(cheapestChangeable.totalAmount)).toBeLessThanOrEqual(Number(fare.totalAmount));
    expect(withChange).toBeLessThanOrEqual(Number(fare.totalAmount) + Number(fare.changePenaltyAmount));
  }
  for (const fare of fares.filter(({ refundable }) => refundable)) {
    expect(Number(cheapestRefundable.totalAmount)).toBeLessThanOrEqual(Number(fare.totalAmount));
  }
  const { id, totalAmount, changePenaltyAmount } = cheapestWithOneChange;
  const read = async (offerId: string) => await agent.ask(z.looseObject({}), "display_offer_conditions", { offerId });
  expect(await read(id)).toMatchObject({
    totalAmount,
    conditions: { changeBeforeDeparture: { allowed: true, penaltyAmount: changePenaltyAmount } },
  });
  expect(await read(cheapestRefundable.id)).toMatchObject({
    totalAmount: cheapestRefundable.totalAmount,
    conditions: {
      refundBeforeDeparture: { allowed: true, penaltyAmount: cheapestRefundable.refundPenaltyAmount },
    },
  });
});

test("a fare of flights that are not shown tells when and where they leave and land", async () => {
  const route = { origin: "CDG", destination: "AMS", departureDate: inDays(58) };
  const { offers, picks } = await agent.ask(Found, "search_flights", route);
  const shown = new Set(offers.flatMap((one) => [one.id, ...one.fares.map(({ id }) => id)]));
  const { cheapestChangeable, cheapestWithOneChange, cheapestRefundable } = picks;
  for (const { id, flights } of [cheapestChangeable, cheapestWithOneChange, cheapestRefundable]) {
    const said = `^[A-Z0-9]+ CDG ${route.departureDate}T\\d{2}:\\d{2} → AMS \\d{2}:\\d{2}, direct$`;
    expect(flights ?? "").toMatch(shown.has(id) ? /^$/ : new RegExp(said));
  }
});

test("the fare with the lowest price is distinguished from the cheapest with one change, and either may be missing", () => {
  const terms = (change: string | undefined, refund: string | undefined) => {
    const term = (penaltyAmount: string | undefined) =>
      penaltyAmount === undefined ? null : { allowed: true, penaltyAmount, penaltyCurrency: "USD" };
    return { refundBeforeDeparture: term(refund), changeBeforeDeparture: term(change) };
  };
  const later = (hour: number) => [slice([segment({ departingAt: `2027-01-20T1${hour}:00:00` })])];
  const onward = { flightNumber: "BA1", origin: "DUB", departingAt: "2027-01-20T23:30:00" };
  const connecting = [
    slice([segment({ destination: "DUB" }), segment({ ...onward, arrivingAt: "2027-01-21T02:05:00" })]),
  ];
  const all = [
    offer({ conditions: terms(undefined, undefined) }),
    offer({ id: "off_low", totalAmount: "500.00", conditions: terms("200.00", undefined), slices: later(1) }),
    offer({ id: "off_sum", totalAmount: "560.00", conditions: terms("60.00", "300.00"), slices: connecting }),
    offer({ id: "off_free", totalAmount: "900.00", conditions: terms("0.00", "0.00"), slices: later(3) }),
  ];
  const picks = (offers: typeof all) => {
    const chosen = chooseOffers(offers, 1);
    return chosen === undefined ? undefined : compareOffers(chosen, offers).picks;
  };
  expect(picks(all)).toMatchObject({
    cheapestChangeable: {
      id: "off_low",
      changePenaltyAmount: "200.00",
      flights: "BA117 LHR 2027-01-20T11:00 → JFK 11:20, direct",
    },
    cheapestWithOneChange: {
      id: "off_sum",
      changePenaltyAmount: "60.00",
      flights: "BA117+BA1 LHR 2027-01-20T08:25 → JFK 2027-01-21T02:05, by way of DUB",
    },
    cheapestRefundable: { id: "off_sum", refundPenaltyAmount: "300.00" },
  });
  const none = { cheapestChangeable: null, cheapestWithOneChange: null, cheapestRefundable: null };
  expect(picks(all.slice(0, 1))).toMatchObject(none);
});

test("fares with the same terms are shown once, at the lower price", () => {
  const flex = { refundBeforeDeparture: { allowed: true, penaltyAmount: "0.00", penaltyCurrency: "USD" } };
  const conditions = { ...offer().conditions, ...flex };
  const offers = [
    offer(),
    offer({ id: "off_dear", totalAmount: "700.00", conditions }),
    offer({ id: "off_partner", totalAmount: "650.00", conditions }),
    offer({ id: "off_same", totalAmount: "415.00" }),
    offer({ id: "off_later", slices: [slice([segment({ departingAt: "2027-01-20T20:00:00" })])] }),
  ];
  expect(otherFares(offer(), offers).map(({ id }) => id)).toEqual(["off_partner"]);
});

test("a flight that requires passports is booked with the traveler's, and a missing one is reported before", async () => {
  const route = { origin: "LHR", destination: "DEL", departureDate: inDays(61) };
  const Wanted = z.object({ offers: z.array(z.object({ id: z.string(), identityDocumentsRequired: z.boolean() })) });
  const [wanting] = (await agent.ask(Wanted, "search_flights", route)).offers;
  expect(wanting?.identityDocumentsRequired).toBe(true);
  const offerId = wanting?.id;
  const terms = await agent.ask(z.looseObject({}), "display_offer_conditions", { offerId });
  expect(terms.identityDocumentsRequired).toBe(true);
  const { isError, said } = await agent.call("book_flight", { offerId });
  expect(isError).toBe(true);
  expect(said).toMatchObject({ code: "traveler_incomplete", travelers: [{ fields: ["passports"] }] });
  const passport = { nationality: "GBR", number: "925076473", issuedOn: "2024-01-01", expiresOn: inDays(3_000) };
  const { userId } = z.object({ userId: z.string() }).parse(z.array(z.unknown()).parse(said.travelers)[0]);
  await agent.ask(z.looseObject({}), "save_traveler", { userId, passports: [passport] });
  const { orderId } = await agent.ask(z.looseObject({ orderId: z.string() }), "book_flight", { offerId });
  const token = supplierAccess(service.dataDir)?.token;
  const headers = { authorization: `Bearer ${token}`, "duffel-version": "v2" };
  const order = await (await fetch(`${service.supplierUrl}/air/orders/${orderId}`, { headers })).json();
  expect(order).toMatchObject({
    data: {
      passengers: [
        { identity_documents: [{ type: "passport", unique_identifier: "925076473", issuing_country_code: "GB" }] },
      ],
    },
  });
});

test("an order keeps its stops, each traveler's bags and name, the void window, and the terms of each leg", async () => {
  const route = { origin: "DXB", destination: "AMS", departureDate: inDays(61) };
  const Stopping = z.object({ segments: z.array(z.object({ technicalStops: z.array(z.string()).optional() })) });
  const Fare = z.object({ id: z.string(), refundable: z.boolean(), changePenaltyAmount: z.string().optional() });
  const Search = z.object({ offers: z.array(z.object({ slices: z.array(Stopping), fares: z.array(Fare) })) });
  const { offers } = await agent.ask(Search, "search_flights", route);
  const offer = offers.find(({ slices }) => slices[0]?.segments[0]?.technicalStops?.includes("IST"));
  expect(offer?.slices[0]?.segments).toHaveLength(1);
  // For a fare refundable free of charge the sandbox gives the end of its void window.
  const flexible = offer?.fares.find((fare) => fare.refundable && fare.changePenaltyAmount === "0.00");
  const Order = z.looseObject({ orderId: z.string(), passengers: z.array(z.looseObject({ id: z.string() })) });
  const booked = await agent.ask(Order, "book_flight", { offerId: flexible?.id });
  const passengerId = booked.passengers[0]?.id;
  const passengers = [{ id: passengerId, givenName: "Tess", familyName: "Traveler" }];
  const first = {
    stops: [{ airport: "IST", arrivingAt: expect.any(String), departingAt: expect.any(String), durationMinutes: 55 }],
    passengers: [
      {
        passengerId,
        cabinClass: "economy",
        seat: null,
        baggage: expect.arrayContaining([
          { type: expect.stringMatching(/checked|carry_on/), quantity: expect.any(Number) },
        ]),
      },
    ],
  };
  const flown = [{ segments: [first] }];
  expect(booked).toMatchObject({ passengers, voidWindowEndsAt: expect.stringMatching(/Z$/), slices: flown });
  const read = await agent.ask(z.looseObject({}), "read_order", { orderId: booked.orderId });
  const terms = { changeBeforeDeparture: { allowed: expect.any(Boolean) } };
  expect(read).toMatchObject({
    flight: {
      passengers,
      voidWindowEndsAt: booked.voidWindowEndsAt,
      slices: flown.map((slice) => ({ ...slice, ...terms })),
    },
  });
});

const Hotels = z.object({
  accommodations: z.array(
    z.object({
      id: z.string(),
      distanceMeters: z.number(),
      photos: z.array(z.string()).min(1),
      cheapestRate: z.object({ id: z.string() }),
      rates: z.array(
        z.object({
          id: z.string(),
          totalAmount: z.string(),
          perNightAmount: z.string(),
          boardType: z.string(),
          refundable: z.boolean(),
          fullRefundUntil: z.string().nullable(),
        }),
      ),
    }),
  ),
  order: z.string().regex(/review score.*distanceMeters/),
  picks: z.object({ best: z.string(), cheapest: z.string(), nearest: z.string(), cheapestRefundable: z.string() }),
  considered: z.number(),
});

test("a hotel shows up to four rates, including the cheapest and a refundable one", async () => {
  const { accommodations, considered, picks } = await agent.ask(Hotels, "search_hotels", {
    location: "London",
    checkInDate: inDays(60),
    checkOutDate: inDays(64),
  });
  expect(considered).toBeGreaterThan(accommodations.length);
  expect(picks.best).toBe(accommodations[0]?.id);
  const nearest = accommodations.toSorted((left, right) => left.distanceMeters - right.distanceMeters)[0];
  expect(picks.nearest).toBe(nearest?.id);
  for (const { rates, cheapestRate, distanceMeters } of accommodations) {
    expect(rates[0]?.id).toBe(cheapestRate.id);
    expect(rates.length).toBeLessThanOrEqual(4);
    expect(distanceMeters).toBeLessThan(15_000);
    const refundable = rates.find((rate) => rate.refundable);
    expect(Number(refundable?.perNightAmount)).toBeCloseTo(Number(refundable?.totalAmount) / 4, 1);
    const quote = await agent.ask(z.looseObject({}), "quote_stay", { rateId: refundable?.id });
    expect(quote).toMatchObject({ totalAmount: refundable?.totalAmount, cancellationPolicy: { refundable: true } });
  }
});

test("a hotel is not searched for a day that is over there, although it is not over everywhere", async () => {
  const dayIn = (timeZone: string) => Temporal.Now.plainDateISO(timeZone);
  const [last, next] = [dayIn("-12:00").toString(), dayIn("-12:00").add({ days: 3 }).toString()];
  // On Kiritimati, where each day begins first.
  const stay = { location: "1.87, -157.43", checkInDate: last, checkOutDate: next };
  const { said } = await agent.call("search_hotels", stay);
  expect(said).toMatchObject({ code: "invalid_input", issues: [{ path: "checkInDate" }] });
});

test("a hotel's pictures come from the application host, and no other address of the supplier does", async () => {
  const stay = { location: "London", checkInDate: inDays(60), checkOutDate: inDays(61) };
  const { accommodations } = await agent.ask(Hotels, "search_hotels", stay);
  const photo = accommodations[0]?.photos[0] ?? "";
  expect(photo.startsWith(`${service.appUrl}/photos/`)).toBe(true);
  const shown = await fetch(photo);
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  expect(await shown.text()).toMatch(/^<svg /);
  for (const path of ["/photos/acc_1/x.svg", "/photos/..%2f_sandbox%2fledger", "/photos/a/b/1.svg"]) {
    expect((await fetch(`${service.appUrl}${path}`)).status, path).toBe(404);
  }
});

const Sent = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string(), body: z.string() })) });
const WirePassenger = z.looseObject({
  given_name: z.string().optional(),
  loyalty_programme_accounts: z
    .array(z.object({ airline_iata_code: z.string(), account_number: z.string() }))
    .default([]),
});
const WireBody = z.object({ data: z.object({ passengers: z.array(WirePassenger) }) });

/** The passengers of all posts to a path of the supplier that contain the text. */
async function passengersSent(path: string, text: string) {
  const answer = await fetch(`${service.supplierUrl}/_sandbox/requests?contains=${text}`);
  const { requests } = Sent.parse(await answer.json());
  const posted = requests.filter((request) => request.method === "POST" && request.path.split("?")[0] === path);
  return posted.map(({ body }) => WireBody.parse(JSON.parse(body)).data.passengers);
}

test("loyalty accounts of every passenger reach the supplier, in the search and with the order", async () => {
  const account = (airline: string, number: string) => ({ airline_iata_code: airline, account_number: number });
  const [first, second, third] = ["TESS1", "GRACE2", "ALAN3"].map((name) => `${name}${service.tenantId.slice(-6)}`);
  const person = { bornOn: "1986-12-09", title: "ms", gender: "f", phoneNumber: "+442080160509" };
  const customerUserIds: string[] = [];
  for (const [givenName, accounts] of [
    ["Grace", [{ airlineIataCode: "ba", accountNumber: second }]] as const,
    ["Alan", []] as const,
  ]) {
    const userId = `user_${givenName}`;
    const email = `${givenName}-${service.tenantId}@example.com`;
    const named = { ...person, userId, givenName, familyName: "Hopper", email, loyaltyProgrammeAccounts: accounts };
    await agent.ask(z.looseObject({}), "save_traveler", named);
    const made = await agent.ask(z.object({ customerUserId: z.string() }), "ensure_flight_customer", {
      clerkUserId: userId,
    });
    customerUserIds.push(made.customerUserId);
  }
  const search = {
    origin: "LHR",
    destination: "JFK",
    departureDate: inDays(64),
    passengers: 3,
    linkSessionTraveler: true,
    loyaltyProgrammeAccounts: [first, second, third].map((accountNumber) => [{ airlineIataCode: "BA", accountNumber }]),
  };
  const Answer = Found.extend({ notApplied: z.array(z.looseObject({ value: z.string() })) });
  const { offers, notApplied } = await agent.ask(Answer, "search_flights", search);
  const [asked = []] = await passengersSent("/air/offer_requests", `${first}`);
  expect(asked).toMatchObject([
    { given_name: "Tess", loyalty_programme_accounts: [account("BA", `${first}`)] },
    { given_name: "Grace", loyalty_programme_accounts: [account("BA", `${second}`)] },
    { loyalty_programme_accounts: [] },
  ]);
  // The supplier accepts an account in a search only with a name, and no traveler of the tenant has this one.
  expect(notApplied).toEqual([expect.objectContaining({ input: "loyaltyProgrammeAccounts", value: "BA" })]);

  const additionalCustomerUserIds = customerUserIds;
  await agent.ask(z.looseObject({}), "book_flight", { offerId: offers[0]?.id, additionalCustomerUserIds });
  const [ordered = []] = await passengersSent("/air/orders", `${third}`);
  expect(ordered).toMatchObject([
    { given_name: "Tess", loyalty_programme_accounts: [account("BA", `${first}`)] },
    { given_name: "Grace", loyalty_programme_accounts: [account("BA", `${second}`)] },
    { given_name: "Alan", loyalty_programme_accounts: [account("BA", `${third}`)] },
  ]);
});
