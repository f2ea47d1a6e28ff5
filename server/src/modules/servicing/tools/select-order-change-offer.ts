import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { sayFewerBags } from "../../../domain/travel/fewer-bags.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Booking } from "../../bookings/index.ts";
import type { OrderRecord } from "../../orders/index.ts";
import { listStaysNear, sayLaterTerms, sayUnfitStays } from "../after-change/after-change.ts";
import { ChangePrice, dueFor, pickPrice, StaysAffected } from "../change-order.ts";
import { defineTool, type Stores } from "../context.ts";
import { seeChange } from "../see-changes.ts";

const offerNotFound = "You have no such change offer. request_order_change gives the id.";

/** The tenant's own order that the offer would change. */
async function requireOwnOrder(
  { servicingQuotes, orders }: Pick<Stores, "servicingQuotes" | "orders">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  offerId: string,
) {
  const orderId = await servicingQuotes.findOrderOfChangeOffer(tenantId, environment, offerId);
  const order = orderId === undefined ? undefined : await orders.find(tenantId, environment, orderId);
  if (order === undefined) throw new Failure("change_offer_not_found", { detail: offerNotFound });
  return order;
}

const Booked = z.looseObject({ voidWindowEndsAt: z.string().nullable().default(null) });

/** An order that a traveler has changed can no longer be voided. */
function sayVoidWindow(
  booking: Pick<Booking, "result"> | undefined,
  { priceParts }: Pick<OrderRecord, "priceParts">,
  now: Temporal.Instant,
): { voidWindowEnds?: string } {
  const until = Booked.safeParse(booking?.result).data?.voidWindowEndsAt ?? null;
  // The first part is the booking, every further one a change.
  if (until === null || priceParts.length > 1 || Temporal.Instant.compare(until, now) <= 0) return {};
  return {
    voidWindowEnds: `Until ${until}, the airline may cancel the order free of charge. Once it is changed, it no longer does: its fare then decides.`,
  };
}

export const selectOrderChangeOffer = defineTool({
  name: "select_order_change_offer",
  title: "Select an order's change offer",
  summary: "Choose one of the offers for a change.",
  advice: "Nothing is paid or changed before confirm_order_change, whose payment must match the returned due.",
  area: "flights",
  effect: "write",
  onlyAsks: true,
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "stores", "clock"],
  input: z.strictObject({ offerId: z.string().describe("oco_… from request_order_change") }),
  output: SupplierResult.extend(ChangePrice.shape).extend({
    changeId: z.string(),
    orderId: z.string(),
    offerId: z.string(),
    due: z
      .object({ amount: DecimalAmount, currency: z.string() })
      .describe("Must match payment in confirm_order_change"),
    expiresAt: z.string().nullable(),
    fewerBags: z
      .string()
      .optional()
      .describe("Fewer checked bags than the flights that it replaces; omitted: no fewer"),
    laterTerms: z.string().optional().describe("Present if a later change costs more than now"),
    staysAffected: StaysAffected,
    voidWindowEnds: z.string().optional().describe("The free cancellation that the change ends, if there is one now"),
  }),
  errors: {
    ...supplierErrors,
    change_offer_not_found: offerNotFound,
    change_expired: "The offer is no longer available. Call request_order_change again.",
    order_not_changeable: "The supplier does not allow this change. The order stays as it was.",
    price_changed: "The price has changed. Call request_order_change again.",
    already_confirmed: "This change has already been made.",
  },
  example: (_today, { changeOfferId }) => ({ offerId: changeOfferId }),
  gives: ({ changeId, due }) => ({ changeId, changeAmount: due.amount }),

  plan: () => EMPTY_PLAN,

  probe: ({ offerId }, { stores, caller }) => requireOwnOrder(stores, caller, offerId),

  async run({ offerId }, { flights, flightServicing, stores, clock, caller }) {
    const order = await requireOwnOrder(stores, caller, offerId);
    const { orderId } = order;
    const change = await flightServicing.selectChangeOffer(offerId);
    const fewerBags = change.slices === null ? null : sayFewerBags(change.slices.remove, change.slices.add);
    const booking = await stores.bookings.get(order.bookingId);
    const replaced = change.slices === null ? undefined : { removed: change.slices.remove, added: change.slices.add };
    const stays = await listStaysNear(stores, caller, booking, replaced === undefined ? [] : [replaced]);
    await seeChange(stores.seenOffers, caller, offerId, change, order);
    return {
      changeId: change.id,
      orderId,
      offerId,
      ...pickPrice(change),
      due: { amount: dueFor(change), currency: change.changeTotalCurrency },
      expiresAt: change.expiresAt,
      ...(fewerBags === null ? {} : { fewerBags }),
      ...(replaced === undefined
        ? {}
        : { ...sayLaterTerms(replaced.removed, replaced.added), ...sayUnfitStays(stays, replaced) }),
      ...sayVoidWindow(booking, order, clock.now()),
      ...flights.provenance(),
      sandbox: flights.sandbox,
    };
  },
});
