import { createHash } from "node:crypto";
import { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";
import type { Words } from "../../domain/texts.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Maps } from "../../ports/maps.ts";
import type { BoughtOrder } from "../orders/index.ts";

export interface Stop {
  iataCode: string;
  /** Such as `London, Heathrow Airport`; the code alone where the airport is unknown. */
  name: string;
  /** On the airport's clock. */
  local: Temporal.PlainDateTime;
  /** Undefined: the zone of the airport is unknown. */
  at: Temporal.Instant | undefined;
}

export interface Itinerary {
  orderId: string;
  /** The airline's or accommodation's reference. */
  reference: string | undefined;
  travelers: readonly string[];
  tickets: readonly string[];
  flights: readonly { flightNumber: string; departure: Stop; arrival: Stop }[];
  stay:
    | {
        name: string;
        /** Undefined, like the phone number, for bookings of earlier releases or if the supplier did not say. */
        address: string | undefined;
        phone: string | undefined;
        checkIn: Temporal.PlainDate;
        checkOut: Temporal.PlainDate;
        keyCollection: string | undefined;
        /** The last moment at which cancelling gives the whole price back. Undefined: there is none. */
        freeUntil: Temporal.Instant | undefined;
      }
    | undefined;
  sandbox: boolean;
}

const BookedStay = z.object({
  accommodationName: z.string(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  reference: z.string().nullable().default(null),
  accommodationAddress: z.string().nullable().default(null),
  accommodationPhone: z.string().nullable().default(null),
  keyCollectionInstructions: z.string().nullable().default(null),
  totalAmount: z.string().default(""),
  cancellationPolicy: z
    .object({ timeline: z.array(z.object({ before: z.string(), refundAmount: z.string() })) })
    .default({ timeline: [] }),
});

const LONGEST_TEXT = 200;
const shown = (text: string): string => toVisibleText(text, LONGEST_TEXT);

/** As last read from the supplier. `travelers`: as the reader may see them. */
export function describeItinerary(
  { orderId, kind, pnr, documents, slices, environment, booking }: BoughtOrder,
  travelers: readonly { givenName: string; familyName: string }[],
  maps: Pick<Maps, "airport">,
): Itinerary {
  const stay = kind === "stay" ? BookedStay.parse(booking.result) : undefined;
  return {
    orderId,
    reference: stay?.reference ?? pnr,
    travelers: travelers.map(({ givenName, familyName }) => shown(`${givenName} ${familyName}`)),
    tickets: documents.flatMap(({ number }) => (typeof number === "string" ? [number] : [])),
    flights: slices.flatMap(({ segments }) =>
      segments.map(({ flightNumber, origin, destination, departingAt, arrivingAt }) => ({
        flightNumber,
        departure: describeStop(origin, departingAt, maps),
        arrival: describeStop(destination, arrivingAt, maps),
      })),
    ),
    stay: stay && {
      name: shown(stay.accommodationName),
      address: stay.accommodationAddress === null ? undefined : shown(stay.accommodationAddress),
      phone: stay.accommodationPhone === null ? undefined : shown(stay.accommodationPhone),
      checkIn: Temporal.PlainDate.from(stay.checkInDate),
      checkOut: Temporal.PlainDate.from(stay.checkOutDate),
      keyCollection: stay.keyCollectionInstructions === null ? undefined : shown(stay.keyCollectionInstructions),
      freeUntil: findFreeUntil(stay),
    },
    sandbox: environment === "sandbox",
  };
}

function findFreeUntil({ totalAmount, cancellationPolicy }: z.output<typeof BookedStay>): Temporal.Instant | undefined {
  const total = parseDecimal(totalAmount);
  const free = cancellationPolicy.timeline.filter(
    ({ refundAmount }) => total !== undefined && parseDecimal(refundAmount) === total,
  );
  return free
    .map(({ before }) => Temporal.Instant.from(before))
    .toSorted(Temporal.Instant.compare)
    .at(-1);
}

function describeStop(iataCode: string, localTime: string, maps: Pick<Maps, "airport">): Stop {
  const airport = maps.airport(iataCode);
  const local = Temporal.PlainDateTime.from(localTime);
  if (airport === undefined) return { iataCode, name: iataCode, local, at: undefined };
  const { cityName, name, timeZone } = airport;
  return {
    iataCode,
    name: name.startsWith(cityName) ? name : `${cityName}, ${name}`,
    local,
    at: local.toZonedDateTime(timeZone).toInstant(),
  };
}

/** A local time, as the reader writes dates. */
export const sayLocal = (local: Temporal.PlainDateTime, words: Words): string =>
  `${words.date(local.toPlainDate())}, ${local.toPlainTime().toString({ smallestUnit: "minute" })}`;

/** Changes with what the itinerary says. */
export const hashItineraryText = (itinerary: Itinerary): string =>
  createHash("sha256").update(JSON.stringify(itinerary)).digest("hex");

/** Such as `LHR – JFK`, or the name of the accommodation. */
export function nameItinerary({ flights, stay, orderId }: Itinerary): string {
  const [first, last] = [flights[0], flights.at(-1)];
  if (stay !== undefined) return stay.name;
  return first === undefined || last === undefined
    ? orderId
    : [first.departure.iataCode, ...flights.map(({ arrival }) => arrival.iataCode)].join(" – ");
}
