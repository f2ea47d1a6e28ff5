import type { z } from "zod";
import { distanceMeters } from "../../../domain/distance.ts";
import { hasScope } from "../../../domain/scopes.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Airport, Position } from "../../../ports/maps.ts";
import type { SeenOffer } from "../../bookings/index.ts";
import type { BookedStay } from "../../orders/index.ts";
import { refundAt } from "../../servicing/index.ts";
import type { Ports } from "../context.ts";
import type { OwnStayAnswer } from "./replan-parts.ts";
import { nightsLost } from "./stay-role.ts";

/** Farther from the airport it is the stay of another journey, or of a later part of this one. */
const FARTHEST_METERS = 120_000;

interface OwnStay {
  answer: z.input<typeof OwnStayAnswer>;
  /** Undefined: the supplier did not say where it is. */
  position: Position | undefined;
}

interface Arrival {
  airport: Airport | undefined;
  /** The day on which the disrupted flight should have left. */
  scheduledDay: string;
  /** Of the flights that are offered, on the clock of the destination. */
  arrivingAt: readonly string[];
}

/** What becomes of the stays at the destination that the same user has booked here. */
export async function findOwnStays(
  { airport, scheduledDay, arrivingAt }: Arrival,
  userId: string,
  { stores, clock }: Pick<Ports, "stores" | "clock">,
  { tenantId, environment, scopes }: Caller,
): Promise<OwnStay[]> {
  if (!hasScope(scopes, "stays:read")) return [];
  const days = [...new Set(arrivingAt.map((moment) => moment.slice(0, 10)))].toSorted();
  const to = days.at(-1) ?? Temporal.PlainDate.from(scheduledDay).add({ days: 1 }).toString();
  const stays = await stores.orders.staysDuring(tenantId, environment, userId, { from: scheduledDay, to });
  const quotes = stays.map(({ quoteId }) => quoteId);
  const seen = await stores.seenOffers.findAll({ tenantId, environment }, quotes);
  return stays.flatMap((stay) => {
    const position = positionOf(seen.get(stay.quoteId));
    const isElsewhere =
      position !== undefined && airport !== undefined && distanceMeters(position, airport) > FARTHEST_METERS;
    return isElsewhere ? [] : [{ position, answer: describeStay(stay, days, clock.now()) }];
  });
}

function positionOf(seen: SeenOffer | undefined): Position | undefined {
  const { latitude = null, longitude = null } = (seen?.kind === "stay" ? seen.place : null) ?? {};
  return latitude === null || longitude === null ? undefined : { latitude, longitude };
}

function describeStay(stay: BookedStay, days: readonly string[], now: Temporal.Instant): OwnStay["answer"] {
  const { orderId, accommodationName, checkInDate, checkOutDate, totalAmount, totalCurrency } = stay;
  const { amount, currency, until } = refundAt(stay.cancellationPolicy, now, totalCurrency);
  return {
    orderId,
    accommodationName,
    checkInDate,
    checkOutDate,
    totalAmount,
    totalCurrency,
    effect: effectOf(stay, days),
    returnedAmount: currency === totalCurrency ? amount : null,
    returnedUntil: until?.toString() ?? null,
    next: { tool: "cancel_order_quote", args: { orderId } },
  };
}

function effectOf(stay: Pick<BookedStay, "checkInDate" | "checkOutDate">, days: readonly string[]): string {
  if (days.length === 0) return "Without another flight it is not known what becomes of it.";
  const said = days.map((day) => {
    const isBefore = day < stay.checkInDate;
    return `arriving on ${day}: ${isBefore ? "in time for it" : lossOf(nightsLost(stay, day), nightsLost(stay))}`;
  });
  return `${said.join("; ")}.`.replace(/^a/, "A");
}

function lossOf(lost: number, nights: number): string {
  if (lost === 0) return "no night is lost, but tell the hotel of a late arrival";
  if (lost >= nights) return "it is lost: tell the hotel, or cancel it before";
  return `up to ${lost} of ${nights} nights are lost: tell the hotel, so that it keeps the room`;
}
