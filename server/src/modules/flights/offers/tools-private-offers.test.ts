import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openBookingWorld } from "../../../../test/support/booking-world.ts";
import { toolCaller } from "../../../../test/support/call-tool.ts";
import { offer } from "../../../../test/support/offers.ts";
import { partPrograms } from "../../../../test/support/programs.ts";
import { type CallOptions, startTestService, type TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { startApp } from "../../../compose.ts";
import { supplierAccess } from "../../../embedded/supplier-part.ts";
import { bookFlight } from "../tools/book-flight.ts";
import { displayOfferConditions } from "../tools/display-offer-conditions.ts";
import { searchFlights } from "../tools/search-flights.ts";

const trip = {
  origin: "LHR",
  destination: "JFK",
  departureDate: Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString(),
};
const Found = z.object({ offers: z.array(z.object({ id: z.string() })) });

describe("over dispatch, an offer of a search", () => {
  let service: TestService;
  /** The two tenants' call options; the owner is the demo tenant with its complete traveler. */
  const owner: CallOptions = {};
  let stranger: CallOptions;
  let customerUserId: string;
  let airlineCreditId: string;
  let daysLater = 0;

  beforeAll(async () => {
    service = await openSharedService();
    const { tenant, apiKey } = await service.operator((identity) =>
      identity.createTenant({ name: "Stranger", actor: "test" }),
    );
    stranger = { key: apiKey, tenantId: tenant.id, userId: "sam" };
    const put = await service.send("/api/travelers/sam", {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        givenName: "Sam",
        familyName: "Stranger",
        bornOn: "1990-01-01",
        title: "mr",
        gender: "m",
        email: "sam@example.com",
        phoneNumber: "+14155550199",
        loyaltyProgrammeAccounts: [],
        passports: [{ nationality: "GBR", number: "SPECIMEN9", issuedOn: "2022-01-01", expiresOn: "2032-01-01" }],
      }),
    });
    expect(put.status, put.text).toBe(201);
    const customer = await service.call("ensure_flight_customer", {});
    ({ customerUserId } = z.object({ customerUserId: z.string() }).parse(customer.body.result));
    airlineCreditId = await issueCredit(customerUserId);
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  async function issueCredit(user_id: string): Promise<string> {
    const supplier = supplierAccess(service.dataDir);
    const response = await fetch(`${supplier?.url}/air/airline_credits`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "duffel-version": "v2",
        authorization: `Bearer ${supplier?.token}`,
      },
      body: JSON.stringify({
        data: {
          airline_iata_code: "BA",
          amount: "50.00",
          amount_currency: "USD",
          code: "CREDIT1",
          type: "eticket",
          issued_on: "2026-01-01",
          expires_at: "2099-01-01",
          user_id,
        },
      }),
    });
    const body = await response.text();
    expect(response.status, body).toBe(201);
    return z.object({ data: z.object({ id: z.string() }) }).parse(JSON.parse(body)).data.id;
  }

  async function search(args: object): Promise<string[]> {
    const answer = await service.call("search_flights", { ...trip, ...args }, owner);
    expect(answer.status, answer.text).toBe(200);
    return Found.parse(answer.body.result).offers.map(({ id }) => id);
  }
  const show = (offerId: string, as: CallOptions) => service.call("display_offer_conditions", { offerId }, as);
  const book = (offerId: string, as: CallOptions) => service.call("book_flight", { offerId }, as);

  /** The answer to a caller, without members that differ from call to call. */
  async function refusal(answer: ReturnType<typeof show>) {
    const { status, body } = await answer;
    const { traceId: _, ...told } = body;
    return { ...told, status };
  }

  it.each([
    ["negotiated fares", () => ({ privateFares: { BA: [{ corporate_code: "FLX53", account_number: "7" }] } })],
    [
      "loyalty accounts",
      () => ({ loyaltyProgrammeAccounts: [[{ airlineIataCode: "BA", accountNumber: "12345678" }]] }),
    ],
    ["airline credits", () => ({ airlineCreditIds: [airlineCreditId] })],
    ["a customer user", () => ({ customerUserId })],
    ["the session's traveler", () => ({ linkSessionTraveler: true })],
  ])("with %s does not exist for another tenant", async (_, args) => {
    // A day of its own: nobody buys two tickets for one flight.
    daysLater += 1;
    const departureDate = Temporal.PlainDate.from(trip.departureDate).add({ days: daysLater }).toString();
    const [offerId = ""] = await search({ ...args(), departureDate });
    const nowhere = "off_0000AAAAAAAAAAAAAAAAAA";
    expect(await refusal(show(offerId, stranger))).toEqual(await refusal(show(nowhere, stranger)));
    expect(await refusal(book(offerId, stranger))).toEqual(await refusal(book(nowhere, stranger)));
    expect(await refusal(book(offerId, stranger))).toMatchObject({ status: 500, code: "offer_not_found" });
    expect((await show(offerId, owner)).status).toBe(200);
    const booked = await book(offerId, owner);
    expect(booked.status, booked.text).toBe(200);
    // Also when booking.
    expect(await refusal(book(offerId, stranger))).toMatchObject({ code: "offer_not_found" });
  });

  it("with private inputs does not exist for another tenant even if it was not among those shown", async () => {
    const shown = await search({ linkSessionTraveler: true });
    const [first = ""] = shown;
    // The sandbox numbers the offers of a search in the last two characters.
    const neighbours = [..."0123456789"].map((digit) => `${first.slice(0, -1)}${digit}`);
    const hidden: string[] = [];
    for (const id of neighbours) {
      if (!shown.includes(id) && (await show(id, owner)).status === 200) hidden.push(id);
    }
    expect(hidden.length).toBeGreaterThan(0);
    for (const id of hidden) {
      expect(await refusal(show(id, stranger))).toMatchObject({ code: "offer_not_found" });
    }
  });

  it("without private inputs is open to every tenant, and stores nothing", async () => {
    const rows = async () => (await service.sql("select offer_id from private_offer")).length;
    const before = await rows();
    const [shown = "", booked = ""] = await search({ privateFares: {}, loyaltyProgrammeAccounts: [[]] });
    expect(await rows()).toBe(before);
    expect((await show(shown, stranger)).status).toBe(200);
    await service.isFunded(stranger.tenantId ?? "");
    const answer = await book(booked, stranger);
    expect(answer.status, answer.text).toBe(200);
  });
});

it("a service deletes expired private offers, and keeps the others", async () => {
  await using service = await startTestService();
  await service.sql(
    `insert into private_offer (network, offer_id, tenant_id, expires_at)
     values ('sandbox', 'off_over', 't', now() - interval '1 second'), ('sandbox', 'off_kept', 't', now() + interval '1 hour')`,
  );
  await service.app.stop();
  const again = await startApp(service.config, partPrograms());
  try {
    await expect.poll(() => service.sql("select offer_id from private_offer")).toEqual([{ offer_id: "off_kept" }]);
  } finally {
    await again.stop();
  }
});

describe("private offers", () => {
  let world: Awaited<ReturnType<typeof openBookingWorld>>;
  beforeAll(async () => {
    world = await openBookingWorld();
  });
  afterAll(() => world.close());

  it("of others are refused before the supplier is asked", async () => {
    const [mine, theirs] = [await world.newTenant(), await world.newTenant()];
    const asked: string[] = [];
    const { getOffer } = mine.supplier.flights;
    mine.supplier.flights.getOffer = (offerId, options) => {
      asked.push(offerId);
      return getOffer(offerId, options);
    };
    mine.supplier.offers.set("off_kept", offer({ id: "off_kept" }));
    await world.stores.privateOffers.remember(
      { environment: "sandbox", tenantId: theirs.tenant.id },
      ["off_kept"],
      world.clock.now(),
      [],
    );
    for (const tool of [displayOfferConditions, bookFlight]) {
      const call = toolCaller(mine)(tool, { offerId: "off_kept" });
      await expect(call).rejects.toMatchObject({ code: "offer_not_found" });
    }
    expect(asked).toEqual([]);
  });

  it("are those of one network, and stay with their first owner", async () => {
    const { privateOffers } = world.stores;
    const until = world.clock.now().add({ hours: 1 });
    await privateOffers.remember({ environment: "sandbox", tenantId: "tenant_a" }, ["off_a", "off_b"], until, []);
    await privateOffers.remember({ environment: "sandbox", tenantId: "tenant_b" }, ["off_b", "off_c"], until, []);
    const foreignTo = async (tenantId: string, environment: "sandbox" | "production" = "sandbox") => {
      const ids = ["off_a", "off_b", "off_c", "off_d"];
      const accounts = await Promise.all(ids.map((id) => privateOffers.loyaltyAccounts(environment, tenantId, id)));
      return ids.filter((_, index) => accounts[index] === undefined);
    };
    expect(await foreignTo("tenant_a")).toEqual(["off_c"]);
    expect(await foreignTo("tenant_b")).toEqual(["off_a", "off_b"]);
    expect(await foreignTo("tenant_b", "production")).toEqual([]);
  });

  it("are kept for a day after the last of them expired, and then deleted", async () => {
    const tenant = await world.newTenant();
    const expiries = ["2027-01-01T10:00:00Z", "2027-01-01T12:00:00Z", "2027-01-01T11:00:00Z"];
    const ids = expiries.map((_, index) => `off_old_${index}`);
    tenant.supplier.answerSearchesWith(
      expiries.map((expiresAt, index) => offer({ id: `off_old_${index}`, expiresAt })),
    );
    await toolCaller(tenant)(searchFlights, { ...trip, departureDate: "2027-01-20", linkSessionTraveler: true });
    const { privateOffers } = world.stores;
    const kept = async () => {
      const accounts = await Promise.all(ids.map((id) => privateOffers.loyaltyAccounts("sandbox", "another", id)));
      return accounts.filter((one) => one === undefined).length;
    };
    await privateOffers.prune(Temporal.Instant.from("2027-01-02T11:59:59Z"));
    expect(await kept()).toBe(3);
    await privateOffers.prune(Temporal.Instant.from("2027-01-02T12:00:00Z"));
    expect(await kept()).toBe(0);
  });

  it("cost an open search nothing", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.answerSearchesWith([offer({ id: "off_open" })]);
    const untouchable = () => Promise.reject(new Error("an open search asked who owns offers"));
    const privateOffers = {
      remember: untouchable,
      prune: untouchable,
      loyaltyAccounts: untouchable,
    };
    const stores = { ...tenant.stores, privateOffers };
    const call = toolCaller({ ...tenant, stores });
    const found = await call(searchFlights, { ...trip, departureDate: "2027-01-20" });
    expect(found).toMatchObject({ offers: [{ id: "off_open" }] });
    const other = call(searchFlights, { ...trip, departureDate: "2027-01-20", linkSessionTraveler: true });
    await expect(other).rejects.toThrow("who owns offers");
  });
});
