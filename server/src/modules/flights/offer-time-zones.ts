import type { FlightOffer } from "../../ports/flights.ts";
import type { Maps } from "../../ports/maps.ts";

/** The IANA time zone of each airport that offers name a local time of, where it is known. */
export function timeZonesOf(offers: readonly FlightOffer[], maps: Pick<Maps, "airport">): Record<string, string> {
  const segments = offers.flatMap(({ slices }) => slices.flatMap((slice) => slice.segments));
  const codes = new Set(segments.flatMap(({ origin, destination }) => [origin, destination]));
  return Object.fromEntries(
    [...codes].flatMap((code) => {
      const zone = maps.airport(code)?.timeZone;
      return zone === undefined ? [] : [[code, zone]];
    }),
  );
}
