import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type { Caller, CallInfo } from "../../../kernel/contracts/tool.ts";
import type { Maps } from "../../../ports/maps.ts";
import type { OrderDetails } from "../../../ports/supplier/flight-servicing.ts";
import type { BookedTraveler } from "../../bookings/index.ts";
import type { OrderRecord } from "../../orders/index.ts";
import type { Ports } from "../context.ts";
import { partly } from "./replan-parts.ts";

type OrderedSlice = OrderDetails["slices"][number];
type OrderedSegment = OrderedSlice["segments"][number];

/** The caller's order that the disrupted leg is of. */
export interface OwnOrder {
  record: OrderRecord;
  details: OrderDetails;
  slice: OrderedSlice;
  /** Of the slice: the flight that the leg begins with. */
  segment: OrderedSegment;
  /** Where the slice begins; undefined: with the leg. */
  comesFrom: string | undefined;
  /** Where the slice ends; undefined: with the leg. */
  goesOnTo: string | undefined;
  /** The first flight of the slice has left. */
  hasBegun: boolean;
  /** Whose order it is. */
  userId: string;
  travelers: readonly BookedTraveler[];
  /** By traveler; undefined: the profile does not say, or is gone. */
  bornOn: readonly (string | undefined)[];
  /** What giving all of it back before its departure returns. Undefined: it is not known, it is no money, or the journey has begun. */
  returnedAmount: string | undefined;
}

type OrderPorts = Pick<Ports, "flightServicing" | "stores" | "travelers" | "maps" | "clock">;

export interface OwnOrderSearch {
  own: OwnOrder | undefined;
  orderId: string | null;
  /** Null: there is one. */
  reason: string | null;
}

interface Leg {
  origin: string;
  destination: string;
  departsLocal: Temporal.PlainDateTime;
}

/** The tenant's own order of this booking reference, and what of it the leg is. */
export async function findOwnOrder(
  pnr: string | undefined,
  leg: Leg,
  { flightServicing, stores, travelers: profiles, maps, clock }: OrderPorts,
  { caller, call }: { caller: Caller; call: CallInfo },
): Promise<OwnOrderSearch> {
  const none = (reason: string, orderId: string | null = null) => ({ own: undefined, orderId, reason });
  if (pnr === undefined || pnr === "") return none("Without a pnr no order is looked for.");
  const record = await stores.orders.findByPnr(caller.tenantId, caller.environment, pnr.toUpperCase());
  if (record === undefined)
    return none("You have no order with this pnr: the airline or agent that booked it can change it.");
  const { orderId } = record;
  if (record.status === "cancelled") return none("The order is cancelled.", orderId);
  const [details, booking] = await Promise.all([
    flightServicing.getOrderDetails(orderId, { signal: call.signal }),
    stores.bookings.get(record.bookingId),
  ]);
  const found = details.slices
    .flatMap((slice) => partOf(slice, leg, maps) ?? [])
    .toSorted((left, right) => minutesFrom(leg, left) - minutesFrom(leg, right))[0];
  if (found === undefined) return none(`The order flies ${waysOf(details.slices)}, not this leg.`, orderId);
  const hasBegun = isPast(found.slice.segments[0], maps, clock.now());
  const { userId = caller.userId, travelers = [] } = booking ?? {};
  const [bornOn, returnedAmount] = await Promise.all([
    Promise.all(travelers.map(async (one) => await birthOf(one, profiles, caller))),
    hasBegun ? undefined : returnedNow(details, flightServicing),
  ]);
  const own = { record, details, ...found, hasBegun, userId, travelers, bornOn, returnedAmount };
  return { own, orderId, reason: null };
}

async function birthOf(
  { userId }: BookedTraveler,
  profiles: Ports["travelers"],
  { tenantId, environment }: Caller,
): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  return (await profiles.get(tenantId, userId, environment))?.bornOn;
}

/** An order may name the cities of a leg, a caller its airports, or the other way round: those of one city are one. */
function partOf(slice: OrderedSlice, { origin, destination }: Leg, maps: Pick<Maps, "metroCode">) {
  const isOne = (code: string, wanted: string) => maps.metroCode(code) === maps.metroCode(wanted);
  const { segments } = slice;
  const first = segments.findIndex((segment) => isOne(segment.origin, origin));
  const last = segments.findIndex((segment, index) => index >= first && isOne(segment.destination, destination));
  const segment = segments[first];
  if (segment === undefined || last < 0) return undefined;
  return {
    slice,
    segment,
    comesFrom: first === 0 ? undefined : segments[0]?.origin,
    goesOnTo: last === segments.length - 1 ? undefined : segments.at(-1)?.destination,
  };
}

function minutesFrom({ departsLocal }: Leg, { segment }: Pick<OwnOrder, "segment">): number {
  if (segment.departingAt === "") return Number.POSITIVE_INFINITY;
  return Math.abs(departsLocal.until(segment.departingAt, { largestUnit: "minutes" }).minutes);
}

/** By the clock of the airport that it leaves. */
export function departureOf(
  { origin, departingAt }: Pick<OrderedSegment, "origin" | "departingAt">,
  maps: Pick<Maps, "airport">,
): Temporal.Instant | undefined {
  const timeZone = maps.airport(origin)?.timeZone;
  if (timeZone === undefined || departingAt === "") return undefined;
  return Temporal.PlainDateTime.from(departingAt).toZonedDateTime(timeZone).toInstant();
}

function isPast(segment: OrderedSegment | undefined, maps: Pick<Maps, "airport">, now: Temporal.Instant): boolean {
  const departs = segment && departureOf(segment, maps);
  return departs !== undefined && Temporal.Instant.compare(departs, now) <= 0;
}

const waysOf = (slices: readonly Pick<OrderedSlice, "origin" | "destination">[]): string =>
  slices.map(({ origin, destination }) => `${origin} to ${destination}`).join(", ");

/** By the fare, until the airline changes the flights: what it then gives back only its quote says. */
async function returnedNow(
  details: OrderDetails,
  flightServicing: Ports["flightServicing"],
): Promise<string | undefined> {
  if (details.airlineChanges.length === 0) return returnedByFare(details);
  const quote = await partly(
    () => flightServicing.quoteCancellation(details.id),
    () => undefined,
  );
  if (quote === undefined || quote.credits.length > 0 || quote.refundCurrency !== details.totalCurrency)
    return undefined;
  const refund = parseDecimal(quote.refundAmount ?? "");
  return refund === undefined ? undefined : formatDecimal(refund);
}

/** Undefined: the airline does not say. */
function returnedByFare({ totalAmount, totalCurrency, conditions }: OrderDetails): string | undefined {
  const refund = conditions.refundBeforeDeparture;
  if (refund === null) return undefined;
  if (!refund.allowed) return "0.00";
  const [total, penalty] = [parseDecimal(totalAmount), parseDecimal(refund.penaltyAmount ?? "")];
  const isOneCurrency = refund.penaltyCurrency === null || refund.penaltyCurrency === totalCurrency;
  if (total === undefined || penalty === undefined || !isOneCurrency) return undefined;
  return formatDecimal(total > penalty ? total - penalty : 0n);
}

/** The airline gives back something of it. */
export const isRefundable = (own: OwnOrder | undefined): boolean =>
  own?.details.conditions.refundBeforeDeparture?.allowed === true;

/** What book_flight needs beside the offer, so that the same people travel; the caller travels without being named. */
export function namedTravelers(
  { travelers }: Pick<OwnOrder, "travelers">,
  { travelerId }: Pick<Caller, "travelerId">,
): { additionalCustomerUserIds?: string[] } {
  const others = travelers.filter(({ userId }) => userId !== travelerId);
  const ids = others.flatMap(({ customerUserId }) => customerUserId ?? []);
  return ids.length === 0 || ids.length < others.length ? {} : { additionalCustomerUserIds: ids };
}
