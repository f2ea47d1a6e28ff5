import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { CabinClass, CalendarDate, DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { checkSlice } from "../../../domain/travel/check-slice.ts";
import { sayFewerBags } from "../../../domain/travel/fewer-bags.ts";
import { Slice, SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { isSameWay } from "../../../domain/travel/same-way.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { ChangeOffer, OrderDetails } from "../../../ports/supplier/flight-servicing.ts";
import type { BookedService, OrderedSlice } from "../../../ports/supplier/flights.ts";
import { listStaysNear, sayLaterTerms, sayUnfitStays } from "../after-change/after-change.ts";
import { ChangePrice, pickPrice, StaysAffected } from "../change-order.ts";
import { defineTool, type Stores } from "../context.ts";
import { seeChangeOffers } from "../see-changes.ts";
import { orderNotFound, requireOrder } from "../servicing-errors.ts";

const Place = z.string().refine((text) => /^[A-Za-z]{3}$/.test(text), { message: "must be a three-letter IATA code" });

const Given = z.looseObject({
  slices: z.looseObject({
    add: z.array(z.looseObject({ origin: z.unknown(), destination: z.unknown(), departure_date: z.unknown() })),
  }),
});

const ONLY_HELD =
  "The airline offers only the flights and cabin that the order already has. Try nearby days or another cabin.";
const EMPTY = "The airline accepts changes to this order but has no such flights. Try nearby days or another cabin.";
const NOT_TICKETED =
  "The airline makes no changes before it has issued the tickets, which takes minutes: call again once read_order says ticketed.";
const NOT_BY_FARE =
  "The fare does not allow changes before departure. cancel_order_quote says what cancelling the order would refund.";
const NOT_NOW =
  "The airline accepts no change to this order now: call again once availableActions of read_order contains change.";

type Asked = Pick<OrderDetails, "availableActions" | "conditions" | "ticketed">;

/** Why the airline returned no offers. */
function whyEmpty({ availableActions, conditions, ticketed }: Asked): string {
  if (availableActions.includes("change")) return EMPTY;
  if (conditions.changeBeforeDeparture?.allowed === false) return NOT_BY_FARE;
  return ticketed ? NOT_NOW : NOT_TICKETED;
}

/** The cheapest offers; another day or cabin gives others. */
const MOST_OFFERS = 6;

const notChangeable =
  "The order cannot be changed because of its fare, or because it is cancelled. It stays as it was.";

const stayNotChangeable =
  "This order is a stay, whose dates and guests cannot be changed. Book further nights with search_hotels and book_stay, or cancel it with cancel_order_quote and book again. It stays as it was.";

async function requireChangeable(
  stores: Pick<Stores, "orders">,
  caller: Pick<Caller, "tenantId" | "environment">,
  orderId: string,
) {
  const order = await requireOrder(stores, caller, orderId);
  if (order.kind !== "flight") throw new Failure("order_not_changeable", { detail: stayNotChangeable });
  if (order.status !== "confirmed") throw new Failure("order_not_changeable", { detail: notChangeable });
  return order;
}

export const requestOrderChange = defineTool({
  name: "request_order_change",
  title: "Request an order's change",
  summary: "Price replacing slices of a flight order. Nothing is changed yet.",
  advice:
    "Changes all travelers alike. Slice ids: read_order; bags and seats of a removed slice are lost (servicesLost). changeTotalAmount is the full amount due, with penalty and refunds. Next: select_order_change_offer.",
  area: "flights",
  effect: "write",
  onlyAsks: true,
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "maps", "stores", "clock"],
  input: z.strictObject({
    orderId: z.string().describe("orderId from book_flight"),
    slices: z.strictObject({
      add: z.array(
        z.strictObject({
          origin: Place,
          destination: Place,
          departure_date: CalendarDate.describe("YYYY-MM-DD"),
          cabin_class: CabinClass.optional(),
        }),
      ),
      remove: z.array(
        z.strictObject({
          slice_id: z.string().describe("A slice of the order; an unknown one returns the list"),
        }),
      ),
    }),
  }),
  output: SupplierResult.extend({
    orderId: z.string(),
    changeRequestId: z.string(),
    offers: z
      .array(
        ChangePrice.extend({
          id: z.string().describe("For offerId of select_order_change_offer"),
          expiresAt: z.string().nullable(),
          fewerBags: z
            .string()
            .optional()
            .describe("Fewer checked bags than the flights that it replaces; omitted: no fewer"),
          laterTerms: z.string().optional().describe("Present if a later change then costs more than now"),
          staysAffected: StaysAffected,
          slices: z.object({ add: z.array(Slice).readonly() }),
        }),
      )
      .readonly()
      .describe("Cheapest first; empty: emptyBecause says why"),
    emptyBecause: z.string().nullable().describe("null: there are offers"),
    considered: z
      .number()
      .describe("Number of offers from the airline; one with the order's current flights and cabin is not shown"),
    removed: z
      .array(z.object({ id: z.string(), origin: z.string(), destination: z.string(), departingAt: z.string() }))
      .readonly()
      .describe("The slices of the order that every offer replaces"),
    servicesLost: z
      .array(
        z.object({
          id: z.string(),
          kind: z.string(),
          quantity: z.number(),
          designator: wordsOfOthers().nullable(),
          totalAmount: DecimalAmount,
          totalCurrency: z.string(),
        }),
      )
      .readonly()
      .describe(
        "Bags and seats bought for removed flights, with their prices; their refund is included in changeTotalAmount. The new flights have none, and none can be added",
      ),
  }),
  errors: {
    ...supplierErrors,
    order_not_found: orderNotFound,
    order_not_changeable: notChangeable,
  },
  example: (today, { orderId, sliceId }) => ({
    orderId,
    slices: {
      add: [{ origin: "LHR", destination: "JFK", departure_date: today.add({ days: 75 }).toString() }],
      remove: [{ slice_id: sliceId }],
    },
  }),
  gives: ({ offers: [cheapest] }) => (cheapest === undefined ? {} : { changeOfferId: cheapest.id }),

  check(args, { maps, clock }) {
    const add = Given.safeParse(args).data?.slices.add ?? [];
    return add.flatMap(({ origin, destination, departure_date: date }, index) => {
      const path = `slices.add.${index}`;
      const paths = { origin: `${path}.origin`, destination: `${path}.destination`, date: `${path}.departure_date` };
      return checkSlice({ origin, destination, date }, paths, { maps, clock });
    });
  },

  plan: () => EMPTY_PLAN,
  probe: ({ orderId }, { stores, caller }) => requireChangeable(stores, caller, orderId),

  async run({ orderId, slices }, { flights, flightServicing, stores, caller, call, invalid }) {
    const order = await requireChangeable(stores, caller, orderId);
    if (slices.remove.length === 0) {
      throw invalid({ path: "slices.remove", message: "must name at least one slice of the order" });
    }
    const add = slices.add.map(({ origin, destination, departure_date: departureDate, cabin_class: cabinClass }) => ({
      origin: origin.toUpperCase(),
      destination: destination.toUpperCase(),
      departureDate,
      ...(cabinClass === undefined ? {} : { cabinClass }),
    }));
    const details = await flightServicing.getOrderDetails(orderId, { signal: call.signal });
    const { slices: present, services } = details;
    for (const [index, { slice_id: sliceId }] of slices.remove.entries()) {
      if (present.some(({ id }) => id === sliceId)) continue;
      const known = present.map(({ id, origin, destination }) => `${id} (${origin} to ${destination})`).join(", ");
      throw invalid({ path: `slices.remove.${index}.slice_id`, message: `must be a slice of the order: ${known}` });
    }
    const remove = slices.remove.map(({ slice_id: sliceId }) => ({ sliceId }));
    const request = await flightServicing.requestChange(orderId, { add, remove });
    await stores.servicingQuotes.rememberChangeOffers(
      order,
      request.offers.map(({ id }) => id),
    );
    await seeChangeOffers(stores.seenOffers, caller, request.offers, order);
    const removed = present.filter(({ id }) => remove.some(({ sliceId }) => sliceId === id));
    const others = request.offers.filter(({ slices: { add: offered } }) => !isHeld(offered, removed));
    const replacing = others.map(({ slices: { add } }) => ({ removed, added: add }));
    const stays = await listStaysNear(stores, caller, await stores.bookings.get(order.bookingId), replacing);
    const offers = others.map((offer) => {
      const fewerBags = sayFewerBags(removed, offer.slices.add);
      return {
        id: offer.id,
        ...pickPrice(offer),
        expiresAt: offer.expiresAt,
        ...(fewerBags === null ? {} : { fewerBags }),
        ...sayLaterTerms(removed, offer.slices.add),
        ...sayUnfitStays(stays, { removed, added: offer.slices.add }),
        slices: { add: offer.slices.add },
      };
    });
    return {
      orderId,
      changeRequestId: request.id,
      offers: offers
        .toSorted((left, right) => Number(left.changeTotalAmount) - Number(right.changeTotalAmount))
        .slice(0, MOST_OFFERS),
      emptyBecause: offers.length > 0 ? null : request.offers.length > 0 ? ONLY_HELD : whyEmpty(details),
      considered: request.offers.length,
      removed: removed.map(({ id, origin, destination, segments: [first] }) => ({
        id,
        origin,
        destination,
        departingAt: first?.departingAt ?? "",
      })),
      servicesLost: listLostServices(removed, services),
      ...flights.provenance(),
      sandbox: flights.sandbox,
    };
  },
});

/** Another cabin on the same flights is a different offer. */
function isHeld(offered: ChangeOffer["slices"]["add"], held: readonly OrderedSlice[]): boolean {
  const cabins = (slices: readonly Pick<OrderedSlice, "segments">[]) =>
    slices.flatMap(({ segments }) => segments.map(({ cabinClass }) => cabinClass)).join();
  const segments = held.flatMap((slice) => slice.segments);
  return isSameWay(offered, segments) && cabins(offered) === cabins(held);
}

function listLostServices(slices: readonly OrderedSlice[], services: readonly BookedService[]) {
  const gone = new Set(slices.flatMap(({ segments }) => segments.map(({ id }) => id)));
  return services
    .filter(({ segmentIds }) => segmentIds.some((id) => gone.has(id)))
    .map(({ id, kind, quantity, designator, totalAmount, totalCurrency }) => ({
      id,
      kind,
      quantity,
      designator,
      totalAmount,
      totalCurrency,
    }));
}
