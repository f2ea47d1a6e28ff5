import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestIdentities, silentLog } from "../../../test/support/identity.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { createStores } from "../../contributions.ts";
import { systemRandom } from "../../domain/ids.ts";
import { createTravelers } from "./store.ts";
import { createPersonalData } from "./store-personal-data.ts";

const USER = "user_gone_soon";
const FAMILY_NAME = "Vanishova";
const profile = {
  givenName: "Vera",
  familyName: FAMILY_NAME,
  bornOn: "1990-01-01",
  title: "ms",
  gender: "f",
  email: "vera.vanishova@example.com",
  phoneNumber: "+14155550123",
};

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: unknown) =>
  service.send(path, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Tables with data about the person, among all with rows of the tenant. The audit log keeps the id on purpose. */
async function tablesThatName(): Promise<string[]> {
  const tables = await service.sql(`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' and table_name <> 'audit_log' order by 1`);
  const named: string[] = [];
  for (const { name } of tables) {
    const text = `select 1 from "${name}" one where tenant_id = $1 and (one::text like $2 or one::text like $3) limit 1`;
    const rows = await service.sql(text, [service.tenantId, `%${USER}%`, `%${FAMILY_NAME}%`]);
    if (rows.length > 0) named.push(String(name));
  }
  return named;
}

describe("a traveler who is erased", () => {
  it("was exported before, is named by no record afterwards, and purchases stay", async () => {
    expect((await send("PUT", `/api/travelers/${USER}`, profile)).status).toBe(201);
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const search = { origin: "LHR", destination: "JFK", departureDate };
    const found = requireResult(await service.call("search_flights", search, { userId: USER }));
    const [offer] = Array.isArray(found.offers) ? found.offers : [];
    const keyed = { userId: USER, headers: { "idempotency-key": "book for vera" } };
    const { orderId } = requireResult(await service.call("book_flight", { offerId: offer.id }, keyed));

    const held = await send("GET", `/api/travelers/${USER}/export`);
    expect(held.status, held.text).toBe(200);
    expect(held.body).toMatchObject({
      userId: USER,
      profile,
      usageRecords: 2,
      ratings: 0,
      tripIds: [],
      bookings: [{ kind: "flight", orderId, givenName: "Vera", familyName: FAMILY_NAME }],
    });
    expect(await tablesThatName()).toEqual(
      expect.arrayContaining(["app_user", "booking", "idempotency", "usage_record"]),
    );

    const sum =
      "select count(*)::int as records, sum(price_micro)::text as paid from usage_record where tenant_id = $1";
    const before = await service.sql(sum, [service.tenantId]);
    const erased = await send("DELETE", `/api/travelers/${USER}?confirmFutureBookings=true`);
    expect([erased.status, erased.body.erased], erased.text).toEqual([200, true]);
    expect(await tablesThatName()).toEqual([]);
    expect(await service.sql(sum, [service.tenantId])).toEqual(before);
    const order = await send("GET", `/api/orders/${orderId}`);
    expect(order.status, order.text).toBe(200);
    expect(order.text).not.toContain(FAMILY_NAME);
    for (const [method, path] of [
      ["GET", `/api/travelers/${USER}`],
      ["GET", `/api/travelers/${USER}/export`],
      ["DELETE", `/api/travelers/${USER}`],
    ] as const) {
      expect((await send(method, path)).status, `${method} ${path}`).toBe(404);
    }
  });
});

it("mails to a person, and kept mails that name the person, are removed although they are encrypted", async () => {
  const setup = await openTestIdentities();
  try {
    const { db, clock, vault } = setup;
    const stores = createStores(db, clock, vault);
    const { tenant } = await setup.open().createTenant({ name: "Mails", actor: "test" });
    const person = { tenantId: tenant.id, userId: USER, environment: "sandbox" } as const;
    const named = { givenName: "Vera", familyName: FAMILY_NAME, loyaltyProgrammeAccounts: [], passports: [] };
    await createTravelers(setup).put(person.tenantId, person.userId, person.environment, named, "test");
    const write = async (about: string, userId: string, text: string): Promise<string> => {
      const letter = { to: { address: "somebody@example.com" }, subject: "Trip", text, html: "" };
      const reason = { ...person, userId, kind: "disruption", about: [about] };
      const expiresAt = clock.now().add({ hours: 24 });
      const { id = "" } = (await stores.messages.insert({ ...reason, carrier: "mail", letter, expiresAt })) ?? {};
      await stores.messages.claim(id, "test", 15);
      await stores.messages.advance(id, { from: "intended", workerId: "test" }, "kept");
      return id;
    };
    const ids = [
      await write("to", USER, "Hello"),
      await write("about", "user_boss", `Vera ${FAMILY_NAME} asks for it.`),
      await write("other", "user_boss", "Somebody else asks for it."),
    ];
    const personalData = createPersonalData({ stores, random: systemRandom, log: silentLog });
    const erased = await personalData.erase(person, { actor: "test", confirmFutureBookings: false });
    expect(erased).toEqual({ outcome: "erased" });
    const kept = await Promise.all(ids.map((id) => stores.messages.readLetter(id)));
    expect(kept.map((letter) => letter?.text)).toEqual([undefined, undefined, "Somebody else asks for it."]);
  } finally {
    await setup.close();
  }
});

it("after the configured times, unused guests and travelers are removed, others stay", async () => {
  const setup = await openTestIdentities();
  try {
    const { db, clock, vault } = setup;
    const stores = createStores(db, clock, vault);
    const { trips } = stores;
    const travelers = createTravelers(setup);
    const { tenant } = await setup.open().createTenant({ name: "Old", actor: "test" });
    const personalData = createPersonalData({ stores, random: systemRandom, log: silentLog });
    const newTrip = async (digit: string) =>
      await trips.insert({
        tripId: `0x${digit.repeat(64)}`,
        codeNonce: `0x${digit.repeat(64)}`,
        environment: "production",
        chain: "eip155:1",
        tenantId: tenant.id,
        userId: "svc:key",
        escrow: "0x1",
        funder: "0x2",
        budget: 1n,
        requiresCode: true,
        expiresAt: clock.now().add({ hours: 24 }),
        details: { guestName: "Ada", linkOrigin: "https://app.example" },
        guestEmail: "ada@example.com",
        mail: "none",
      });
    const bare = { loyaltyProgrammeAccounts: [], passports: [] };
    const old = await newTrip("1");
    await trips.change("production", old.tripId, { state: "failed" });
    await travelers.put(tenant.id, "old", "sandbox", bare, "test");
    clock.advance({ hours: 24 * 30 });
    const fresh = await newTrip("2");
    await travelers.put(tenant.id, "fresh", "sandbox", bare, "test");
    const before = clock.now().subtract({ hours: 24 * 10 });

    await personalData.eraseOld({ guests: before, travelers: undefined });
    expect(await travelers.get(tenant.id, "old", "sandbox")).toBeDefined();
    expect(await trips.get("production", old.tripId)).toMatchObject({ guestEmail: undefined, details: {} });
    expect((await trips.get("production", old.tripId))?.details.guestName).toBeUndefined();
    expect((await trips.get("production", fresh.tripId))?.guestEmail).toBe("ada@example.com");
    await personalData.eraseOld({ guests: before, travelers: before });
    expect(await travelers.get(tenant.id, "old", "sandbox")).toBeUndefined();
    expect(await travelers.get(tenant.id, "fresh", "sandbox")).toBeDefined();
  } finally {
    await setup.close();
  }
});

it("old travelers named by a budget stay, the operator is told once, and others behind them are removed", async () => {
  const setup = await openTestIdentities();
  try {
    const { db, clock, vault } = setup;
    const stores = createStores(db, clock, vault);
    const travelers = createTravelers(setup);
    const { tenant } = await setup.open().createTenant({ name: "Ruled", actor: "test" });
    const told: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object, message: string) => void told.push({ ...fields, message }) };
    const personalData = createPersonalData({ stores, random: systemRandom, log });
    const bare = { loyaltyProgrammeAccounts: [], passports: [] };
    // More than one batch, all older than the last one.
    const named = Array.from({ length: 101 }, (_, index) => `named_${index}`);
    for (const userId of named) await travelers.put(tenant.id, userId, "sandbox", bare, "test");
    clock.advance({ hours: 1 });
    await travelers.put(tenant.id, "behind", "sandbox", bare, "test");
    const owner = { tenantId: tenant.id, environment: "sandbox" } as const;
    const budget = { ...owner, budgetId: "small", amountMicro: 1n, travelerIds: named };
    await db
      .insertInto("budget")
      .values({ ...budget, updatedBy: "test", updatedAt: clock.now().toString() })
      .execute();
    clock.advance({ hours: 24 * 30 });
    const eraseOld = () => personalData.eraseOld({ guests: clock.now(), travelers: clock.now() });

    for (let time = 0; time < 2; time += 1) await eraseOld();
    expect(await travelers.get(tenant.id, "behind", "sandbox")).toBeUndefined();
    expect(await travelers.get(tenant.id, "named_100", "sandbox")).toBeDefined();
    expect(told).toEqual([
      {
        kept: [{ ...owner, travelers: 101, rules: ["budget small"] }],
        message: expect.stringContaining("not erased, as budgets or policies name them"),
      },
    ]);
    // A log outlives an erasure.
    expect(JSON.stringify(told)).not.toContain("named_");

    await db
      .updateTable("budget")
      .set({ travelerIds: named.slice(1) })
      .execute();
    await eraseOld();
    expect(await travelers.get(tenant.id, "named_0", "sandbox")).toBeUndefined();
    expect(told.slice(1)).toMatchObject([{ kept: [{ travelers: 100 }] }]);
  } finally {
    await setup.close();
  }
});
