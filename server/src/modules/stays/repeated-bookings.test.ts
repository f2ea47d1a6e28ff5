import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../../test/support/service.ts";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";

/** When a call repeats an earlier booking of a flight or a stay, and its answer then. */
let world: StaysWorld;
let companion: string;
beforeAll(async () => {
  world = await openStays("own");
  await world.result("save_traveler", { userId: "carol", ...carol });
  ({ customerUserId: companion } = Object(await world.result("ensure_flight_customer", { clerkUserId: "carol" })));
});
afterAll(() => world.close());

const carol = {
  givenName: "Carol",
  familyName: "Hart",
  bornOn: "1988-02-03",
  title: "ms",
  gender: "f",
  email: "carol.hart@example.com",
  phoneNumber: "+442080160509",
};
const guests = (givenName: string) => [{ givenName, familyName: "Hart" }];

const keyed = (key: string) => ({ headers: { "idempotency-key": key } });
const book = (args: object, key?: string) =>
  world.service.call("book_flight", args, key === undefined ? {} : keyed(key));
const describeAnswer = ({ status, body, headers }: Answer) => ({
  status,
  code: body.code ?? null,
  replayed: headers.get("idempotent-replayed"),
});
const REPEATED = { status: 200, code: null, replayed: "true" };
const REFUSED = { status: 500, code: "already_booked", replayed: null };
const readResult = ({ body }: Answer): Record<string, unknown> => Object(body.result);
const previewCall = async (tool: string, args: object) => {
  const { accepted, problem } = Object(await world.result("preview_call", { tool, args }));
  return { accepted, code: problem?.code ?? null, orderId: problem?.orderId ?? null };
};
const listOrders = async (offerId: string) =>
  (await world.ledger()).orders.filter(({ offer_id }) => offer_id === offerId);

async function cancel(orderId: unknown) {
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  return await world.result("confirm_cancel_order", { cancellationId });
}

describe("a booking of the same flight", () => {
  it("is a repetition for the same travelers only: others are refused, with the order's id", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const first = await book({ offerId }, `first-${offerId}`);
    const { orderId, pnr } = readResult(first);
    expect(describeAnswer(await book({ offerId }))).toEqual(REPEATED);
    const forCarol = { offerId, additionalCustomerUserIds: [companion] };
    const refused = await book(forCarol, `second-${offerId}`);
    expect(describeAnswer(refused)).toEqual(REFUSED);
    expect(refused.body).toMatchObject({ orderId, differsIn: "travelers", retryable: false });
    expect(refused.body.detail).toContain(String(orderId));
    expect(refused.text).not.toContain(String(pnr));
    expect(await previewCall("book_flight", forCarol)).toEqual({ accepted: false, code: "already_booked", orderId });
    expect(await previewCall("book_flight", { offerId })).toMatchObject({ accepted: true });
    expect(await listOrders(offerId)).toHaveLength(1);
    await world.expectSameBooks();
  });

  it("is a repetition with the same services and credit only", async () => {
    const { id: offerId, owner } = await world.flexibleOffer();
    const { bags } = Object(await world.result("list_flight_ancillaries", { offerId }));
    const services = [{ id: bags[0].id, quantity: 1 }];
    const { orderId } = readResult(await book({ offerId, services }));
    const airlineCreditId = await world.giveCredit(owner.iataCode, "1.00");
    expect(describeAnswer(await book({ offerId, services }))).toEqual(REPEATED);
    for (const other of [{}, { services: [{ id: bags[0].id, quantity: 2 }] }, { services, airlineCreditId }]) {
      const args = { offerId, ...other };
      const refused = await book(args);
      expect(describeAnswer(refused)).toEqual(REFUSED);
      expect(refused.body).toMatchObject({ orderId, differsIn: "particulars" });
      expect(await previewCall("book_flight", args)).toEqual({ accepted: false, code: "already_booked", orderId });
    }
  });

  it("is made for one of two concurrent sets of travelers, and the other is refused", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const sets = [{ offerId }, { offerId, additionalCustomerUserIds: [companion] }];
    const calls = [...sets, ...sets].map((args) => world.untilEnded(() => book(args)));
    const answers = await Promise.all(calls);
    const [own, carols] = [0, 1].map((index) => [answers[index], answers[index + 2]].map((one) => one?.body.code));
    expect([own, carols].toSorted((one) => (one?.[0] === undefined ? -1 : 1))).toEqual([
      [undefined, undefined],
      ["already_booked", "already_booked"],
    ]);
    expect(await listOrders(offerId)).toHaveLength(1);
    await world.expectSameBooks();
  });

  it("of a customer that the caller does not have is not found, as before the booking", async () => {
    const { id: offerId } = await world.flexibleOffer();
    await book({ offerId });
    const { as } = await newFundedTenant(world.service, "Other");
    const theirs = { offerId, additionalCustomerUserIds: [companion] };
    expect((await world.service.call("book_flight", theirs, as)).body.code).toBe("customer_not_found");
    const unknown = await book({ offerId, additionalCustomerUserIds: ["icu_0000unknown"] });
    expect(describeAnswer(unknown)).toMatchObject({ status: 500, code: "customer_not_found" });
  });

  it("made by an earlier release is compared by what that release stored", async () => {
    const [plain, bagged] = [await world.flexibleOffer(), await world.flexibleOffer()];
    const { bags } = Object(await world.result("list_flight_ancillaries", { offerId: bagged.id }));
    const services = [{ id: bags[0].id, quantity: 1 }];
    await book({ offerId: plain.id });
    await book({ offerId: bagged.id, services });
    const offers = [plain.id, bagged.id];
    await world.service.sql("update booking set particulars_hash = null where offer_id = any ($1)", [offers]);
    expect(describeAnswer(await book({ offerId: plain.id }))).toEqual(REPEATED);
    expect(describeAnswer(await book({ offerId: bagged.id, services }))).toEqual(REPEATED);
    expect(describeAnswer(await book({ offerId: bagged.id }))).toEqual(REFUSED);
    expect(describeAnswer(await book({ offerId: plain.id, services: [{ id: "ase_0000other" }] }))).toEqual(REFUSED);
    expect(describeAnswer(await book({ offerId: plain.id, additionalCustomerUserIds: [companion] }))).toEqual(REFUSED);
  });

  it("says after its cancellation that it is cancelled, and gives the stored answer only for the same key", async () => {
    const { id: offerId, totalAmount } = await world.flexibleOffer();
    const key = `key-${offerId}`;
    const first = await book({ offerId }, key);
    const { orderId } = readResult(first);
    expect(readResult(first)).toMatchObject({ status: "confirmed", refundedUsdc: "0.00", since: [] });
    await world.issueTickets(String(orderId));
    await world.result("read_order", { orderId });
    await expect.poll(async () => readResult(await book({ offerId })).ticketing).toBe("ticketed");
    const ticketed = readResult(await book({ offerId }));
    expect(ticketed).toMatchObject({ status: "confirmed", ticketOrderHash: expect.stringMatching(/^0x/) });
    expect(ticketed.next).not.toContain("issues the tickets");
    const { refundedUsdc } = await cancel(orderId);
    const again = readResult(await book({ offerId }));
    expect(again).toMatchObject({
      orderId,
      totalAmount,
      status: "cancelled",
      refundedUsdc,
      refundableUntil: null,
      voidWindowEndsAt: null,
      next: expect.stringContaining("is cancelled"),
    });
    const kinds = [again.since].flat().map((one) => Object(one).kind);
    expect(kinds).toEqual(expect.arrayContaining(["ticketed", "cancelled", "refunded"]));
    const replayed = await book({ offerId }, key);
    expect([replayed.headers.get("idempotent-replayed"), readResult(replayed)]).toEqual(["true", readResult(first)]);
    await world.expectSameBooks();
  });

  it("shows the order's current state after a change of its flights", async () => {
    const order = await world.bookFlexible();
    const [offer] = await world.service.sql("select offer_id from booking where order_id = $1", [order.orderId]);
    const offerId = String(offer?.offer_id);
    const { changeId, due } = await world.selectChange(order);
    const payment = { type: "balance", ...due };
    await world.result("confirm_order_change", { changeId, payment });
    const now = await world.result("read_order", { orderId: order.orderId });
    const again = readResult(await book({ offerId }));
    expect(again).toMatchObject({ status: "confirmed", totalAmount: now.totalAmount });
    expect(again.totalAmount).not.toBe(order.totalAmount);
    const flown = (some: unknown) =>
      [some]
        .flat(3)
        .flatMap((slice) => Object(slice).segments.map(({ departingAt }: { departingAt: string }) => departingAt));
    expect(flown(again.slices)).toEqual(flown(Object(now.flight).slices));
    expect(again.next).toContain("flights have changed");
    await cancel(order.orderId);
    const changedBefore = await world.result("confirm_order_change", { changeId, payment });
    expect(changedBefore.next).toContain("since been cancelled");
  });
});

describe("a booking of the same stay", () => {
  it("is a repetition for the same guests and wishes only", async () => {
    const { id: quoteId } = await world.quoted();
    const { orderId } = readResult(await world.bookStay(quoteId));
    expect(describeAnswer(await world.bookStay(quoteId))).toEqual(REPEATED);
    for (const [differsIn, other] of [
      ["travelers", { guests: guests("Carol") }],
      ["travelers", { guests: [...guests("Amelia"), ...guests("Carol")] }],
      ["travelers", { guests: [{ ...guests("Amelia")[0], customerUserId: companion }] }],
      ["particulars", { accommodationSpecialRequests: "A quiet room" }],
      ["particulars", { additionalCustomerUserIds: [companion] }],
    ] as const) {
      const refused = await world.bookStay(quoteId, other);
      expect(describeAnswer(refused)).toEqual(REFUSED);
      expect(refused.body).toMatchObject({ orderId, differsIn, retryable: false });
      const args = { quoteId, email: "amelia@example.com", guests: guests("Amelia"), ...other };
      expect(await previewCall("book_stay", args)).toEqual({ accepted: false, code: "already_booked", orderId });
    }
    expect(await world.stayBookings(quoteId)).toHaveLength(1);
  });

  it("is announced by the next quote there for one of its nights, until it is cancelled", async () => {
    const say = async () => Object(await world.result("quote_stay", { rateId: world.rateId })).warnings.join(" ");
    const { id: quoteId } = await world.quoted();
    const { orderId } = readResult(await world.bookStay(quoteId));
    expect(await say()).toContain(`as order ${orderId}. Book this quote only if you want another room.`);
    await cancel(orderId);
    expect(await say()).not.toContain(orderId);
  });

  it("with another date of birth of a guest, or without it, is refused", async () => {
    const { id: quoteId } = await world.quoted();
    const [amelia] = guests("Amelia");
    const born = (bornOn: string) => ({ guests: [{ ...amelia, bornOn }] });
    const { orderId } = readResult(await world.bookStay(quoteId, born("1987-07-24")));
    expect(describeAnswer(await world.bookStay(quoteId, born("1987-07-24")))).toEqual(REPEATED);
    for (const other of [born("2019-07-24"), {}]) {
      const refused = await world.bookStay(quoteId, other);
      expect(describeAnswer(refused)).toEqual(REFUSED);
      expect(refused.body).toMatchObject({ orderId, differsIn: "particulars" });
      expect(refused.body.detail).toContain("dates of birth");
      const args = { quoteId, email: "amelia@example.com", guests: guests("Amelia"), ...other };
      expect(await previewCall("book_stay", args)).toEqual({ accepted: false, code: "already_booked", orderId });
    }
    expect(await world.stayBookings(quoteId)).toHaveLength(1);
  });

  it("with other contact details is a repetition that says what was not applied, and keeps the booking", async () => {
    const { id: quoteId } = await world.quoted();
    const first = readResult(await world.bookStay(quoteId));
    expect(first).toMatchObject({ notApplied: [] });
    const again = async (other: object) => {
      const answer = await world.bookStay(quoteId, { ...other });
      expect(describeAnswer(answer)).toEqual(REPEATED);
      return readResult(answer);
    };
    for (const same of [{}, { phoneNumber: undefined }]) {
      expect(await again(same)).toMatchObject({ orderId: first.orderId, notApplied: [], next: first.next });
    }
    const [email, phoneNumber] = ["somebody.else@example.com", "+442080160599"];
    expect(await again({ email })).toMatchObject({ notApplied: ["email"] });
    const other = await again({ email, phoneNumber });
    expect(other).toMatchObject({ orderId: first.orderId, notApplied: ["email", "phoneNumber"] });
    expect(other.next).toContain(`a different email and phoneNumber, which it keeps`);
    expect(other.next).toContain(`name its reference ${String(first.reference)}`);
    expect(await world.stayBookings(quoteId)).toHaveLength(1);
    // Neither is stored in plain form.
    const rows = await world.service.sql("select contact_hashes::text as hashes from booking where offer_id = $1", [
      quoteId,
    ]);
    expect(rows).toEqual([
      { hashes: expect.stringMatching(/^{"email": "0x[0-9a-f]{64}", "phoneNumber": "0x[0-9a-f]{64}"}$/) },
    ]);
    await world.service.sql("update booking set contact_hashes = null where offer_id = $1", [quoteId]);
    expect(await again({ email })).toMatchObject({ notApplied: null, next: first.next });
  });

  it("is made for one of two concurrent guests, and the other is refused", async () => {
    const { id: quoteId } = await world.quoted();
    const names = ["Amelia", "Carol"].map((name) => ({ guests: guests(name) }));
    const answers = await Promise.all(names.map((other) => world.untilEnded(() => world.bookStay(quoteId, other))));
    expect(answers.map(({ body }) => body.code ?? "booked").toSorted()).toEqual(["already_booked", "booked"]);
    expect(await world.stayBookings(quoteId)).toHaveLength(1);
  });

  it("made by an earlier release is compared by its guests", async () => {
    const { id: quoteId } = await world.quoted();
    await world.bookStay(quoteId);
    await world.service.sql("update booking set particulars_hash = null where offer_id = $1", [quoteId]);
    expect(describeAnswer(await world.bookStay(quoteId))).toEqual(REPEATED);
    expect(describeAnswer(await world.bookStay(quoteId, { guests: guests("Carol") }))).toEqual(REFUSED);
  });

  it("says after its cancellation that it is cancelled, and gives the stored answer only for the same key", async () => {
    const { id: quoteId } = await world.quoted();
    const key = keyed(`key-${quoteId}`);
    const first = readResult(await world.bookStay(quoteId, {}, key));
    expect(first).toMatchObject({ status: "confirmed", refundedUsdc: "0.00", since: [] });
    const { refundedUsdc } = await cancel(first.orderId);
    expect(readResult(await world.bookStay(quoteId))).toMatchObject({
      orderId: first.orderId,
      status: "cancelled",
      refundedUsdc,
      next: expect.stringContaining("is cancelled"),
    });
    expect(readResult(await world.bookStay(quoteId, {}, key))).toEqual(first);
  });
});

it("another stay elsewhere for one of the same nights is warned of, naming the order", async () => {
  const other = await newFundedTenant(world.service, "Two places");
  const night = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
  const asked = { location: "Lisbon", checkInDate: night(50), checkOutDate: night(52) };
  const { accommodations } = Object(await world.result("search_hotels", asked, other.as));
  const quote = async (index: number) =>
    Object(await world.result("quote_stay", { rateId: accommodations[index].rates[0].id }, other.as)).id;
  const contact = { email: "tess@example.com", phoneNumber: "+442080160509", guests: guests("Tess") };
  const { orderId } = Object(await world.result("book_stay", { quoteId: await quote(0), ...contact }, other.as));
  const second = { quoteId: await quote(1), ...contact };
  const { warnings, accepted } = Object(
    await world.result("preview_call", { tool: "book_stay", args: second }, other.as),
  );
  expect([accepted, warnings]).toEqual([true, [expect.stringContaining(`as order ${orderId}.`)]]);
  expect(Object(await world.result("book_stay", second, other.as)).next).toContain(`as order ${orderId}.`);
});
