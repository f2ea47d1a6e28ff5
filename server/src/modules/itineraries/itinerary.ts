import { createHash } from "node:crypto";
import { z } from "zod";
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
  stay: { name: string; checkIn: Temporal.PlainDate; checkOut: Temporal.PlainDate } | undefined;
  sandbox: boolean;
}

const BookedStay = z.object({
  accommodationName: z.string(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  reference: z.string().nullable().default(null),
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
      checkIn: Temporal.PlainDate.from(stay.checkInDate),
      checkOut: Temporal.PlainDate.from(stay.checkOutDate),
    },
    sandbox: environment === "sandbox",
  };
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
