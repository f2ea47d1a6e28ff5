import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { hangUpUntil } from "../../../../test/support/hang-up.ts";
import type { Answer } from "../../../../test/support/service.ts";
import { micro, openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";
import { stranger } from "../../../../test/support/treasury.ts";
import { formatDecimal } from "../../../domain/money.ts";

/** Bags added to a held order after its payment, over dispatch, at the supplier's sandbox. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("own");
});
afterAll(() => world.close());

const LIST = "/air/orders/{id}/available_services";
const ADD = "/air/orders/{id}/services";

const Service = z.object({ id: z.string(), totalAmount: z.string() });
const Ancillaries = z.object({ bags: z.array(Service), seats: z.array(Service) });
const Booked = z.looseObject({ orderId: z.string(), next: z.string() });

const call = (tool: string, args: object) => world.service.call(tool, args);
const describeFailure = ({ status, body }: Answer) => ({ status, code: body.code });
const unlisted = () =>
  world.supplier("/_sandbox/scenarios", { match: { path: LIST, method: "GET" }, fault: "service_taken", times: 1 });

const showBagFor = (amount: string, offerId: string) =>
  world.service.sql(
    "update seen_offer set offer = jsonb_set(offer, '{services,0,eachAmount}', to_jsonb($1::text)) where offer_id = $2",
    [amount, offerId],
  );

/** A held order, and a bag of its offer. */
async function held() {
  const { id: offerId, totalAmount } = await world.flexibleOffer();
  const { orderId } = Booked.parse({ next: "", ...(await world.result("hold_flight", { offerId })) });
  const { bags, seats } = Ancillaries.parse(await world.result("list_flight_ancillaries", { offerId }));
  const [[bag], [seat]] = [bags, seats];
  if (bag === undefined || seat === undefined) throw new Error("there is no bag or no seat");
  const services = [{ id: bag.id, quantity: 1 }];
  const whole = formatDecimal(micro(totalAmount) + micro(bag.totalAmount));
  return { offerId, orderId, bag, seat, args: { offerId, services }, flightsAmount: totalAmount, whole };
}

/** The supplier's state of an order: its services and payments. */
async function supplierHas(orderId: string) {
  const { orders, services, payments } = await world.ledger();
  const ofOrder = (one: { order_id: string }) => one.order_id === orderId;
  return {
    state: orders.find(({ id }) => id === orderId)?.state,
    bags: services.filter(ofOrder).map(({ amount }) => amount),
    payments: payments.filter(ofOrder).map(({ amount }) => amount),
  };
}

describe("book_flight of a held order with bags", () => {
  it("pays for the order, adds the bags, and charges both at once", async () => {
    const { offerId, orderId, bag, args, flightsAmount, whole } = await held();
    // The last reading of the hold, without the bag, is older than its payment's answer.
    expect(await world.result("read_order", { orderId })).toMatchObject({ totalAmount: flightsAmount });
    expect(await world.result("preview_call", { tool: "book_flight", args })).toMatchObject({
      accepted: true,
      totals: [{ token: "USDC", amount: whole }],
    });
    const booked = await world.result("book_flight", args);
    expect(booked).toMatchObject({
      orderId,
      totalAmount: whole,
      chargedUsdc: whole,
      services: [{ kind: "bag", quantity: 1, totalAmount: bag.totalAmount }],
      ancillaries: {
        way: "added_after_payment",
        services: [{ id: bag.id, quantity: 1, booked: true, reason: null }],
      },
    });
    expect(await supplierHas(orderId)).toEqual({
      state: "paid",
      bags: [bag.totalAmount],
      payments: [flightsAmount, bag.totalAmount],
    });
    await world.expectSameBooks();

    const again = await world.result("book_flight", args);
    expect(again).toMatchObject({ orderId, ancillaries: Object(booked).ancillaries, chargedUsdc: whole });
    expect(await world.result("hold_flight", { offerId })).toMatchObject({ orderId, status: "paid" });
    for (const services of [[], [{ id: bag.id, quantity: 2 }]]) {
      const other = await call("book_flight", { offerId, services });
      expect(other.body).toMatchObject({ code: "already_booked", orderId, differsIn: "particulars" });
    }
    expect((await supplierHas(orderId)).payments).toHaveLength(2);
    const paidFor = (await world.ledger()).payments.filter(({ order_id }) => order_id === orderId);
    expect(paidFor).toMatchObject([{ pays_for: "order" }, { pays_for: "services" }]);
    expect(await world.result("read_order", { orderId })).toMatchObject({ status: "confirmed", totalAmount: whole });
  });

  it("keeps the flights and charges nothing for a bag that is refused, has become more expensive or is not on sale", async () => {
    const faults = [
      [() => world.arm(ADD, "service_taken"), "not_available"],
      [() => world.arm(ADD, "price_changed"), "price_changed"],
      [() => world.arm(ADD, "insufficient_balance"), "supplier_unavailable"],
      [unlisted, "not_available"],
      // The paid order's bag costs more than the offer's.
      [(offerId: string) => showBagFor("1.00", offerId), "price_changed"],
    ] as const;
    for (const [arm, reason] of faults) {
      const { offerId, orderId, bag, args, flightsAmount } = await held();
      await arm(offerId);
      const booked = await world.result("book_flight", args);
      expect(booked, reason).toMatchObject({
        orderId,
        totalAmount: flightsAmount,
        chargedUsdc: flightsAmount,
        services: [],
        ancillaries: { way: "added_after_payment", services: [{ id: bag.id, booked: false, reason }] },
        next: expect.stringContaining(`booked without ${bag.id}`),
      });
      expect(await supplierHas(orderId), reason).toEqual({ state: "paid", bags: [], payments: [flightsAmount] });
      await world.expectSameBooks();
      expect(await world.result("book_flight", args), reason).toMatchObject({ ancillaries: booked.ancillaries });
    }
  });

  it("adds them once if the supplier did not answer", async () => {
    const { orderId, bag, args, flightsAmount, whole } = await held();
    await world.arm(ADD, "reset_after_effect");
    const answer = await world.unanswered(call("book_flight", args));
    expect(describeFailure(answer)).toEqual({ status: 500, code: "outcome_unknown" });
    expect((await world.books()).held.USDC).toBe(whole);
    await world.endQuietTime();
    const known = await world.untilKnown(() => call("book_flight", args));
    expect(known.body.result).toMatchObject({
      chargedUsdc: whole,
      ancillaries: { services: [{ id: bag.id, booked: true }] },
    });
    expect(await supplierHas(orderId)).toEqual({
      state: "paid",
      bags: [bag.totalAmount],
      payments: [flightsAmount, bag.totalAmount],
    });
    await world.expectSameBooks();
  });

  it("asks once more if the request never arrived, and then stops", async () => {
    for (const lost of [1, 2]) {
      const { orderId, bag, args, flightsAmount, whole } = await held();
      for (let count = 0; count < lost; count += 1) await world.arm(ADD, "timeout");
      let answer = await world.unanswered(call("book_flight", args));
      expect(describeFailure(answer)).toEqual({ status: 500, code: "outcome_unknown" });
      for (let count = 1; count < lost; count += 1) {
        await world.endQuietTime();
        await hangUpUntil(world.service.supplierUrl, untilUnanswered(orderId, count + 1));
      }
      await world.endQuietTime();
      answer = await world.untilKnown(() => call("book_flight", args));
      const isAdded = lost === 1;
      expect(answer.body.result).toMatchObject({
        totalAmount: isAdded ? whole : flightsAmount,
        chargedUsdc: isAdded ? whole : flightsAmount,
        ancillaries: {
          services: [{ id: bag.id, booked: isAdded, reason: isAdded ? null : "supplier_unavailable" }],
        },
      });
      expect(await supplierHas(orderId)).toEqual({
        state: "paid",
        bags: isAdded ? [bag.totalAmount] : [],
        payments: isAdded ? [flightsAmount, bag.totalAmount] : [flightsAmount],
      });
      await world.expectSameBooks();
    }
  });

  it("refuses seats before anything is paid, and the order stays held", async () => {
    const { orderId, args, seat, flightsAmount } = await held();
    const services = [...args.services, { id: seat.id }];
    const refused = await call("book_flight", { ...args, services });
    expect(describeFailure(refused)).toEqual({ status: 500, code: "service_not_available" });
    expect(refused.body).toMatchObject({ orderId, services: [seat.id] });
    const previewed = await world.result("preview_call", { tool: "book_flight", args: { ...args, services } });
    expect(previewed).toMatchObject({ accepted: false, problem: { code: "service_not_available" } });
    expect(await supplierHas(orderId)).toEqual({ state: "held", bags: [], payments: [] });
    await world.expectSameBooks();
    const { offerId } = args;
    expect(await world.result("book_flight", { offerId })).toMatchObject({ orderId, chargedUsdc: flightsAmount });
  });

  it("adds them at the price that was shown, even if the offer has expired since", async () => {
    const shown = await held();
    const unseen = await held();
    await world.advance(3_600);
    const booked = await world.result("book_flight", shown.args);
    expect(booked).toMatchObject({ orderId: shown.orderId, chargedUsdc: shown.whole });
    expect((await supplierHas(shown.orderId)).payments).toEqual([shown.flightsAmount, shown.bag.totalAmount]);
    await world.service.sql("update seen_offer set offer = offer - 'services' where offer_id = $1", [unseen.offerId]);
    const refused = await call("book_flight", unseen.args);
    expect(refused.body).toMatchObject({ code: "service_not_available", orderId: unseen.orderId });
    expect(await supplierHas(unseen.orderId)).toEqual({ state: "held", bags: [], payments: [] });
  });

  it("covers flights and bags together before anything is paid, by limits and by the balance", async () => {
    const { orderId, args, flightsAmount, whole } = await held();
    await limitTo(micro(flightsAmount));
    const beyond = await call("book_flight", args);
    expect(beyond.body).toMatchObject({ code: "spend_limit_exceeded", limit: "perCall", neededUsdc: whole });
    await limitTo(undefined);
    const available = micro((await world.books()).available.USDC);
    await world.result("send_tokens", { to: stranger(), amount: formatDecimal(available - micro(whole) + 1n) });
    const short = await call("book_flight", args);
    expect(short.body).toMatchObject({ code: "insufficient_balance", requiredUsdc: whole, missingUsdc: "0.000001" });
    expect(await supplierHas(orderId)).toEqual({ state: "held", bags: [], payments: [] });
  });
});

const limitTo = (perCall: bigint | undefined) =>
  world.service.operator(({ spending: { spendLimits } }) =>
    spendLimits.set(world.service.tenantId, "sandbox", undefined, { perCall }, "test"),
  );

/** Resolves when this many requests to add bags were sent, and none is waited for any more. */
async function untilUnanswered(orderId: string, additions: number): Promise<void> {
  const read = () =>
    world.service.sql("select additions, worker_id from booking where order_id = $1 and state = 'adding'", [orderId]);
  await expect.poll(read).toEqual([{ additions, worker_id: null }]);
}
