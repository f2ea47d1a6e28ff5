import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { amelia, openBookingWorld } from "../../../../test/support/booking-world.ts";
import { toolCaller, toolRunner } from "../../../../test/support/call-tool.ts";
import { offer } from "../../../../test/support/offers.ts";
import { Replayed } from "../../../kernel/contracts/tool.ts";
import { bookFlight } from "../tools/book-flight.ts";
import { ensureFlightCustomer } from "../tools/ensure-flight-customer.ts";

type World = Awaited<ReturnType<typeof openBookingWorld>>;
type Tenant = Awaited<ReturnType<World["newTenant"]>>;

let world: World;
beforeAll(async () => {
  world = await openBookingWorld();
});
afterAll(() => world.close());

const settledCode = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: { code?: unknown }) => error.code,
  );
const book = (tenant: Tenant, args: object = {}) => toolCaller(tenant)(bookFlight, { offerId: "off_1", ...args });
const ensure = (tenant: Tenant, args: object = {}, as = {}) => toolCaller(tenant)(ensureFlightCustomer, args, as);
const parseCustomer = (answer: unknown) => z.object({ customerUserId: z.string() }).parse(answer).customerUserId;
const passengers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `pas_${index + 1}`, type: "adult", fareType: null }));

async function withTraveler(tenant: Tenant, userId: string, change: Partial<typeof amelia> = {}): Promise<string> {
  const email = `${userId}-${tenant.tenant.id}@example.com`;
  await world.travelers.put(
    tenant.caller.tenantId,
    userId,
    "sandbox",
    { ...amelia, givenName: userId, email, ...change },
    "test",
  );
  return parseCustomer(await ensure(tenant, { clerkUserId: userId }));
}

describe("travelers", () => {
  test("are the caller first, then the others, each with documents if the offer asks for them", async () => {
    const tenant = await world.newTenant();
    const carol = await withTraveler(tenant, "Carol");
    tenant.supplier.offers.set("off_1", offer({ passengers: passengers(2), identityDocumentsRequired: true }));
    await book(tenant, { additionalCustomerUserIds: [carol] });
    expect(tenant.supplier.requests[0]?.passengers).toMatchObject([
      { id: "pas_1", givenName: "Amelia", identityDocument: { number: "925076473", issuingCountryIso2: "GB" } },
      { id: "pas_2", givenName: "Carol", customerUserId: carol },
    ]);
  });

  test("are only the named ones if they fill the offer, as the answer tells, also when it is replayed", async () => {
    const tenant = await world.newTenant();
    const [carol, dan] = [await withTraveler(tenant, "Carol"), await withTraveler(tenant, "Dan")];
    tenant.supplier.offers.set("off_1", offer({ passengers: passengers(2) }));
    const answer = await book(tenant, { additionalCustomerUserIds: [carol, dan] });
    expect(tenant.supplier.requests[0]?.passengers).toMatchObject([
      { id: "pas_1", givenName: "Carol", customerUserId: carol },
      { id: "pas_2", givenName: "Dan", customerUserId: dan },
    ]);
    const { familyName } = amelia;
    expect(answer).toMatchObject({
      callerTravels: false,
      travelers: [
        { givenName: "Carol", familyName, userId: "Carol" },
        { givenName: "Dan", familyName, userId: "Dan" },
      ],
    });
    expect(await book(tenant, { additionalCustomerUserIds: [carol, dan] })).toEqual(answer);
  });

  test("are reported with every missing field at once", async () => {
    const tenant = await world.newTenant();
    const { givenName, familyName, email, phoneNumber, loyaltyProgrammeAccounts } = amelia;
    const bare = {
      givenName: "Dan",
      familyName,
      email: `dan-${tenant.tenant.id}@example.com`,
      phoneNumber,
      loyaltyProgrammeAccounts,
    };
    const dan = await withTraveler(tenant, "dan");
    await world.travelers.put(tenant.caller.tenantId, "dan", "sandbox", { ...bare, passports: [] }, "test");
    const expired = amelia.passports.map((passport) => ({ ...passport, expiresOn: "2027-01-19" }));
    await world.travelers.put(
      tenant.caller.tenantId,
      "amelia",
      "sandbox",
      { ...amelia, email, givenName, passports: expired },
      "test",
    );
    tenant.supplier.offers.set("off_1", offer({ passengers: passengers(2), identityDocumentsRequired: true }));
    await expect(book(tenant, { additionalCustomerUserIds: [dan] })).rejects.toMatchObject({
      code: "traveler_incomplete",
      extra: {
        travelers: [
          { userId: "amelia", fields: ["passports"] },
          { userId: "dan", customerUserId: dan, fields: ["bornOn", "title", "gender", "passports"] },
        ],
      },
    });
    expect(tenant.supplier.counts.order).toBe(0);
  });

  test("need no documents that a profile cannot hold: these are reported; a passport is enough among others", async () => {
    const tenant = await world.newTenant();
    const wanting = (...identityDocumentTypes: string[]) =>
      tenant.supplier.offers.set("off_1", offer({ identityDocumentsRequired: true, identityDocumentTypes }));
    wanting("tax_id", "known_traveler_number");
    await expect(book(tenant, {})).rejects.toMatchObject({
      code: "documents_not_supported",
      detail: expect.stringContaining("choose another offer"),
      extra: { documentTypes: ["tax_id", "known_traveler_number"] },
    });
    expect(tenant.supplier.counts.order).toBe(0);
    wanting("known_traveler_number", "passport");
    expect(await book(tenant, {})).toMatchObject({ orderId: expect.any(String) });
  });

  test("are incomplete if too few, and invalid if too many or repeated", async () => {
    const tenant = await world.newTenant();
    const carol = await withTraveler(tenant, "Carol");
    const [dan, erin] = [await withTraveler(tenant, "Dan"), await withTraveler(tenant, "Erin")];
    const amelia = parseCustomer(await ensure(tenant));
    tenant.supplier.offers.set("off_1", offer({ passengers: passengers(2) }));
    await expect(book(tenant)).rejects.toMatchObject({ code: "traveler_incomplete", extra: { missingTravelers: 1 } });
    expect(await settledCode(book(tenant, { additionalCustomerUserIds: [carol, dan, erin] }))).toBe("invalid_input");
    expect(await settledCode(book(tenant, { additionalCustomerUserIds: [amelia] }))).toBe("invalid_input");
    expect(await settledCode(book(tenant, { additionalCustomerUserIds: [carol, carol] }))).toBe("invalid_input");
  });

  test("do not include another tenant's customer", async () => {
    const [mine, theirs] = [await world.newTenant(), await world.newTenant()];
    const carol = await withTraveler(theirs, "Carol");
    mine.supplier.offers.set("off_1", offer({ passengers: passengers(2) }));
    expect(await settledCode(book(mine, { additionalCustomerUserIds: [carol] }))).toBe("customer_not_found");
  });
});

describe("book_flight", () => {
  test("marks an earlier call's answer", async () => {
    const tenant = await world.newTenant();
    const first = await book(tenant);
    const again = await toolRunner(tenant)(bookFlight, { offerId: "off_1" });
    expect(again).toBeInstanceOf(Replayed);
    expect(again).toMatchObject({ result: first });
  });

  test("books even if the caller has gone", async () => {
    const tenant = await world.newTenant();
    await toolRunner(tenant)(bookFlight, { offerId: "off_1" }, {}, AbortSignal.abort());
    expect(await tenant.audit()).toMatchObject({ states: ["booked"] });
  });

  test("refuses services, expired and unknown offers before anything happens", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.offers.set("off_old", offer({ id: "off_old", expiresAt: "2026-11-20T11:00:00Z" }));
    expect(await settledCode(book(tenant, { services: [{ id: "ase_1" }] }))).toBe("service_not_available");
    expect(await settledCode(book(tenant, { offerId: "off_old" }))).toBe("offer_expired");
    expect(await settledCode(book(tenant, { offerId: "off_unheard_of" }))).toBe("offer_not_found");
    expect(await tenant.audit()).toMatchObject({ states: [], spent: 0n });
    expect(await book(tenant, { services: [] })).toMatchObject({ pnr: "ZZ0001" });
  });
});

describe("an airline credit", () => {
  async function tenantWithCredit(amount: string, balance?: bigint) {
    const tenant = await world.newTenant(balance);
    const customerUserId = parseCustomer(await ensure(tenant));
    const credit = { id: "acd_1", airlineIataCode: "BA", amount, currency: "USD", customerUserId, usable: true };
    tenant.supplier.credits.set("acd_1", credit);
    return { tenant, credit };
  }
  async function requireCredit(tenant: Tenant) {
    const credit = await tenant.supplier.flights.getAirlineCredit("acd_1");
    if (credit === undefined) throw new Error("no credit");
    return credit;
  }
  const withCredit = (tenant: Tenant) => book(tenant, { airlineCreditId: "acd_1" });

  test("pays its part, and only the rest is held and charged", async () => {
    const { tenant } = await tenantWithCredit("400.00", 12_500_000n);
    expect(await withCredit(tenant)).toMatchObject({
      totalAmount: "412.50",
      chargedUsdc: "12.50",
      creditApplied: { airlineCreditId: "acd_1", amount: "400.00", currency: "USD" },
    });
    expect(await tenant.audit()).toMatchObject({ states: ["booked"], paid: 12_500_000n, spent: 12_500_000n, held: 0n });
  });

  test("that covered more than expected leaves the rest of the held money free", async () => {
    const { tenant } = await tenantWithCredit("400.00");
    const { flights } = tenant.supplier;
    const instantOrder = async (request: Parameters<typeof flights.instantOrder>[0]) => {
      tenant.supplier.credits.set("acd_1", { ...(await requireCredit(tenant)), amount: "410.00" });
      return flights.instantOrder(request);
    };
    await tenant.book({
      airlineCreditId: "acd_1",
      ports: { flights: { ...flights, instantOrder }, stores: world.stores },
    });
    expect(await tenant.audit()).toMatchObject({ paid: 2_500_000n, spent: 2_500_000n, held: 0n });
  });

  test("may pay for everything", async () => {
    const { tenant } = await tenantWithCredit("900.00", 0n);
    expect(await withCredit(tenant)).toMatchObject({ chargedUsdc: "0.00", creditApplied: { amount: "412.50" } });
    expect(await tenant.audit()).toMatchObject({ states: ["booked"], paid: 0n, spent: 0n });
  });

  test("whose booking has an unknown outcome is captured by the supplier's books", async () => {
    const { tenant } = await tenantWithCredit("400.00");
    tenant.supplier.faults.order.push("lost_after_effect");
    expect(await settledCode(withCredit(tenant))).toBe("outcome_unknown");
    expect(await tenant.audit()).toMatchObject({ held: 12_500_000n });
    await tenant.reconcile();
    expect(await tenant.audit()).toMatchObject({ states: ["booked"], spent: 12_500_000n, held: 0n });
    expect(await withCredit(tenant)).toMatchObject({ creditApplied: { amount: "400.00" } });
  });

  test("that is unknown, another tenant's, spent, or of another airline or currency pays nothing", async () => {
    const { tenant, credit } = await tenantWithCredit("400.00");
    const put = (change: Partial<typeof credit>) => tenant.supplier.credits.set("acd_1", { ...credit, ...change });
    expect(await settledCode(book(tenant, { airlineCreditId: "acd_unheard_of" }))).toBe("credit_not_found");
    put({ customerUserId: "icu_somebody_else" });
    expect(await settledCode(withCredit(tenant))).toBe("credit_not_found");
    for (const change of [{ usable: false }, { airlineIataCode: "AA" }, { currency: "EUR" }]) {
      put(change);
      expect(await settledCode(withCredit(tenant))).toBe("credit_not_applicable");
    }
    expect(await tenant.audit()).toMatchObject({ states: [], spent: 0n });
  });
});

describe("ensure_flight_customer", () => {
  test("makes one customer under concurrent calls, and finds it again", async () => {
    const tenant = await world.newTenant();
    const answers = await Promise.all(Array.from({ length: 12 }, () => ensure(tenant)));
    expect(new Set(answers.map(parseCustomer)).size).toBe(1);
    expect(answers.filter((answer) => z.object({ created: z.boolean() }).parse(answer).created)).toHaveLength(1);
    expect(tenant.supplier.counts.customer).toBe(1);
    expect(await ensure(tenant)).toMatchObject({ created: false, profileUpdated: false, userId: "amelia" });
  });

  test("takes over no customer that it did not make, whatever the e-mail address and name", async () => {
    const tenant = await world.newTenant();
    const email = "Orphan@example.com";
    const known = { givenName: "AMELIA", familyName: "Hart", phoneNumber: null };
    tenant.supplier.customers.push({ id: `icu_orphan_${tenant.tenant.id}`, email, ...known });
    await world.travelers.put(
      tenant.caller.tenantId,
      "amelia",
      "sandbox",
      { ...amelia, email: "orphan@example.com" },
      "test",
    );
    const made = await ensure(tenant);
    expect(made).toMatchObject({ created: true });
    expect(parseCustomer(made)).not.toBe(`icu_orphan_${tenant.tenant.id}`);
  });

  test("finds the customer that it made for the user if the link was lost", async () => {
    const tenant = await world.newTenant();
    const made = parseCustomer(await ensure(tenant));
    await world.pool.query("delete from traveler_customer where tenant_id = $1", [tenant.caller.tenantId]);
    expect(await ensure(tenant)).toMatchObject({ created: false, customerUserId: made });
  });

  test("does not take over a customer of another name", async () => {
    const tenant = await world.newTenant();
    const known = { givenName: "Mallory", familyName: "Hart", phoneNumber: null, email: "orphan2@example.com" };
    tenant.supplier.customers.push({ id: `icu_mallory_${tenant.tenant.id}`, ...known });
    await world.travelers.put(tenant.caller.tenantId, "amelia", "sandbox", { ...amelia, email: known.email }, "test");
    expect(await ensure(tenant)).toMatchObject({ created: true });
  });

  test("never gives one user's customer to another, not even for the same e-mail address", async () => {
    const mine = await world.newTenant();
    const theirs = await world.newTenant();
    const email = "shared@example.com";
    await world.travelers.put(mine.caller.tenantId, "amelia", "sandbox", { ...amelia, email }, "test");
    await world.travelers.put(mine.caller.tenantId, "twin", "sandbox", { ...amelia, email }, "test");
    await world.travelers.put(theirs.caller.tenantId, "amelia", "sandbox", { ...amelia, email }, "test");
    // One supplier for both tenants.
    const { findCustomersByEmail, createCustomer } = mine.supplier.flights;
    Object.assign(theirs.supplier.flights, { findCustomersByEmail, createCustomer });
    const answers = [await ensure(mine), await ensure(mine, { clerkUserId: "twin" }), await ensure(theirs)];
    expect(answers).toMatchObject([{ created: true }, { created: true }, { created: true }]);
    expect(new Set(answers.map(parseCustomer)).size).toBe(3);
  });

  test("reports if the supplier allows each address only once, and the flight is booked without a customer", async () => {
    const tenant = await world.newTenant();
    tenant.supplier.rules.emailsOnce = true;
    const known = { givenName: "Mallory", familyName: "Hart", phoneNumber: null, email: "once@example.com" };
    tenant.supplier.customers.push({ id: `icu_once_${tenant.tenant.id}`, ...known });
    await world.travelers.put(tenant.caller.tenantId, "amelia", "sandbox", { ...amelia, email: known.email }, "test");
    expect(await settledCode(ensure(tenant))).toBe("customer_email_taken");
    expect(await book(tenant)).toMatchObject({ travelers: [{ userId: "amelia" }] });
    expect(tenant.supplier.requests[0]?.passengers).toEqual([
      expect.not.objectContaining({ customerUserId: expect.anything() }),
    ]);
  });

  test("stores the given fields in the profile, and tells the supplier", async () => {
    const tenant = await world.newTenant();
    await ensure(tenant);
    const phoneNumber = "+442071838750";
    expect(await ensure(tenant, { phoneNumber, preferredLanguage: "en-GB" })).toMatchObject({
      created: false,
      profileUpdated: true,
    });
    expect(await world.travelers.get(tenant.caller.tenantId, "amelia", "sandbox")).toMatchObject({
      phoneNumber,
      preferredLanguage: "en-GB",
      bornOn: "1987-07-24",
    });
    expect(tenant.supplier.customers).toMatchObject([{ phoneNumber }]);
  });

  test("makes the caller's profile if there is none, and names its missing fields", async () => {
    const tenant = await world.newTenant();
    const as = { userId: "erin", travelerId: "erin" };
    await expect(ensure(tenant, { givenName: "Erin" }, as)).rejects.toMatchObject({
      code: "traveler_incomplete",
      extra: { travelers: [{ userId: "erin", fields: ["familyName", "email", "phoneNumber"] }] },
    });
    const rest = { familyName: "Ng", email: "erin@example.com", phoneNumber: "+6567450000" };
    expect(await ensure(tenant, { givenName: "Erin", ...rest }, as)).toMatchObject({ created: true, userId: "erin" });
    expect(await world.travelers.get(tenant.caller.tenantId, "erin", "sandbox")).toMatchObject({
      givenName: "Erin",
      ...rest,
    });
  });

  test("knows only the calling tenant and its users", async () => {
    const [mine, theirs] = [await world.newTenant(), await world.newTenant()];
    await world.travelers.put(theirs.caller.tenantId, "only_theirs", "sandbox", amelia, "test");
    expect(await settledCode(ensure(mine, { tenantId: theirs.caller.tenantId }))).toBe("invalid_input");
    expect(await settledCode(ensure(mine, { clerkUserId: "only_theirs" }))).toBe("customer_not_found");
    expect(await ensure(mine, { tenantId: mine.caller.tenantId })).toMatchObject({ userId: "amelia" });
  });

  test.each([
    ["email", "nobody"],
    ["email", `${"a".repeat(250)}@example.com`],
    ["phoneNumber", "020 8016 0508"],
    ["givenName", " "],
    ["familyName", "4242424242424242"],
    ["preferredLanguage", "not a tag"],
  ])("refuses %s %j", async (path, value) => {
    const tenant = await world.newTenant();
    await expect(ensure(tenant, { [path]: value })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path }],
    });
  });
});
