import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";

/** Rates that a tenant has agreed with hotels, at the supplier's sandbox over dispatch. */
let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world.close());

const TOOL = "manage_stays_negotiated_rate";
const manage = (args: Record<string, unknown>, options = {}) => world.service.call(TOOL, args, options);
const said = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code, body.detail];

async function createRate(options = {}) {
  const accommodationIds = [world.hotel.id];
  const create = { action: "create", displayName: "Hart Travel", rateAccessCode: "HART2026", accommodationIds };
  const answer = await manage(create, options);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.result).toMatchObject({ action: "create", displayName: "Hart Travel", accommodationIds });
  const { negotiatedRateId } = requireResult(answer);
  return String(negotiatedRateId);
}

async function findAgreedRate(options = {}) {
  const { accommodations } = await world.searchHotels(options);
  return accommodations.find(({ id }) => id === world.hotel.id)?.cheapestRate;
}

describe("a negotiated rate", () => {
  it("is found, quoted, booked and cancelled by its tenant, and hidden from others", async () => {
    const [owner, other] = [
      await newFundedTenant(world.service, "Owner"),
      await newFundedTenant(world.service, "Other"),
    ];
    const negotiatedRateId = await createRate(owner.as);
    const rate = await findAgreedRate(owner.as);
    const listed = parseDecimal(world.hotel.cheapestRate.totalAmount) ?? 0n;
    expect(parseDecimal(rate?.totalAmount ?? "")).toBeLessThan(listed);
    expect((await findAgreedRate(other.as))?.totalAmount).toBe(world.hotel.cheapestRate.totalAmount);
    const quote = await world.quoted(rate?.id, owner.as);
    expect(quote.negotiatedRateId).toBe(negotiatedRateId);

    async function expectUnknownToOther() {
      const rateId = rate?.id;
      const quoting = await world.service.call("quote_stay", { rateId }, other.as);
      expect(said(quoting)).toEqual(said(await world.service.call("quote_stay", { rateId: "rat_0000No" }, other.as)));
      expect(quoting.body.code).toBe("rate_not_found");
      const booking = await world.bookStay(quote.id, {}, other.as);
      expect(said(booking)).toEqual(said(await world.bookStay("quo_0000No", {}, other.as)));
      expect(booking.body.code).toBe("quote_not_found");
    }
    await expectUnknownToOther();
    expect(await manage({ action: "delete", negotiatedRateId }, owner.as)).toMatchObject({ status: 200 });
    await expectUnknownToOther();

    const booked = await world.bookStay(quote.id, {}, owner.as);
    expect(booked.body.result, booked.text).toMatchObject({ chargedUsdc: quote.totalAmount });
    const { orderId } = requireResult(booked);
    const cancelling = await world.result("cancel_order_quote", { orderId }, owner.as);
    expect(cancelling).toMatchObject({ kind: "stay", refundAmount: quote.totalAmount });
    const { cancellationId } = cancelling;
    expect(await world.result("confirm_cancel_order", { cancellationId }, owner.as)).toMatchObject({
      kind: "stay",
      status: "cancelled",
      refundedUsdc: quote.totalAmount,
    });
    expect(await world.stayBookings(quote.id)).toMatchObject([{ id: orderId, status: "cancelled" }]);
    const again = await world.bookStay(quote.id, {}, owner.as);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("is updated and deleted by its tenant alone", async () => {
    const other = await newFundedTenant(world.service, "Meddler");
    const negotiatedRateId = await createRate();
    const update = { action: "update", negotiatedRateId, displayName: "Renamed" };
    for (const change of [update, { action: "delete", negotiatedRateId }]) {
      const theirs = await manage(change, other.as);
      const nothing = await manage({ ...change, negotiatedRateId: "nre_0000Nothing" }, other.as);
      expect(said(theirs)).toEqual(said(nothing));
      expect([theirs.status, theirs.body.code]).toEqual([500, "negotiated_rate_not_found"]);
    }
    const mine = await manage(update);
    expect(mine.body.result, mine.text).toMatchObject({
      action: "update",
      negotiatedRateId,
      displayName: "Renamed",
      accommodationIds: [world.hotel.id],
    });
    for (const _ of ["first", "lost answer"]) {
      const deleted = await manage({ action: "delete", negotiatedRateId });
      expect(deleted.body.result, deleted.text).toMatchObject({ negotiatedRateId, displayName: null });
    }
    expect((await manage(update)).body.code).toBe("negotiated_rate_not_found");
    const rows = "select deleted_at is not null as deleted from negotiated_rate where negotiated_rate_id = $1";
    expect(await world.service.sql(rows, [negotiatedRateId])).toEqual([{ deleted: true }]);
    expect((await findAgreedRate())?.totalAmount).toBe(world.hotel.cheapestRate.totalAmount);
  });

  it("that the supplier has lost does not stop searches", async () => {
    const owner = await newFundedTenant(world.service, "Of a lost rate");
    const negotiatedRateId = await createRate(owner.as);
    await world.service.sql("update negotiated_rate set negotiated_rate_id = $2 where negotiated_rate_id = $1", [
      negotiatedRateId,
      "nre_0000Lost",
    ]);
    expect((await findAgreedRate(owner.as))?.totalAmount).toBe(world.hotel.cheapestRate.totalAmount);
    const update = { action: "update", negotiatedRateId: "nre_0000Lost", displayName: "Renamed" };
    expect((await manage(update, owner.as)).body.code).toBe("negotiated_rate_not_found");
  });

  const texts = { displayName: "Hart Travel", rateAccessCode: "HART2026" };
  const accommodationIds = ["acc_1"];
  it.each([
    ["negotiatedRateId", { action: "create", ...texts, accommodationIds, negotiatedRateId: "nre_1" }],
    ["displayName", { action: "create", rateAccessCode: "HART2026", accommodationIds }],
    ["displayName", { action: "create", ...texts, displayName: " ", accommodationIds }],
    ["rateAccessCode", { action: "create", displayName: "Hart Travel", accommodationIds }],
    ["rateAccessCode", { action: "create", ...texts, rateAccessCode: "x".repeat(101), accommodationIds }],
    ["accommodationIds", { action: "create", ...texts }],
    ["accommodationIds", { action: "create", ...texts, accommodationIds: [] }],
    ["accommodationIds", { action: "create", ...texts, accommodationIds: ["acc_unheard_of"] }],
    ["negotiatedRateId", { action: "update", displayName: "Renamed" }],
    ["rateAccessCode", { action: "update", negotiatedRateId: "nre_1", ...texts }],
    ["displayName", { action: "update", negotiatedRateId: "nre_1" }],
    ["negotiatedRateId", { action: "delete" }],
    ["displayName", { action: "delete", negotiatedRateId: "nre_1", displayName: "Renamed" }],
    ["action", { action: "list" }],
  ])("refuses %s of %j", async (path, args) => {
    const answer = await manage(args);
    expect([answer.status, answer.body.code], answer.text).toEqual([400, "invalid_input"]);
    expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
  });
});
