import { expect } from "vitest";
import { z } from "zod";
import { changed, forget, once, type Refusals, type World } from "./refusal.ts";

const today = () => Temporal.Now.plainDateISO("UTC");

/** Shown to the tenant, and booked by nobody. */
const offer = once(async (world) => {
  const [first] = await world.search();
  if (first === undefined) throw new Error("no offer");
  return first;
});
const Found = z.object({
  offers: z.array(z.object({ id: z.string(), paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }) })),
});
/** The first that the airline holds for a later payment, or that it wants to be paid for at once. */
async function findOffer({ result }: World, destination: string, isInstant: boolean): Promise<string> {
  const route = { origin: "LHR", destination, departureDate: today().add({ days: 90 }).toString() };
  const { offers } = Found.parse(await result("search_flights", route));
  const found = offers.find(({ paymentRequirements }) => paymentRequirements.requiresInstantPayment === isInstant);
  if (found === undefined) throw new Error(`every offer to ${destination} can be held, or none`);
  return found.id;
}
const instantOffer = once((world) => findOffer(world, "CDG", true));
const heldOffer = once(async (world) => {
  const offerId = await findOffer(world, "JFK", false);
  const { orderId } = await world.result("hold_flight", { offerId });
  return { offerId, orderId };
});
/** It wants a passport of each passenger, which the caller's profile lacks. */
const passportOffer = once(async (world) => {
  const [first] = await world.search({ origin: "LHR", destination: "DEL" });
  return String(first?.id);
});

/** A customer user of so many years. */
async function person({ result, service }: World, userId: string, years: number): Promise<string> {
  await result("save_traveler", {
    userId,
    givenName: "Kim",
    familyName: "Hopper",
    bornOn: today().subtract({ years }).toString(),
    title: "ms",
    gender: "f",
    phoneNumber: "+442080160509",
    email: `${userId}-${service.tenantId}@example.com`,
  });
  const { customerUserId } = await result("ensure_flight_customer", { clerkUserId: userId });
  return String(customerUserId);
}
const child = once((world) => person(world, "user_child", 6));
const adult = once((world) => person(world, "user_adult", 40));

/** Booked, with tickets and a change that asks something. */
const order = once(async (world) => {
  const { id: offerId } = await world.flexibleOffer();
  const booked = await world.book({ offerId });
  await world.issueTickets(booked.orderId);
  const change = await world.selectChange(booked);
  const { cancellationId } = await world.result("cancel_order_quote", { orderId: booked.orderId });
  return { ...booked, ...change, offerId, cancellationId };
});
/** Given back by the second of two quotes, with a change that was selected before. */
const cancelledOrder = once(async (world) => {
  const booked = await world.bookFlexible();
  const change = await world.selectChange(booked);
  const { orderId } = booked;
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  const second = await world.result("cancel_order_quote", { orderId });
  await world.result("confirm_cancel_order", { cancellationId: second.cancellationId });
  return { ...booked, ...change, cancellationId };
});
const otherCredit = once(async (world) => {
  const { owner } = await offer(world);
  return await world.giveCredit(owner.iataCode === "BA" ? "AF" : "BA", "25.00");
});

type Args = (world: World) => Promise<{ offerId: string }>;
const ofOffer: Args = async (world) => ({ offerId: (await offer(world)).id });

/** Refusals of an offer to be booked or held. */
const offerRefusals: Refusals = {
  provider_timeout: "supplier",
  provider_unavailable: "supplier",
  customer_in_progress: "concurrent",
  offer_not_found: () => ({ args: { offerId: "off_0000UnheardOf0000000000" } }),
  price_changed: async (world) => {
    const args = await ofOffer(world);
    const set = `offer = jsonb_set(offer::jsonb, '{totalAmount}', '"1.00"')`;
    return { args, restore: await changed(world, { table: "seen_offer", set, where: ["offer_id", args.offerId] }) };
  },
  booking_rejected: "supplier",
  rate_stale: "rates",
  rate_not_available: "rates",
  customer_not_found: async (world) => ({
    args: { ...(await ofOffer(world)), additionalCustomerUserIds: ["icu_0000UnheardOf0000000000"] },
  }),
  documents_not_supported: "inventory",
  passenger_type_mismatch: async (world) => ({
    args: { ...(await ofOffer(world)), additionalCustomerUserIds: [await child(world)] },
  }),
  traveler_incomplete: async (world) => ({ args: { offerId: await passportOffer(world) } }),
  outcome_unknown: "supplier",
  booking_in_progress: "concurrent",
};

const change = async (world: World, payment: object = {}) => {
  const { changeId, due } = await order(world);
  return { changeId, payment: { type: "balance", ...due, ...payment } };
};
/** The order was paid in another currency than the supplier counts in. */
const inOtherCurrency = async (world: World) => {
  const rate = JSON.stringify({ from: "EUR", to: "USDC", value: "1.1", source: "embedded" });
  const where = ["order_id", (await order(world)).orderId] as const;
  return await changed(world, { table: "booking", set: `rate = '${rate}'`, where });
};
const requested = (orderId: string, sliceId: string) => ({
  orderId,
  slices: {
    add: [{ origin: "LHR", destination: "JFK", departure_date: today().add({ days: 75 }).toString() }],
    remove: [{ slice_id: sliceId }],
  },
});
const stayQuote = once(async (world) => {
  const { id } = await world.quoted();
  const { orderId } = Object((await world.bookStay(id)).body.result);
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  return String(cancellationId);
});

export const flightRefusals: Readonly<Record<string, Refusals>> = {
  send_itinerary: {
    order_not_found: () => ({ args: { orderId: "ord_0000Unheard" } }),
    order_not_confirmed: async (world) => ({ args: { orderId: (await cancelledOrder(world)).orderId } }),
    itinerary_not_drawn: "work",
  },
  ensure_flight_customer: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    customer_in_progress: "concurrent",
    customer_not_found: () => ({ args: { clerkUserId: "user_nobody" } }),
    customer_email_taken: "supplier",
    traveler_incomplete: async ({ result }) => {
      await result("save_traveler", { userId: "user_nameless", givenName: "Kim" });
      return { args: { clerkUserId: "user_nameless" } };
    },
  },
  book_flight: {
    ...offerRefusals,
    already_booked: async (world) => {
      const { offerId } = await order(world);
      return { args: { offerId, additionalCustomerUserIds: [await adult(world)] } };
    },
    offer_expired: async (world) => {
      const { offerId, orderId } = await heldOffer(world);
      // Its event has the order read again, which would find that the hold is over and free the offer.
      const event = "select 1 from webhook_event where order_id = $1 and finished_at is not null";
      await expect.poll(() => world.service.sql(event, [orderId])).toHaveLength(1);
      const set = "hold_until = now() - interval '1 second'";
      return {
        args: { offerId },
        restore: await changed(world, { table: "booking", set, where: ["offer_id", offerId] }),
      };
    },
    hold_not_available: "supplier",
    service_not_available: async (world) => ({
      args: { ...(await ofOffer(world)), services: [{ id: "ase_0000UnheardOf0000000000" }] },
    }),
    credit_not_found: async (world) => ({
      args: { ...(await ofOffer(world)), airlineCreditId: "acd_0000UnheardOf0000000000" },
    }),
    credit_not_applicable: async (world) => ({
      args: { ...(await ofOffer(world)), airlineCreditId: await otherCredit(world) },
    }),
    reservation_not_available: "run",
    insufficient_balance: async (world) => {
      const [unseen] = await world.search();
      const offerId = String(unseen?.id);
      await forget(world, offerId);
      return { args: { offerId } };
    },
    settlement_stopped: async (world) => ({ args: await ofOffer(world) }),
  },
  hold_flight: {
    ...offerRefusals,
    already_booked: async (world) => ({ args: { offerId: (await order(world)).offerId } }),
    offer_expired: "time",
    hold_not_available: async (world) => ({ args: { offerId: await instantOffer(world) } }),
  },
  request_order_change: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    order_not_found: () => ({ args: requested("ord_0000UnheardOf0000000000", "sli_0000") }),
    order_not_changeable: async (world) => {
      const { orderId, slices } = await cancelledOrder(world);
      return { args: requested(orderId, String(slices[0]?.id)) };
    },
  },
  select_order_change_offer: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    change_offer_not_found: () => ({ args: { offerId: "oco_0000UnheardOf0000000000" } }),
    change_expired: "time",
    order_not_changeable: "supplier",
    price_changed: "supplier",
    already_confirmed: "supplier",
  },
  confirm_order_change: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    outcome_unknown: "supplier",
    currency_not_supported: async (world) => ({ args: await change(world), restore: await inOtherCurrency(world) }),
    // Also where nothing is to be paid.
    settlement_stopped: async (world) => ({ args: await change(world, { amount: "0" }) }),
    change_in_progress: "concurrent",
    change_not_found: async (world) => ({
      args: { ...(await change(world)), changeId: "oce_0000UnheardOf0000000000" },
    }),
    change_expired: "time",
    order_not_changeable: async (world) => {
      const { changeId, due } = await cancelledOrder(world);
      return { args: { changeId, payment: { type: "balance", ...due } } };
    },
    already_confirmed: "supplier",
    price_changed: async (world) => ({ args: await change(world, { amount: "1.00" }) }),
    card_not_available: async (world) => ({ args: await change(world, { type: "card" }) }),
    insufficient_balance: async (world) => ({ args: await change(world) }),
    transfer_reverted: "chain",
  },
  cancel_order_quote: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    order_not_found: () => ({ args: { orderId: "ord_0000UnheardOf0000000000" } }),
    order_not_cancellable: "supplier",
    already_cancelled: async (world) => ({ args: { orderId: (await cancelledOrder(world)).orderId } }),
  },
  confirm_cancel_order: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    outcome_unknown: "supplier",
    currency_not_supported: async (world) => ({
      args: { cancellationId: (await order(world)).cancellationId },
      restore: await inOtherCurrency(world),
    }),
    settlement_stopped: async (world) => ({ args: { cancellationId: (await order(world)).cancellationId } }),
    cancellation_in_progress: "concurrent",
    cancellation_not_found: () => ({ args: { cancellationId: "ore_0000UnheardOf0000000000" } }),
    cancellation_expired: async (world) => {
      const cancellationId = await stayQuote(world);
      const set = "expires_at = now() - interval '1 second'";
      const where = ["id", cancellationId] as const;
      const table = "stay_cancellation_quote";
      return { args: { cancellationId }, restore: await changed(world, { table, set, where }) };
    },
    cancellation_stale: "supplier",
    order_not_found: "supplier",
    order_not_cancellable: "supplier",
    already_cancelled: async (world) => ({ args: { cancellationId: (await cancelledOrder(world)).cancellationId } }),
    already_confirmed: "supplier",
  },
};
