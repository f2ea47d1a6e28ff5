import { z } from "zod";
import type {
  AirlineCreditDetails,
  CancellationQuote,
  ChangeOffer,
  OrderChange,
  OrderDetails,
} from "../../../ports/supplier/flight-servicing.ts";
import { toConditions, WireConditions } from "../flights/map-conditions.ts";
import { toOwner, WireOwner } from "../flights/map-offers.ts";
import { toCredit, toOrder, WireCredit, WireOrder } from "../flights/map-orders.ts";
import { toFlights, WireSlice, WireSoldSlice } from "../flights/map-slices.ts";
import { Amount, Currency, described, describedList, Instant, SignedAmount, Text } from "../wire.ts";

/** Full orders, their cancellations and changes, and credits. */

export const WireOrderDetails = WireOrder.extend({
  owner: WireOwner,
  conditions: WireConditions,
  airline_initiated_changes: describedList(
    z.object({
      id: Text,
      created_at: described(z.string()),
      detected_at: described(z.string()),
      action_taken: described(z.string()),
      removed: describedList(WireSlice),
      added: describedList(WireSlice),
    }),
  ),
  available_actions: describedList(z.string()),
});

export function toOrderDetails(order: z.infer<typeof WireOrderDetails>): OrderDetails {
  const { id, pnr, bookingId, totalAmount, totalCurrency, paid, ticketed, cancelled, ...rest } = toOrder(order, null);
  const { slices, passengers, services, voidWindowEndsAt } = rest;
  const cancelledAt = order.cancelled_at ?? order.cancellation?.confirmed_at ?? null;
  return {
    id,
    pnr,
    bookingId,
    owner: toOwner(order.owner),
    totalAmount,
    totalCurrency,
    paid,
    cancelledAt: cancelled ? cancelledAt : null,
    ticketed,
    documents: order.documents.map((document) => ({
      type: document.type ?? "",
      number: document.unique_identifier ?? "",
      passengerIds: document.passenger_ids,
    })),
    slices,
    passengers,
    services,
    voidWindowEndsAt,
    conditions: toConditions(order.conditions),
    airlineChanges: order.airline_initiated_changes
      .filter((change) => change.action_taken === null)
      .map((change) => ({
        id: change.id,
        detectedAt: change.detected_at ?? change.created_at,
        actionTaken: null,
        removed: toFlights(change.removed),
        added: toFlights(change.added),
      })),
    availableActions: order.available_actions,
  };
}

// Strict fields: the order, the refund, and whether it is confirmed.
export const WireCancellation = z.object({
  id: Text,
  order_id: Text,
  refund_amount: Amount.nullish(),
  refund_currency: Currency.nullish(),
  refund_to: described(z.string()),
  airline_credits: describedList(
    z.object({
      id: described(z.string()),
      airline_iata_code: described(z.string()),
      credit_amount: described(Amount),
      credit_currency: described(Currency),
      credit_code: described(z.string()),
      passenger_id: described(z.string()),
    }),
  ),
  expires_at: described(Instant),
  confirmed_at: Instant.nullish(),
});

export function toCancellation(cancellation: z.infer<typeof WireCancellation>): CancellationQuote {
  return {
    id: cancellation.id,
    orderId: cancellation.order_id,
    refundAmount: cancellation.refund_amount ?? null,
    refundCurrency: cancellation.refund_currency ?? null,
    refundTo: cancellation.refund_to,
    credits: cancellation.airline_credits.map((credit) => ({
      id: credit.id,
      airlineIataCode: credit.airline_iata_code,
      amount: credit.credit_amount,
      currency: credit.credit_currency,
      code: credit.credit_code,
      passengerId: credit.passenger_id,
    })),
    expiresAt: cancellation.expires_at,
    confirmedAt: cancellation.confirmed_at ?? null,
  };
}

/** Common fields of change offers and changes. `new_total_amount` is not the order's new price, and usually zero. */
const WireTerms = z.object({
  id: Text,
  change_total_amount: SignedAmount,
  change_total_currency: Currency,
  penalty_total_amount: described(Amount),
  penalty_total_currency: described(Currency),
  // The name of the penalty in the supplier's own libraries.
  penalty_amount: described(Amount),
  penalty_currency: described(Currency),
  refund_to: described(z.string()),
  expires_at: described(Instant),
});

export const WireChangeOffer = WireTerms.extend({
  order_id: described(z.string()),
  slices: z.object({ add: z.array(WireSoldSlice).nullish(), remove: describedList(WireSlice) }),
});

export const WireChange = WireTerms.extend({
  order_id: Text,
  confirmed_at: Instant.nullish(),
  // All or none: an order is never described without some of its flights.
  slices: described(z.object({ add: z.array(WireSlice), remove: z.array(WireSlice) })),
});

export const WireChangeRequest = z.object({ id: Text, order_id: Text, order_change_offers: z.array(z.unknown()) });

function toTerms(terms: z.infer<typeof WireTerms>) {
  return {
    id: terms.id,
    changeTotalAmount: terms.change_total_amount,
    changeTotalCurrency: terms.change_total_currency,
    penaltyAmount: terms.penalty_total_amount ?? terms.penalty_amount,
    penaltyCurrency: terms.penalty_total_currency ?? terms.penalty_currency,
    refundTo: terms.refund_to,
    expiresAt: terms.expires_at,
  };
}

export function toChangeOffer(offer: z.infer<typeof WireChangeOffer>): ChangeOffer {
  const { add, remove } = offer.slices;
  return { ...toTerms(offer), slices: { add: add ?? [], remove } };
}

export function toChange(change: z.infer<typeof WireChange>): OrderChange {
  const { order_id: orderId, confirmed_at: confirmedAt, slices } = change;
  return { ...toTerms(change), orderId, confirmedAt: confirmedAt ?? null, slices };
}

export const WireCreditDetails = WireCredit.extend({
  credit_name: z.string().nullish(),
  credit_code: z.string().nullish(),
  code: z.string().nullish(),
  order_id: z.string().nullish(),
  issued_on: z.string().nullish(),
  created_at: z.string().nullish(),
});

/** Undefined for a credit without an amount. */
export function toCreditDetails(
  credit: z.infer<typeof WireCreditDetails>,
  now: Temporal.Instant,
): AirlineCreditDetails | undefined {
  const core = toCredit(credit, now);
  if (core === undefined) return undefined;
  return {
    ...core,
    code: credit.credit_code ?? credit.code ?? null,
    name: credit.credit_name ?? null,
    orderId: credit.order_id ?? null,
    issuedOn: credit.issued_on ?? null,
    expiresAt: credit.expires_at ?? null,
    spentAt: credit.spent_at ?? null,
    invalidatedAt: credit.invalidated_at ?? null,
  };
}
