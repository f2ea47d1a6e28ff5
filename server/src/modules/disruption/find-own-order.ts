import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { Caller, CallInfo } from "../../kernel/contracts/tool.ts";
import type { Maps } from "../../ports/maps.ts";
import type { OrderDetails } from "../../ports/supplier/flight-servicing.ts";
import type { BookedTraveler } from "../bookings/index.ts";
import type { OrderRecord } from "../orders/index.ts";
import type { Ports } from "./context.ts";
import { partly } from "./replan-parts.ts";

type OrderedSlice = OrderDetails["slices"][number];
type OrderedSegment = OrderedSlice["segments"][number];

/** The caller's order that contains the disrupted leg. */
export interface OwnOrder {
  record: OrderRecord;
  details: OrderDetails;
  slice: OrderedSlice;
  /** The flight of the slice with which the leg begins; of a missed connection within the leg, the flight that was missed. */
  segment: OrderedSegment;
  /** The connection within the leg was missed at the airport from which `segment` leaves. */
  isMissedOnTheWay: boolean;
  /** The origin of the slice if it is not the leg's. */
  comesFrom: string | undefined;
  /** The destination of the slice if it is not the leg's. */
  goesOnTo: string | undefined;
  /** Where the leg changes planes, from `segment` on. */
  changesAt: readonly string[];
  /** The first flight of the slice has left, by the clock or because a later one was missed. */
  hasBegun: boolean;
  /** The owner of the order. */
  userId: string;
  travelers: readonly BookedTraveler[];
  /** By traveler; undefined if the profile is gone or does not tell. */
  bornOn: readonly (string | undefined)[];
  /**
   * The refund for cancelling the whole order before its departure. Undefined if it is unknown, is not paid in money,
   * or the journey has begun.
   */
  returnedAmount: string | undefined;
}

type OrderPorts = Pick<Ports, "flightServicing" | "stores" | "travelers" | "maps" | "clock">;

export interface OwnOrderSearch {
  own: OwnOrder | undefined;
  orderId: string | null;
  /** Null if there is one. */
  reason: string | null;
}

type RecordPorts = Pick<Ports, "stores">;

/** The tenant's order with this booking reference, by our own records. */
export async function findRecord(
  pnr: string | undefined,
  { stores }: RecordPorts,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
): Promise<OrderRecord | undefined> {
  if (pnr === undefined || pnr === "") return undefined;
  return await stores.orders.findByPnr(tenantId, environment, pnr.toUpperCase());
}

interface Leg {
  origin: string;
  destination: string;
  departsLocal: Temporal.PlainDateTime;
  isConnectionMissed: boolean;
}

/** The tenant's own order with this booking reference, and the part of it that the leg is. */
export async function findOwnOrder(
  pnr: string | undefined,
  leg: Leg,
  { flightServicing, stores, travelers: profiles, maps, clock }: OrderPorts,
  { caller, call }: { caller: Caller; call: CallInfo },
): Promise<OwnOrderSearch> {
  const none = (reason: string, orderId: string | null = null) => ({ own: undefined, orderId, reason });
  if (pnr === undefined || pnr === "") return none("No pnr was given, so no order was looked up.");
  const record = await findRecord(pnr, { stores }, caller);
  if (record === undefined)
    return none("You have no order with this pnr: the airline or agent that booked it can change it.");
  const { orderId } = record;
  if (record.status === "cancelled") return none("The order is cancelled.", orderId);
  const [details, booking] = await Promise.all([
    flightServicing.getOrderDetails(orderId, { signal: call.signal }),
    stores.bookings.get(record.bookingId),
  ]);
  const found = details.slices
    .flatMap((slice) => findPart(slice, leg, maps) ?? [])
    .toSorted((left, right) => minutesFrom(leg, left) - minutesFrom(leg, right))[0];
  if (found === undefined) return none(`The order is for ${sayWays(details.slices)}, not for this leg.`, orderId);
  const isMissedLater = leg.isConnectionMissed && found.comesFrom !== undefined;
  const hasBegun = isMissedLater || isPast(found.slice.segments[0], maps, clock.now());
  const { userId = caller.userId, travelers = [] } = booking ?? {};
  const [bornOn, returnedAmount] = await Promise.all([
    Promise.all(travelers.map(async (one) => await findBirthDate(one, profiles, caller))),
    hasBegun ? undefined : returnedNow({ details, record }, { flightServicing, stores, clock }),
  ]);
  const own = { record, details, ...found, hasBegun, userId, travelers, bornOn, returnedAmount };
  return { own, orderId, reason: null };
}

async function findBirthDate(
  { userId }: BookedTraveler,
  profiles: Ports["travelers"],
  { tenantId, environment }: Caller,
): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  return (await profiles.get(tenantId, userId, environment))?.bornOn;
}

/** The order may name the leg's cities and the caller its airports, or the reverse: airports of one city match. */
function findPart(slice: OrderedSlice, leg: Leg, maps: Pick<Maps, "metroCode">) {
  const { origin, destination } = leg;
  const isOne = (code: string, wanted: string) => maps.metroCode(code) === maps.metroCode(wanted);
  const { segments } = slice;
  const first = segments.findIndex((segment) => isOne(segment.origin, origin));
  const last = segments.findIndex((segment, index) => index >= first && isOne(segment.destination, destination));
  if (first < 0 || last < 0) return undefined;
  const at = first === 0 && leg.isConnectionMissed ? findMissed(segments.slice(0, last + 1), leg) : first;
  const segment = segments[at];
  if (segment === undefined) return undefined;
  return {
    slice,
    segment,
    isMissedOnTheWay: at !== first,
    changesAt: segments.slice(at, last).map(({ destination: airport }) => airport),
    comesFrom: at === 0 ? undefined : segments[0]?.origin,
    goesOnTo: last === segments.length - 1 ? undefined : segments.at(-1)?.destination,
  };
}

/** Nothing can be missed before the first flight: the missed one is a later flight of the leg, the one nearest to the caller's time. */
function findMissed(flights: readonly OrderedSegment[], leg: Leg): number {
  const [nearest] = flights
    .map((segment, index) => ({ segment, index }))
    .slice(1)
    .toSorted((left, right) => minutesFrom(leg, left) - minutesFrom(leg, right));
  return nearest?.index ?? 0;
}

function minutesFrom({ departsLocal }: Leg, { segment }: Pick<OwnOrder, "segment">): number {
  if (segment.departingAt === "") return Number.POSITIVE_INFINITY;
  return Math.abs(departsLocal.until(segment.departingAt, { largestUnit: "minutes" }).minutes);
}

/** By the clock of its departure airport. */
export function findDeparture(
  { origin, departingAt }: Pick<OrderedSegment, "origin" | "departingAt">,
  maps: Pick<Maps, "airport">,
): Temporal.Instant | undefined {
  const timeZone = maps.airport(origin)?.timeZone;
  if (timeZone === undefined || departingAt === "") return undefined;
  return Temporal.PlainDateTime.from(departingAt).toZonedDateTime(timeZone).toInstant();
}

function isPast(segment: OrderedSegment | undefined, maps: Pick<Maps, "airport">, now: Temporal.Instant): boolean {
  const departs = segment && findDeparture(segment, maps);
  return departs !== undefined && Temporal.Instant.compare(departs, now) <= 0;
}

const sayWays = (slices: readonly Pick<OrderedSlice, "origin" | "destination">[]): string =>
  slices.map(({ origin, destination }) => `${origin} to ${destination}`).join(", ");

const QUOTES_LIVE = { minutes: 30 };

/** By the fare, until the airline changes the flights; then only its quote tells the refund. */
async function returnedNow(
  { details, record }: Pick<OwnOrder, "details" | "record">,
  { flightServicing, stores, clock }: Pick<OrderPorts, "flightServicing" | "stores" | "clock">,
): Promise<string | undefined> {
  const { airlineChanges } = details;
  if (airlineChanges.length === 0) return returnedByFare(details);
  const changes = airlineChanges.flatMap(({ detectedAt }) =>
    detectedAt === null ? [] : Temporal.Instant.from(detectedAt),
  );
  const since =
    [clock.now().subtract(QUOTES_LIVE), ...changes].toSorted(Temporal.Instant.compare).at(-1) ?? clock.now();
  // A new quote would end the one that somebody is about to confirm.
  const asked = await stores.servicingQuotes.findNewestOfOrder(record, since);
  const quote =
    asked ??
    (await partly(
      () => flightServicing.quoteCancellation(details.id),
      () => undefined,
    ));
  if (quote === undefined || quote.credits.length > 0 || quote.refundCurrency !== details.totalCurrency)
    return undefined;
  const refund = parseDecimal(quote.refundAmount ?? "");
  return refund === undefined ? undefined : formatDecimal(refund);
}

/** Undefined if the airline does not say. */
function returnedByFare({ totalAmount, totalCurrency, conditions }: OrderDetails): string | undefined {
  const refund = conditions.refundBeforeDeparture;
  if (refund === null) return undefined;
  if (!refund.allowed) return "0.00";
  const [total, penalty] = [parseDecimal(totalAmount), parseDecimal(refund.penaltyAmount ?? "")];
  const isOneCurrency = refund.penaltyCurrency === null || refund.penaltyCurrency === totalCurrency;
  if (total === undefined || penalty === undefined || !isOneCurrency) return undefined;
  return formatDecimal(total > penalty ? total - penalty : 0n);
}

/** The airline refunds a part of it, which holds only before the departure. */
export const isRefundable = (own: OwnOrder | undefined): boolean =>
  own?.hasBegun === false && own.details.conditions.refundBeforeDeparture?.allowed === true;

/** The arguments that book_flight needs for the same travelers, besides the offer; the caller travels without being named. */
export function namedTravelers(
  { travelers }: Pick<OwnOrder, "travelers">,
  { travelerId }: Pick<Caller, "travelerId">,
): { additionalCustomerUserIds?: string[] } {
  const others = travelers.filter(({ userId }) => userId !== travelerId);
  const ids = others.flatMap(({ customerUserId }) => customerUserId ?? []);
  return ids.length === 0 || ids.length < others.length ? {} : { additionalCustomerUserIds: ids };
}
