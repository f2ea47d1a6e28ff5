import { z } from "zod";
import type {
  AirlineCreditDetails,
  CancellationQuote,
  ChangeOffer,
  OrderChange,
  OrderDetails,
} from "../../ports/flight-servicing.ts";
import { toCondition, toSlice, WireConditions, WireOwner, WireSlice } from "./map-offers.ts";
import { toCredit, toOrder, WireCredit, WireOrder } from "./map-orders.ts";
import { amountDue } from "./map-stays.ts";
import { Amount, Currency, Instant, SignedAmount, Text } from "./wire.ts";

/** Orders in full, their cancellations and changes, and credits. */

export const WireOrderDetails = WireOrder.extend({
  owner: WireOwner,
  conditions: WireConditions,
  slices: z.array(WireSlice),
  documents: z
    .array(
      z.object({
        type: z.string().nullish().catch(null),
        unique_identifier: z.string().nullish().catch(null),
        passenger_ids: z.array(Text).nullish().catch(null),
      }),
    )
    .nullish(),
  airline_initiated_changes: z
    .array(
      z.object({
        id: Text,
        created_at: z.string().nullish(),
        detected_at: z.string().nullish(),
        action_taken: z.string().nullish(),
      }),
    )
    .nullish(),
  available_actions: z.array(z.string()).nullish(),
});

export function toOrderDetails(order: z.infer<typeof WireOrderDetails>): OrderDetails {
  const { id, pnr, bookingId, totalAmount, totalCurrency, paid, ticketed, cancelled } = toOrder(order, null);
  const cancelledAt = order.cancelled_at ?? order.cancellation?.confirmed_at ?? null;
  return {
    id,
    pnr,
    bookingId,
    owner: { iataCode: order.owner.iata_code ?? "", name: order.owner.name },
    totalAmount,
    totalCurrency,
    paid,
    cancelledAt: cancelled ? cancelledAt : null,
    ticketed,
    documents: (order.documents ?? []).map((document) => ({
      type: document.type ?? "",
      number: document.unique_identifier ?? "",
      passengerIds: document.passenger_ids ?? [],
    })),
    slices: order.slices.map(toSlice),
    conditions: {
      refundBeforeDeparture: toCondition(order.conditions?.refund_before_departure),
      changeBeforeDeparture: toCondition(order.conditions?.change_before_departure),
    },
    airlineChanges: (order.airline_initiated_changes ?? [])
      .filter((change) => typeof change.action_taken !== "string")
      .map((change) => ({
        id: change.id,
        detectedAt: change.detected_at ?? change.created_at ?? null,
        actionTaken: null,
      })),
    availableActions: order.available_actions ?? [],
  };
}

export const WireCancellation = z.object({
  id: Text,
  order_id: Text,
  refund_amount: Amount.nullish(),
  refund_currency: Currency.nullish(),
  refund_to: Text,
  airline_credits: z
    .array(
      z.object({
        id: Text,
        airline_iata_code: z.string().nullish(),
        credit_amount: Amount,
        credit_currency: Currency,
        credit_code: z.string().nullish(),
        passenger_id: z.string().nullish(),
      }),
    )
    .nullish(),
  expires_at: Instant.nullish(),
  confirmed_at: Instant.nullish(),
});

export function toCancellation(cancellation: z.infer<typeof WireCancellation>): CancellationQuote {
  return {
    id: cancellation.id,
    orderId: cancellation.order_id,
    refundAmount: cancellation.refund_amount ?? null,
    refundCurrency: cancellation.refund_currency ?? null,
    refundTo: cancellation.refund_to,
    credits: (cancellation.airline_credits ?? []).map((credit) => ({
      id: credit.id,
      airlineIataCode: credit.airline_iata_code ?? null,
      amount: credit.credit_amount,
      currency: credit.credit_currency,
      code: credit.credit_code ?? null,
      passengerId: credit.passenger_id ?? null,
    })),
    expiresAt: cancellation.expires_at ?? null,
    confirmedAt: cancellation.confirmed_at ?? null,
  };
}

/** What change offers and changes say alike. */
const WireTerms = z.object({
  id: Text,
  change_total_amount: SignedAmount,
  change_total_currency: Currency,
  new_total_amount: Amount.nullish(),
  new_total_currency: Currency.nullish(),
  penalty_total_amount: Amount.nullish(),
  penalty_total_currency: Currency.nullish(),
  // The supplier's own libraries know the penalty by this name.
  penalty_amount: Amount.nullish(),
  penalty_currency: Currency.nullish(),
  refund_to: z.string().nullish(),
  expires_at: Instant.nullish(),
});

export const WireChangeOffer = WireTerms.extend({
  order_id: z.string().nullish(),
  slices: z.object({ add: z.array(WireSlice).nullish(), remove: z.array(WireSlice).nullish() }),
});

export const WireChange = WireTerms.extend({ order_id: Text, confirmed_at: Instant.nullish() });

export const WireChangeRequest = z.object({ id: Text, order_id: Text, order_change_offers: z.array(z.unknown()) });

function toTerms(terms: z.infer<typeof WireTerms>) {
  // The supplier writes zero where it does not know the new total.
  const newTotalAmount = amountDue(terms.new_total_amount);
  return {
    id: terms.id,
    changeTotalAmount: terms.change_total_amount,
    changeTotalCurrency: terms.change_total_currency,
    newTotalAmount,
    newTotalCurrency: newTotalAmount === null ? null : (terms.new_total_currency ?? null),
    penaltyAmount: terms.penalty_total_amount ?? terms.penalty_amount ?? null,
    penaltyCurrency: terms.penalty_total_currency ?? terms.penalty_currency ?? null,
    refundTo: terms.refund_to ?? null,
    expiresAt: terms.expires_at ?? null,
  };
}

export function toChangeOffer(offer: z.infer<typeof WireChangeOffer>): ChangeOffer {
  const { add, remove } = offer.slices;
  return {
    ...toTerms(offer),
    slices: { add: (add ?? []).map(toSlice), remove: (remove ?? []).map(toSlice) },
  };
}

export function toChange(change: z.infer<typeof WireChange>): OrderChange {
  return { ...toTerms(change), orderId: change.order_id, confirmedAt: change.confirmed_at ?? null };
}

export const WireCreditDetails = WireCredit.extend({
  credit_name: z.string().nullish(),
  credit_code: z.string().nullish(),
  code: z.string().nullish(),
  order_id: z.string().nullish(),
  issued_on: z.string().nullish(),
  created_at: z.string().nullish(),
});

/** Undefined for one without an amount. */
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
