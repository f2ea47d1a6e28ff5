import type { z } from "zod";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { BookedSlice } from "../../../ports/supplier/flights.ts";
import { type BookingResult, sayNext, toBookedSegment } from "../../bookings/index.ts";
import { isCovered, sayCancelled, sinceBooked } from "../../orders/index.ts";
import type { Stores } from "../context.ts";
import { askForTwice } from "./booked-twice.ts";

type Booked = z.output<typeof BookingResult>;

/**
 * Updates a booking's answer with its order's current state, so that a repetition contains nothing outdated. `flights`:
 * other flights of the travelers at the same time; undefined if the order's own have changed, or it is not recorded yet.
 */
export async function asOfNow(
  {
    stores,
    clock,
    caller,
  }: { stores: Pick<Stores, "orders">; clock: Clock; caller: Pick<Caller, "tenantId" | "environment"> },
  booked: Booked,
) {
  const { order, now } = await sinceBooked(stores, caller, booked.orderId, askForTwice(booked));
  if (order === undefined) return { booked: { ...booked, ...now }, flights: undefined };
  const { totalAmount, totalCurrency, ticketOrderHash = null } = order;
  const ticketing = order.ticketing ?? booked.ticketing;
  const isCancelled = now.status === "cancelled";
  const isPriced = totalAmount === booked.totalAmount && totalCurrency === booked.totalCurrency;
  const areFlown = serializeFlights(order.slices) === serializeFlights(booked.slices);
  // A change by the traveler ends it; the supplier's order then has none.
  const isChanged = now.since.some(({ kind, details }) => kind === "changed" && "changeId" in Object(details));
  const isOpen =
    !isCancelled &&
    !isChanged &&
    booked.voidWindowEndsAt !== null &&
    Temporal.Instant.compare(booked.voidWindowEndsAt, clock.now()) > 0;
  const voidWindowEndsAt = isOpen ? booked.voidWindowEndsAt : null;
  const current = {
    ...booked,
    ...now,
    totalAmount,
    totalCurrency,
    ticketing,
    ticketOrderHash,
    voidWindowEndsAt,
    taxAmount: isPriced ? booked.taxAmount : null,
    slices: areFlown ? booked.slices : order.slices.map(toSlice),
    refundableUntil: isCancelled ? null : booked.refundableUntil,
    changeableUntil: isCancelled ? null : booked.changeableUntil,
    next: isCancelled
      ? sayCancelled(now.refundedUsdc)
      : [
          ...(areFlown ? [] : [CHANGED]),
          sayNext(ticketing, voidWindowEndsAt, { isCovered: isCovered(booked, now) }),
        ].join(" "),
  };
  return { booked: current, flights: areFlown ? order.flights : undefined };
}

const CHANGED =
  "Its flights have changed since it was booked: slices and totalAmount are current; read_order says more.";

const serializeFlights = (slices: readonly Pick<BookedSlice, "segments">[]): string =>
  JSON.stringify(slices.map(({ segments }) => segments.map((segment) => Object.values(toBookedSegment(segment)))));

const toSlice = ({ segments, ...slice }: BookedSlice) => ({
  ...slice,
  segments: segments.map((segment) => ({ ...segment, id: null, stops: [], passengers: [] })),
});
