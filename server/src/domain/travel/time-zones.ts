import { z } from "zod";
import type { Airports } from "./airports.ts";

interface Flown {
  segments: readonly { origin: string; destination: string }[];
}

export const TimeZones = z.record(z.string(), z.string()).describe("Time zones of the local times, by airport");

/** The IANA time zone of each airport whose local time flights use, if known. */
export function findTimeZones(slices: readonly Flown[], maps: Airports): Record<string, string> {
  const segments = slices.flatMap((slice) => slice.segments);
  const codes = new Set(segments.flatMap(({ origin, destination }) => [origin, destination]));
  return Object.fromEntries(
    [...codes].flatMap((code) => {
      const zone = maps.airport(code)?.timeZone;
      return zone === undefined ? [] : [[code, zone]];
    }),
  );
}
