import type { Hex } from "../../../domain/tokens.ts";
import { orderKey } from "../../../kernel/contracts/trip-note.ts";
import type { BoughtOrder } from "../../orders/index.ts";
import type { NewTripEntry } from "../../trip-record/index.ts";
import type { Trip } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";
import type { StepMemories } from "../steps/step.ts";

type TripOwner = Pick<Trip, "tenantId" | "environment" | "tripId">;

const NOTHING: StepMemories = { entries: [], writes: [] };

/**
 * Returns what the record of a trip says about the order that its booking in escrow pays for: the call that booked it, what the
 * call was shown, its approval, and the order's history. A run has added some of it already.
 */
export async function rememberOrder(
  aggregates: Aggregates,
  { tenantId, environment, tripId }: TripOwner,
  itineraryHash: Hex,
): Promise<StepMemories> {
  const { orders } = aggregates;
  const order = await orders.findBoughtByItinerary(tenantId, environment, itineraryHash);
  if (order === undefined) return NOTHING;
  const { orderId, kind, pnr, totalAmount, totalCurrency, createdAt } = order;
  const { userId, callId } = order.booking;
  const booked = {
    kind: "order",
    key: orderKey(orderId),
    userId,
    at: createdAt,
    text: `A ${kind} was booked for ${totalAmount} ${totalCurrency}.`,
    details: { orderId, pnr: pnr ?? null, totalAmount, totalCurrency, callId },
  } as const;
  return {
    entries: [...(await listEntriesOfCall(aggregates, { tenantId, environment }, order)), booked],
    writes: [orders.prepareTelling({ tenantId, environment, tripId }, order)],
  };
}

async function listEntriesOfCall(
  { seenOffers, approvals }: Aggregates,
  owner: Pick<TripOwner, "tenantId" | "environment">,
  { createdAt, booking: { userId, offerId, callId } }: BoughtOrder,
): Promise<readonly NewTripEntry[]> {
  const entries: NewTripEntry[] = [];
  const offer = await seenOffers.find(owner, offerId);
  if (offer !== undefined) {
    const text = `The booked offer had been shown at ${offer.totalAmount} ${offer.totalCurrency}.`;
    const shown = { kind: "offer", key: `offer:${offerId}`, text, details: { offerId, offer } } as const;
    entries.push({ ...shown, userId, at: createdAt });
  }
  for (const { id, tool, decidedBy, decidedAt = createdAt } of await approvals.usedBy(owner, callId)) {
    const details = { approvalId: id, tool };
    const approved = { kind: "approval", key: `approval:${id}`, text: `${tool} was approved.`, details } as const;
    entries.push({ ...approved, userId: decidedBy, at: decidedAt });
  }
  return entries;
}
