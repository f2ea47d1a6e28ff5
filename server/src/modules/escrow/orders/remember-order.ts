import type { Hex } from "../../../domain/tokens.ts";
import { orderKey } from "../../../kernel/contracts/trip-note.ts";
import type { BoughtOrder } from "../../orders/index.ts";
import type { Trip } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";

type TripOwner = Pick<Trip, "tenantId" | "environment" | "tripId">;

/**
 * Adds an order to the trip whose booking in escrow pays for it: the call that booked it, what the call was shown, its
 * approval, and the order's history. A run has added some of it already.
 */
export async function rememberOrder(aggregates: Aggregates, trip: TripOwner, itineraryHash: Hex): Promise<void> {
  const { tripRecords, orders } = aggregates;
  const { tenantId, environment, tripId } = trip;
  const order = await orders.findBoughtByItinerary(tenantId, environment, itineraryHash);
  if (order === undefined) return;
  const { orderId, kind, pnr, totalAmount, totalCurrency, createdAt } = order;
  const { userId, callId } = order.booking;
  await rememberCall(aggregates, trip, order);
  await tripRecords.append(
    { tenantId, environment, tripId },
    {
      kind: "order",
      key: orderKey(orderId),
      userId,
      at: createdAt,
      text: `A ${kind} was booked for ${totalAmount} ${totalCurrency}.`,
      details: { orderId, pnr: pnr ?? null, totalAmount, totalCurrency, callId },
    },
  );
  await orders.tellTrips(environment, orderId);
}

async function rememberCall(
  { tripRecords, seenOffers, approvals }: Aggregates,
  { tenantId, environment, tripId }: TripOwner,
  { createdAt, booking: { userId, offerId, callId } }: BoughtOrder,
): Promise<void> {
  const trip = { tenantId, environment, tripId };
  const offer = await seenOffers.find({ tenantId, environment }, offerId);
  if (offer !== undefined) {
    const text = `What was booked had been shown at ${offer.totalAmount} ${offer.totalCurrency}.`;
    const shown = { kind: "offer", key: `offer:${offerId}`, text, details: { offerId, offer } } as const;
    await tripRecords.append(trip, { ...shown, userId, at: createdAt });
  }
  for (const { id, tool, decidedBy, decidedAt = createdAt } of await approvals.usedBy(
    { tenantId, environment },
    callId,
  )) {
    const details = { approvalId: id, tool };
    const approved = { kind: "approval", key: `approval:${id}`, text: `${tool} was approved.`, details } as const;
    await tripRecords.append(trip, { ...approved, userId: decidedBy, at: decidedAt });
  }
}
