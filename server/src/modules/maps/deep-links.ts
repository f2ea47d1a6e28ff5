import { z } from "zod";
import { buildUrl } from "../../platform/http-client/build-url.ts";

export const travelModes = ["driving", "walking", "transit", "bicycling"] as const;
export type TravelMode = (typeof travelModes)[number];

interface Point {
  latitude: number;
  longitude: number;
}

export const DeepLinks = z.object({
  google: z.string().describe("Directions over all stops"),
  apple: z.array(z.string()).describe("Directions, one address a leg: Apple Maps takes two places"),
  openStreetMap: z.array(z.string()).describe("The same; empty for transit, which it does not know"),
});

/** Apple's documented values; there is none for bicycles. */
const appleModes: Readonly<Record<TravelMode, string | undefined>> = {
  driving: "d",
  walking: "w",
  transit: "r",
  bicycling: undefined,
};
const openStreetMapEngines: Readonly<Record<TravelMode, string | undefined>> = {
  driving: "fossgis_osrm_car",
  walking: "fossgis_osrm_foot",
  transit: undefined,
  bicycling: "fossgis_osrm_bike",
};

/** Six decimals are a tenth of a meter; no exponent, which maps cannot parse. */
const formatPoint = ({ latitude, longitude }: Point): string =>
  [latitude, longitude].map((one) => one.toFixed(6)).join(",");

/** Links that open the route in the traveler's own map app, without an API key. */
export function buildDeepLinks(stops: readonly Point[], mode: TravelMode): z.output<typeof DeepLinks> {
  const places = stops.map(formatPoint);
  const legs = places.slice(1).map((to, index) => ({ from: places[index] ?? to, to }));
  const engine = openStreetMapEngines[mode];
  return {
    google: buildUrl("https://www.google.com/maps/dir/", {
      api: "1",
      origin: places[0],
      destination: places.at(-1),
      waypoints: places.length > 2 ? places.slice(1, -1).join("|") : undefined,
      travelmode: mode,
    }).href,
    apple: legs.map(
      ({ from, to }) => buildUrl("https://maps.apple.com/", { saddr: from, daddr: to, dirflg: appleModes[mode] }).href,
    ),
    openStreetMap:
      engine === undefined
        ? []
        : legs.map(
            ({ from, to }) =>
              buildUrl("https://www.openstreetmap.org/directions", { engine, route: `${from};${to}` }).href,
          ),
  };
}
