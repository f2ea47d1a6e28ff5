import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { sayVoidWindow } from "../../../domain/travel/first-departure.ts";
import {
  Conditions,
  FlownSegment,
  NamedPassengers,
  SupplierResult,
  VoidWindow,
} from "../../../domain/travel/offer-schema.ts";
import type { BookedSegment, Flights, SupplierOrder } from "../../../ports/supplier/flights.ts";
import { BookingRate, inUsdc } from "../booking-rate.ts";
import type { Booking } from "./bookings.ts";
import { hashItinerary, hashTicketOrder, pickNames } from "./order-hashes.ts";

const FlownBookedSegment = z.object({
  // Missing in answers of earlier releases.
  id: z.string().nullable().default(null).describe("Referenced by segmentIds of services"),
  flightNumber: z.string(),
  origin: z.string(),
  destination: z.string(),
  departingAt: z.string().describe("Airport local time, without offset"),
  arrivingAt: z.string(),
  ...FlownSegment,
});

/** Bags and seats of an order. */
const BookedServices = z
  .array(
    z.object({
      id: z.string(),
      kind: z.enum(["bag", "seat", "other"]),
      quantity: z.number(),
      passengerIds: z.array(z.string()).readonly(),
      segmentIds: z.array(z.string()).readonly(),
      designator: wordsOfOthers().nullable(),
      maximumWeightKilograms: z.number().nullable().default(null).describe("Per piece"),
      totalAmount: DecimalAmount,
      totalCurrency: z.string(),
    }),
  )
  .readonly();

/** Hashes of an order for the escrow; missing in orders of earlier releases. */
export const OrderHashes = z.object({
  itineraryHash: z.string().nullable().default(null).describe("For commit_booking or confirm_booking"),
  ticketOrderHash: z.string().nullable().default(null).describe("For confirm_flight; null: not ticketed yet"),
});

/** The payee of an order in a trip's budget; missing in answers of earlier releases. */
export const VendorAddress = z
  .string()
  .nullable()
  .default(null)
  .describe(
    "For commit_booking or confirm_booking: this service's address. What settle_booking pays there returns to the wallet if the wallet has paid the order",
  );

/** In a run: the amount paid by its reservation in escrow in place of the wallet. */
export const CoveredUsdc = DecimalAmount.default("0.00").describe("Paid from the trip's reservation in escrow");

/** The price of a booking, by payer. */
export function sayWhoPays({ escrowBookingId }: Booking, amount: Micro) {
  const [chargedMicro, coveredMicro] = escrowBookingId === undefined ? [amount, 0n] : [0n, amount];
  return { chargedUsdc: formatDecimal(chargedMicro), coveredUsdc: formatDecimal(coveredMicro) };
}

/** The transaction of the charge; missing in answers of earlier releases. */
export const ChargeTransferId = z
  .string()
  .nullable()
  .default(null)
  .describe("transferId of the charge, for read_transaction; null: nothing was charged");

/** Read when the answer is given: the stored result was made before the charge was sent. */
export const ChargeTxHash = z
  .string()
  .nullable()
  .default(null)
  .describe(
    "Transaction of the charge; null: none, or not in a block yet (call read_transaction with chargeTransferId)",
  );

/** The next action for a model, in a sentence. */
export const NextStep = z.string().default("");

export const BookingResult = SupplierResult.extend({
  bookingId: z.string(),
  pnr: wordsOfOthers(),
  orderId: z.string(),
  offerId: z.string(),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  taxAmount: DecimalAmount.nullable().default(null).describe("Part of totalAmount; null: the supplier does not say"),
  ticketing: z.enum(["pending", "ticketed"]),
  chargedUsdc: DecimalAmount.describe("Taken from the treasury wallet"),
  coveredUsdc: CoveredUsdc,
  chargeTransferId: ChargeTransferId,
  chargeTxHash: ChargeTxHash,
  rate: BookingRate,
  travelers: z
    .array(z.object({ givenName: wordsOfOthers(), familyName: wordsOfOthers(), userId: z.string().optional() }))
    .readonly()
    .default([])
    .describe("The travelers"),
  callerTravels: z
    .boolean()
    .default(true)
    .describe("false: the named travelers fill the offer's passengers, so the caller was left out"),
  creditApplied: z
    .object({ airlineCreditId: z.string(), amount: DecimalAmount, currency: z.string() })
    .nullable()
    .describe("The part paid by the airline credit"),
  services: BookedServices.default([]).describe("Part of totalAmount"),
  slices: z
    .array(
      z.object({
        id: z.string().describe("For slice_id of request_order_change"),
        origin: z.string(),
        destination: z.string(),
        departingAt: z.string().nullable().describe("Airport local time, without offset"),
        segments: z.array(FlownBookedSegment).readonly().default([]),
      }),
    )
    .readonly()
    .default([]),
  passengers: NamedPassengers,
  voidWindowEndsAt: VoidWindow.default(null),
  conditions: Conditions.nullable().default(null),
  refundableUntil: z
    .string()
    .nullable()
    .default(null)
    .describe("The first departure, in airport local time with offset; null: not refundable, or not known"),
  changeableUntil: z.string().nullable().default(null),
  ...OrderHashes.shape,
  vendorAddress: VendorAddress,
  next: NextStep,
});
export type BookingResult = z.infer<typeof BookingResult>;

/**
 * The amount that the balance pays: the order's price less the credit applied by the supplier; at most the hold. An
 * order in another currency costs the hold, as that amount was sent.
 */
export function balancePays(booking: Booking, order: SupplierOrder): Micro {
  const { totalAmount, totalCurrency, creditAppliedAmount } = order;
  const total = totalCurrency === booking.totalCurrency ? parseDecimal(totalAmount) : undefined;
  if (total === undefined) return booking.amountMicroUsdc;
  const credit = creditAppliedAmount === null ? 0n : (parseDecimal(creditAppliedAmount) ?? 0n);
  const open = formatDecimal(total > credit ? total - credit : 0n);
  const rest = inUsdc(open, totalCurrency, booking.rate) ?? booking.amountMicroUsdc;
  return rest < booking.amountMicroUsdc ? rest : booking.amountMicroUsdc;
}

const TICKETED =
  "Nothing is left to do for this order. To charge it to a trip's budget, pass itineraryHash and vendorAddress to commit_booking and ticketOrderHash to confirm_flight: settle_booking then returns to the wallet what it has paid.";
const TICKETS_PENDING =
  "The order is paid. The airline issues the tickets within minutes; read_order then has ticketOrderHash. To charge it to a trip's budget, pass itineraryHash and vendorAddress to commit_booking now: settle_booking returns to the wallet what it has paid.";

/** For a booking that a reservation in escrow pays for. */
export const COVERED = "The trip's reservation in escrow pays for it, not the wallet.";
const COVERED_PENDING = "The airline issues the tickets within minutes; read_order then has ticketOrderHash.";

export function sayNext(
  ticketing: "pending" | "ticketed",
  voidWindowEndsAt: string | null,
  { isCovered }: { isCovered: boolean },
): string {
  const isTicketed = ticketing === "ticketed";
  const next = isTicketed ? TICKETED : TICKETS_PENDING;
  const covered = isTicketed ? `Nothing is left to do for this order. ${COVERED}` : `${COVERED_PENDING} ${COVERED}`;
  return [isCovered ? covered : next, ...sayVoidWindow(voidWindowEndsAt)].join(" ");
}

function computeHashes(
  { itinerarySalt: salt, travelers: booked }: Booking,
  { id: orderId, slices, totalAmount, totalCurrency, ticketed, tickets }: SupplierOrder,
): { itineraryHash: string; ticketOrderHash: string | null } {
  const segments = slices.flatMap((slice) => slice.segments.map(toBookedSegment));
  const travelers = pickNames(booked);
  const bought = { orderId, travelers, segments, amount: totalAmount, currency: totalCurrency };
  return {
    itineraryHash: hashItinerary(bought, salt),
    ticketOrderHash: ticketed ? hashTicketOrder({ orderId, proofs: tickets }, salt) : null,
  };
}

export function toBookedSegment(segment: BookedSegment): BookedSegment {
  const { flightNumber, origin, destination, departingAt, arrivingAt } = segment;
  return { flightNumber, origin, destination, departingAt, arrivingAt };
}

export function toResult(
  flights: Flights,
  booking: Booking,
  order: SupplierOrder,
): Omit<BookingResult, "chargeTransferId" | "chargeTxHash" | "vendorAddress"> & { itineraryHash: string } {
  const { airlineCreditId } = booking;
  const { creditAppliedAmount, conditions } = order;
  const departingAt = order.slices[0]?.segments[0]?.departingAt || null;
  return {
    bookingId: booking.id,
    pnr: order.pnr,
    orderId: order.id,
    offerId: booking.offerId,
    totalAmount: order.totalAmount,
    totalCurrency: order.totalCurrency,
    taxAmount: order.taxAmount ?? null,
    ticketing: order.ticketed ? "ticketed" : "pending",
    ...sayWhoPays(booking, balancePays(booking, order)),
    rate: booking.rate,
    travelers: booking.travelers.map(({ givenName, familyName, userId }) => ({
      givenName,
      familyName,
      ...(userId === undefined ? {} : { userId }),
    })),
    callerTravels: booking.travelers.some(({ isCaller }) => isCaller),
    creditApplied:
      airlineCreditId === undefined || creditAppliedAmount === null
        ? null
        : { airlineCreditId, amount: creditAppliedAmount, currency: order.totalCurrency },
    services: order.services,
    slices: order.slices.map(({ id, origin, destination, segments }) => ({
      id,
      origin,
      destination,
      departingAt: segments[0]?.departingAt || null,
      segments: segments.map((segment) => ({
        id: segment.id,
        ...toBookedSegment(segment),
        stops: segment.stops,
        passengers: segment.passengers,
      })),
    })),
    passengers: order.passengers,
    voidWindowEndsAt: order.voidWindowEndsAt,
    conditions,
    refundableUntil: conditions.refundBeforeDeparture?.allowed ? departingAt : null,
    changeableUntil: conditions.changeBeforeDeparture?.allowed ? departingAt : null,
    ...computeHashes(booking, order),
    next: sayNext(order.ticketed ? "ticketed" : "pending", order.voidWindowEndsAt, {
      isCovered: booking.escrowBookingId !== undefined,
    }),
    ...flights.provenance(),
    sandbox: flights.sandbox,
  };
}
