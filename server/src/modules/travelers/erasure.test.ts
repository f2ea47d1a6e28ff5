import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, day, type TestPerson } from "../../../test/support/approval-desk.ts";
import { type Escrow, freshHash, openEscrow } from "../../../test/support/escrow.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../test/support/treasury.ts";

const USER = "user_vera_17";
const profile = {
  givenName: "Veronika",
  familyName: "Vanishova",
  bornOn: "1990-01-01",
  title: "ms",
  gender: "f",
  email: "veronika.v@example.com",
  phoneNumber: "+14155550188",
  loyaltyProgrammeAccounts: [{ airlineIataCode: "BA", accountNumber: "LOYAL8812345" }],
  passports: [{ nationality: "GBR", number: "PASS7731942", issuedOn: "2022-01-01", expiresOn: "2036-01-01" }],
};
/** The traces of the person that are searched for in every column. */
const TRACES = [USER, "Veronika", "Vanishova", "veronika.v@example.com", "4155550188", "LOYAL8812345", "PASS7731942"];

/** Columns that may keep naming the person, and why. */
const KEPT: Readonly<Record<string, string>> = {
  "booking_invoice.document": "an invoice is a record of accounting, and stays as it was issued",
  "booking_invoice.pdf": "the same invoice as a file",
  "shared_file.content": "a file made of an invoice",
};

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })).min(1) });
const Holdable = z.object({
  offers: z.array(z.object({ id: z.string(), paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }) })),
});
const Hotels = z.object({
  accommodations: z.array(z.object({ cheapestRate: z.object({ id: z.string() }) })).min(1),
});

let mails: MailServer;
let service: TestService;
let escrow: Escrow;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  mails = await startMailServer();
  service = await startTestService({ SMTP_URL: `${mails.url}?tls=optional`, MAIL_FROM: "trips@wayfare.example" });
  await service.isFunded(service.tenantId);
  escrow = openEscrow(service);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Approver", "approver");
  expect((await desk.ask(`/api/travelers/${USER}`, profile, service.apiKey, "PUT")).status).toBe(201);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
  await mails?.[Symbol.asyncDispose]();
});

const erase = (userId: string, query = "", key = service.apiKey) =>
  desk.ask(`/api/travelers/${userId}${query}`, undefined, key, "DELETE");
const CONFIRMED = "?confirmFutureBookings=true";

/** Searches all tables for columns that hold a trace, as text, JSON or bytes. */
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
  return Offers.parse(requireResult(answer)).offers[0]?.id ?? "";
}

const as = { userId: USER };

/** Issues the invoice for an order of the person that a trip paid for. */
async function issueInvoice(order: Record<string, unknown>): Promise<string> {
  const bookingId = await escrow.reserve(await escrow.prefund("9000"), "8500");
  const amounts = { vendorAmountUsdc: order.totalAmount, feeAmountUsdc: "7.5", vendorAddress: order.vendorAddress };
  requireResult(await service.call("commit_booking", { bookingId, itineraryHash: order.itineraryHash, ...amounts }));
  requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: freshHash() }));
  requireResult(await service.call("settle_booking", { bookingId }));
  return String(requireResult(await service.call("generate_booking_invoice", { bookingId }, as)).jsonUrl);
}

/** Leaves every kind of trace of a person. Returns the upcoming orders and the stay's booking data. */
async function doEverything(): Promise<{ orders: string[]; stay: object; invoiceUrl: string }> {
  await service.call("save_traveler", { ...profile, userId: USER }, { headers: { "idempotency-key": "save" } });
  const keyed = { ...as, headers: { "idempotency-key": `book for ${USER}` } };
  const own = requireResult(await service.call("book_flight", { offerId: await anOffer(40, 1, USER) }, keyed));
  const customer = requireResult(await service.call("ensure_flight_customer", { clerkUserId: USER }, as));
  const { customerUserId } = customer;
  const together = { offerId: await anOffer(41, 2), additionalCustomerUserIds: [customerUserId] };
  const companion = requireResult(
    await service.call("book_flight", together, { headers: { "idempotency-key": "both" } }),
  );

  const place = { location: "London", checkInDate: day(30), checkOutDate: day(32) };
  const hotels = Hotels.parse(requireResult(await service.call("search_hotels", place)));
  const rateId = hotels.accommodations[0]?.cheapestRate.id;
  const quoted = requireResult(await service.call("quote_stay", { rateId }));
  const { givenName, familyName, email, phoneNumber } = profile;
  const guests = [{ givenName, familyName, bornOn: profile.bornOn }];
  const stay = { quoteId: quoted.id, email, phoneNumber, guests };
  const booked = requireResult(
    await service.call("book_stay", stay, { ...as, headers: { "idempotency-key": "stay" } }),
  );

  const guest = { guestName: `${givenName} ${familyName}`, guestEmail: email, buyerName: `${givenName} ${familyName}` };
  const tripId = await escrow.prefund("300", { ...guest, tripSummary: `For ${guest.guestName}` });
  await expect.poll(() => mails.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
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
  await expect.poll(() => mails.received.filter(({ to }) => to.includes("approver@example.com"))).toHaveLength(2);
  await desk.ask("/api/policy-enforcement", { policyId: null }, service.operatorKey, "PUT");
  const invoiceUrl = await issueInvoice(own);
  const reminder = { origin: "LHR", departureDateTimeIso: `${day(40)}T09:30:00Z`, travelerName: guest.guestName };
  requireResult(await service.call("trip_checkin_reminder", reminder, as));
  // Expired: an active budget that binds the person would prevent the erasure.
  const budget = { budgetId: "vera", amountUsdc: "1000", travelerIds: [USER], startsOn: day(-9), endsOn: day(-2) };
  expect((await desk.ask("/api/budgets", budget, service.operatorKey, "PUT")).status).toBe(200);
  requireResult(
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
  return { orders: [own, companion, booked].map(({ orderId }) => String(orderId)), stay, invoiceUrl };
}

describe("a traveler who did everything", () => {
  it("is erased from every table once upcoming bookings are confirmed, and everything else stays", async () => {
    const { orders, stay, invoiceUrl } = await doEverything();
    expect((await fetch(invoiceUrl)).status).toBe(200);
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
        ...["booking_invoice.document", "shared_file.content"],
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
    expect(left).toContain("booking_invoice.document");
    expect((await fetch(invoiceUrl)).status).toBe(404);
    expect(await service.sql(money, [service.tenantId])).toEqual(before);

    for (const orderId of orders) {
      const read = await service.call("read_order", { orderId });
      expect(read.status, read.text).toBe(200);
      for (const trace of TRACES) expect(read.text).not.toContain(trace);
    }
    // A date of birth or an address could be guessed from these.
    const hashes = await service.sql(
      `
      select particulars_hash as hash from booking where order_id = any ($1)
      union select 'contact' from booking where order_id = any ($1) and contact_hashes is not null
      union select split_part(call_hash, ':', 1) from approval where requested_by like 'erased\\_%'
      union select request_hash from workflow_run where user_id like 'erased\\_%'`,
      [orders],
    );
    expect(hashes).toEqual([{ hash: "erased" }]);
    // A repeated booking can no longer be recognised.
    const repeated = await service.call("book_stay", stay);
    expect(repeated.body, repeated.text).toMatchObject({
      code: "already_booked",
      differsIn: "erased",
      orderId: orders[2],
      detail: expect.stringMatching(/personal data has since been erased(?!.*exactly as before)/),
    });
    // The companion is still named.
    expect((await service.call("read_order", { orderId: orders[1] })).text).toContain("Demo");
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

  it("leaves a namesake unchanged", async () => {
    const names = { givenName: "Nam", familyName: "Esakova" };
    for (const userId of ["user_twin_one", "user_twin_two"]) await put(userId, names);
    const one = await book("user_twin_one", 43);
    const offerId = await anOffer(44);
    const bookTwo = () =>
      service.call("book_flight", { offerId }, { userId: "user_twin_two", headers: { "idempotency-key": "two" } });
    const two = await bookTwo();
    expect((await erase("user_twin_one", CONFIRMED)).status).toBe(200);
    const shown = async (answer: typeof one) =>
      requireResult(await service.call("read_order", { orderId: requireResult(answer).orderId }));
    expect((await shown(one)).travelers).toMatchObject([{ givenName: "(erased)", familyName: "(erased)" }]);
    expect(await shown(one)).toMatchObject({ flight: { passengers: [{ familyName: "(erased)" }] } });
    expect(await shown(two)).toMatchObject({ travelers: [names], flight: { passengers: [names] } });
    expect(requireResult(await bookTwo())).toMatchObject({ travelers: [names], passengers: [names] });
  });

  it("ends although a policy is called like the person, of which the audit log tells", async () => {
    const id = "called_alike_1";
    const document = { rules: [] };
    expect((await desk.ask(`/api/policies/${id}`, { document }, service.operatorKey, "PUT")).status).toBeLessThan(300);
    expect((await desk.ask(`/api/travelers/${id}`, {}, service.apiKey, "PUT")).status).toBe(201);
    expect((await erase(id)).status).toBe(200);
    expect(await service.sql("select 1 from audit_log where subject_id like $1", [`%${id}%`])).toEqual([]);
  });

  it("needs no confirmation without upcoming bookings, and another tenant's key finds nobody", async () => {
    await put("user_past_only");
    const booked = requireResult(await book("user_past_only", 45));
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

  it.each(["book_flight", "hold_flight", "service.book_flight"])(
    "and %s for the same person at once: what comes second finds nobody, and stores nothing",
    async (what) => {
      const userId = `user_in_a_race_${what.length}`;
      await put(userId);
      requireResult(await service.call("ensure_flight_customer", { clerkUserId: userId }));
      const offerId = what === "hold_flight" ? await aHoldableOffer() : await anOffer(46);
      const tripId = await escrow.prefund("3");
      const input = { tripId, origin: "LHR", destination: "JFK", departureDate: day(50) };
      const begin = () =>
        what.startsWith("service.")
          ? desk.ask("/api/workflows/run", { workflowId: what, input, userId, tenantId: service.tenantId })
          : service.call(what, { offerId }, { userId });
      const answer = await whileErasing(userId, begin);
      expect(answer.body, answer.text).toMatchObject(
        what.startsWith("service.")
          ? { code: "invalid_input", issues: [{ path: "userId" }] }
          : { code: "traveler_incomplete", travelers: [{ userId }] },
      );
      expect(await service.sql("select state from booking where offer_id = $1", [offerId])).toEqual([]);
      expect(await service.sql("select state from workflow_run where user_id = $1", [userId])).toEqual([]);
    },
  );

  it("and paying for a held order at once: the payment finds nobody, and the order stays held", async () => {
    const userId = "user_who_pays_in_a_race";
    await put(userId);
    requireResult(await service.call("ensure_flight_customer", { clerkUserId: userId }));
    const offerId = await aHoldableOffer();
    requireResult(await service.call("hold_flight", { offerId }, { userId }));
    const answer = await whileErasing(userId, () => service.call("book_flight", { offerId }, { userId }));
    expect(answer.body, answer.text).toMatchObject({ code: "traveler_incomplete", travelers: [{ userId }] });
    const stored = await service.sql("select kind, state from booking where offer_id = $1", [offerId]);
    expect(stored).toEqual([{ kind: "flight_hold", state: "on_hold" }]);
  });

  it("waits for a call by or for the person that has not stored its answer yet", async () => {
    await put("user_answered");
    const { customerUserId } = requireResult(
      await service.call("ensure_flight_customer", { clerkUserId: "user_answered" }),
    );
    const own = requireResult(await book("user_answered", 47));
    const offerId = await anOffer(48, 2);
    const both = requireResult(
      await service.call("book_flight", { offerId, additionalCustomerUserIds: [customerUserId] }),
    );
    // The state between the end of the booking and the answer.
    const call =
      "update call set state = $2, settled_at = $3 where id = (select call_id from booking where order_id = $1)";
    for (const { orderId } of [own, both]) {
      await service.sql(call, [orderId, "reserved", null]);
      const refused = await erase("user_answered", CONFIRMED);
      expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("is pending")]);
      await service.sql(call, [orderId, "captured", new Date()]);
    }
    expect((await erase("user_answered", CONFIRMED)).status).toBe(200);
  });

  async function aHoldableOffer(): Promise<string> {
    const query = { origin: "LHR", destination: "JFK", departureDate: day(49) };
    const { offers } = Holdable.parse(requireResult(await service.call("search_flights", query)));
    const found = offers.find(({ paymentRequirements }) => !paymentRequirements.requiresInstantPayment);
    if (found === undefined) throw new Error("no offer can be held");
    return found.id;
  }

  /** The answer of a request that waits for an erasure with a lock on the person. */
  async function whileErasing<Answered>(userId: string, request: () => Promise<Answered>): Promise<Answered> {
    const client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    try {
      await client.query("begin");
      await client.query("select 1 from app_user where tenant_id = $1 and id = $2 for update", [
        service.tenantId,
        userId,
      ]);
      const answer = request();
      const waiting =
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%app_user%order by id for %key %'";
      await expect.poll(() => service.sql(waiting), { timeout: 30_000 }).toHaveLength(1);
      for (const table of ["traveler_profile", "traveler_customer"]) {
        await client.query(`delete from ${table} where tenant_id = $1 and user_id = $2`, [service.tenantId, userId]);
      }
      await client.query("delete from app_user where tenant_id = $1 and id = $2", [service.tenantId, userId]);
      await client.query("commit");
      return await answer;
    } finally {
      await client.end();
    }
  }
});
