import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, day, type TestPerson } from "../../../test/support/approval-desk.ts";
import { type Escrow, openEscrow } from "../../../test/support/escrow.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, resultOf, stranger } from "../../../test/support/treasury.ts";

const USER = "user_vera_17";
const profile = {
  ...{ givenName: "Veronika", familyName: "Vanishova", bornOn: "1990-01-01", title: "ms", gender: "f" },
  ...{ email: "veronika.v@example.com", phoneNumber: "+14155550188" },
  loyaltyProgrammeAccounts: [{ airlineIataCode: "BA", accountNumber: "LOYAL8812345" }],
  passports: [{ nationality: "GBR", number: "PASS7731942", issuedOn: "2022-01-01", expiresOn: "2036-01-01" }],
};
/** What is looked for in every column. */
const TRACES = [USER, "Veronika", "Vanishova", "veronika.v@example.com", "4155550188", "LOYAL8812345", "PASS7731942"];

/** What may keep saying who it was, and why. */
const KEPT: Readonly<Record<string, string>> = {
  "booking_invoice.document": "an invoice is a record of accounting, and stays as it was issued",
  "booking_invoice.pdf": "the same invoice as a file",
  "shared_file.content": "a file made of an invoice",
};

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })).min(1) });
const Hotels = z.object({
  accommodations: z.array(z.object({ cheapestRate: z.object({ id: z.string() }) })).min(1),
});

let service: TestService;
let escrow: Escrow;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Approver", "approver");
  expect((await desk.ask(`/api/travelers/${USER}`, profile, service.apiKey, "PUT")).status).toBe(201);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const erase = (userId: string, query = "", key = service.apiKey) =>
  desk.ask(`/api/travelers/${userId}${query}`, undefined, key, "DELETE");
const CONFIRMED = "?confirmFutureBookings=true";

/** Of all tables of the product: the columns that hold a trace, as text, JSON or bytes. */
async function columnsWithTraces(): Promise<string[]> {
  const columns = await service.sql(`
    select class.relname as table, attribute.attname as column, type.typname as type
    from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum > 0
      join pg_type type on type.oid = attribute.atttypid
    where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
      and not attribute.attisdropped and type.typname in ('text', 'varchar', 'jsonb', '_text', 'bytea') order by 1, 2`);
  expect(columns.length).toBeGreaterThan(300);
  const found: string[] = [];
  for (const { table, column, type } of columns) {
    const text = type === "bytea" ? `encode("${String(column)}", 'escape')` : `"${String(column)}"::text`;
    const rows = await service.sql(`select 1 from "${String(table)}" where ${text} ~* $1 limit 1`, [
      TRACES.map((trace) => trace.replaceAll(".", "\\.")).join("|"),
    ]);
    if (rows.length > 0) found.push(`${String(table)}.${String(column)}`);
  }
  return found;
}

async function anOffer(days: number, passengers = 1, userId?: string): Promise<string> {
  const query = { origin: "LHR", destination: "JFK", departureDate: day(days), passengers };
  const answer = await service.call("search_flights", query, userId === undefined ? {} : { userId });
  return Offers.parse(resultOf(answer)).offers[0]?.id ?? "";
}

const as = { userId: USER };

/** Every kind of thing that leaves a trace of a person. Returns the orders that are ahead. */
async function doEverything(): Promise<string[]> {
  await service.call("save_traveler", { ...profile, userId: USER }, { headers: { "idempotency-key": "save" } });
  const keyed = { ...as, headers: { "idempotency-key": `book for ${USER}` } };
  const own = resultOf(await service.call("book_flight", { offerId: await anOffer(40, 1, USER) }, keyed));
  const customer = resultOf(await service.call("ensure_flight_customer", { clerkUserId: USER }, as));
  const { customerUserId } = customer;
  const together = { offerId: await anOffer(41, 2), additionalCustomerUserIds: [customerUserId] };
  const companion = resultOf(await service.call("book_flight", together, { headers: { "idempotency-key": "both" } }));

  const place = { location: "London", checkInDate: day(30), checkOutDate: day(32) };
  const hotels = Hotels.parse(resultOf(await service.call("search_hotels", place)));
  const rateId = hotels.accommodations[0]?.cheapestRate.id;
  const quoted = resultOf(await service.call("quote_stay", { rateId }));
  const { givenName, familyName, email, phoneNumber } = profile;
  const guests = [{ givenName, familyName }];
  const stay = { quoteId: quoted.id, email, phoneNumber, guests };
  const booked = resultOf(await service.call("book_stay", stay, { ...as, headers: { "idempotency-key": "stay" } }));

  const guest = { guestName: `${givenName} ${familyName}`, guestEmail: email, buyerName: `${givenName} ${familyName}` };
  const tripId = await escrow.prefund("300", { ...guest, tripSummary: `For ${guest.guestName}` });
  const input = { tripId, origin: "LHR", destination: "JFK", departureDate: day(50) };
  const body = { workflowId: "service.book_flight", input, userId: USER };
  const run = await desk.ask("/api/workflows/run", { ...body, tenantId: service.tenantId });
  expect(run.body, run.text).toMatchObject({ status: "paused" });
  expect((await erase(USER, CONFIRMED)).body).toMatchObject({ code: "conflict" });
  expect((await desk.ask(`/api/workflows/runs/${String(run.body.runId)}/cancel`, {})).status).toBe(200);

  await desk.enforce({ role: "approver" });
  const asked = await service.call("book_flight", { offerId: await anOffer(42) }, as);
  expect(asked.body.code, asked.text).toBe("approval_required");
  const decision = { decision: "approve", reason: `${guest.guestName} has to be there.` };
  expect((await desk.decide(asked.body.approvalId, decision, approver.key)).status).toBe(200);
  const sent = await service.call("send_tokens", { to: stranger(), amount: "3" }, as);
  expect(sent.body.code).toBe("approval_required");
  await desk.ask("/api/policy-enforcement", { policyId: null }, service.operatorKey, "PUT");
  const budget = { budgetId: "vera", amountUsdc: "1000", travelerIds: [USER] };
  expect((await desk.ask("/api/budgets", budget, service.operatorKey, "PUT")).status).toBe(200);
  resultOf(
    await service.call(
      "give_feedback",
      {
        subjectAgentId: "1",
        stars: 5,
        tag: "hotel",
        fromKind: "user",
        fromUserId: USER,
        fromTenantId: service.tenantId,
      },
      as,
    ),
  );
  return [own, companion, booked].map(({ orderId }) => String(orderId));
}

describe("a traveler who did everything", () => {
  it("is erased from every table once bookings that are ahead are confirmed, and everything else stays", async () => {
    const orders = await doEverything();
    const named = await columnsWithTraces();
    expect(named).toEqual(
      expect.arrayContaining([
        ...["app_user.id", "traveler_profile.profile", "booking.travelers", "booking.result", "idempotency.outcome"],
        ...[
          "approval.evidence",
          "approval.traveler_id",
          "approval.reason",
          "audit_log.details",
          "audit_log.subject_id",
        ],
        ...["budget.traveler_ids", "trip.details", "workflow_run.user_id", "feedback.scope", "usage_record.subject"],
      ]),
    );
    const refused = await erase(USER);
    expect([refused.status, refused.body.code, refused.body.orders]).toEqual([409, "conflict", orders]);
    expect(await columnsWithTraces()).toEqual(named);

    const money =
      "select count(*)::int as records, sum(price_micro)::text as paid from usage_record where tenant_id = $1";
    const before = await service.sql(money, [service.tenantId]);
    const answers = await Promise.all([erase(USER, CONFIRMED), erase(USER, CONFIRMED)]);
    expect(answers.map(({ status }) => status).toSorted(), answers[0]?.text).toEqual([200, 404]);
    const left = await columnsWithTraces();
    expect(left.filter((column) => !Object.hasOwn(KEPT, column))).toEqual([]);
    expect(await service.sql(money, [service.tenantId])).toEqual(before);

    for (const orderId of orders) {
      const read = await service.call("read_order", { orderId });
      expect(read.status, read.text).toBe(200);
      for (const trace of TRACES) expect(read.text).not.toContain(trace);
    }
    // The companion is still told.
    expect((await service.call("read_order", { orderId: orders[1] })).text).toContain("Tess");
    const again = await service.call("book_flight", { offerId: "off_none" }, as);
    expect([again.status, again.body.code]).toEqual([400, "invalid_input"]);
  });
});

describe("erasing", () => {
  const put = async (userId: string, more: object = {}) => {
    const names = { ...profile, email: `${userId}@example.com`, loyaltyProgrammeAccounts: [], passports: [], ...more };
    expect((await desk.ask(`/api/travelers/${userId}`, names, service.apiKey, "PUT")).status).toBe(201);
  };
  const book = async (userId: string, days: number) =>
    await service.call("book_flight", { offerId: await anOffer(days) }, { userId });

  it("leaves a namesake as they are", async () => {
    const names = { givenName: "Nam", familyName: "Esakova" };
    for (const userId of ["user_twin_one", "user_twin_two"]) await put(userId, names);
    const one = await book("user_twin_one", 43);
    const offerId = await anOffer(44);
    const bookTwo = () =>
      service.call("book_flight", { offerId }, { userId: "user_twin_two", headers: { "idempotency-key": "two" } });
    const two = await bookTwo();
    expect((await erase("user_twin_one", CONFIRMED)).status).toBe(200);
    const shown = async (answer: typeof one) =>
      resultOf(await service.call("read_order", { orderId: resultOf(answer).orderId }));
    expect((await shown(one)).travelers).toMatchObject([{ givenName: "(erased)", familyName: "(erased)" }]);
    expect(await shown(one)).toMatchObject({ flight: { passengers: [{ familyName: "(erased)" }] } });
    expect(await shown(two)).toMatchObject({ travelers: [names], flight: { passengers: [names] } });
    expect(resultOf(await bookTwo())).toMatchObject({ travelers: [names], passengers: [names] });
  });

  it("is not asked for a confirmation where nothing is ahead, and another tenant's key finds nobody", async () => {
    await put("user_past_only");
    const booked = resultOf(await book("user_past_only", 45));
    const other = await newFundedTenant(service, "Erases");
    expect((await erase("user_past_only", CONFIRMED, other.apiKey)).status).toBe(404);
    expect((await erase("user_past_only")).body).toMatchObject({ code: "conflict", orders: [booked.orderId] });
    const departed = `jsonb_set(result, '{slices,0,segments,0,departingAt}', '"2020-01-01T10:00:00"')`;
    const flown = `jsonb_set(${departed}, '{slices,0,departingAt}', '"2020-01-01T10:00:00"')`;
    await service.sql(`update booking set order_slices = null, result = ${flown} where order_id = $1`, [
      booked.orderId,
    ]);
    expect((await erase("user_past_only")).status).toBe(200);
    expect((await erase("user_past_only")).status).toBe(404);
  });

  it("and booking the same person at once: the booking that comes second finds nobody, and takes nothing", async () => {
    await put("user_in_a_race");
    resultOf(await service.call("ensure_flight_customer", { clerkUserId: "user_in_a_race" }));
    const offerId = await anOffer(46);
    const client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    try {
      await client.query("begin");
      const row = "tenant_id = $1 and id = 'user_in_a_race'";
      await client.query(`select 1 from app_user where ${row} for update`, [service.tenantId]);
      const booking = service.call("book_flight", { offerId }, { userId: "user_in_a_race" });
      const waiting =
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%app_user%key share%'";
      await expect.poll(() => service.sql(waiting), { timeout: 30_000 }).toHaveLength(1);
      for (const table of ["traveler_profile", "traveler_customer"]) {
        await client.query(`delete from ${table} where tenant_id = $1 and user_id = 'user_in_a_race'`, [
          service.tenantId,
        ]);
      }
      await client.query(`delete from app_user where ${row}`, [service.tenantId]);
      await client.query("commit");
      const answer = await booking;
      expect(answer.body).toMatchObject({ code: "traveler_incomplete", travelers: [{ userId: "user_in_a_race" }] });
    } finally {
      await client.end();
    }
    const stored = "select state from booking where tenant_id = $1 and offer_id = $2";
    expect(await service.sql(stored, [service.tenantId, offerId])).toEqual([]);
  });
});
