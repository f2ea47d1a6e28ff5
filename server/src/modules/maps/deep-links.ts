import { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import { buildUrl } from "../../platform/http-client/build-url.ts";

const LONGEST_ADDRESS = 200;

export const travelModes = ["driving", "walking", "transit", "bicycling"] as const;
export type TravelMode = (typeof travelModes)[number];

interface Point {
  latitude: number;
  longitude: number;
  /** Written into links instead of the position, which is then only the middle of a wider place. */
  address?: string | undefined;
}

/** The address to write into links if a part of it is unknown here: the map application may know it. */
export function addressForLinks({ label, unknownPart }: { label: string; unknownPart: string | null }) {
  return unknownPart === null ? undefined : toVisibleText(`${unknownPart}, ${label}`, LONGEST_ADDRESS);
}

export const DeepLinks = z.object({
  google: z.string().describe("Directions through all stops"),
  apple: z.array(z.string()).describe("Directions, one link per leg, because Apple Maps takes two places"),
  openStreetMap: z
    .array(z.string())
    .describe("The same, one link per leg; empty for transit and for addresses that are not known here"),
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
const formatPoint = ({ latitude, longitude, address }: Point): string =>
  address ?? [latitude, longitude].map((one) => one.toFixed(6)).join(",");

/** Links that open the route in the traveler's own map app, without an API key. */
export function buildDeepLinks(stops: readonly Point[], mode: TravelMode): z.output<typeof DeepLinks> {
  const places = stops.map(formatPoint);
  const legs = places.slice(1).map((to, index) => ({ from: places[index] ?? to, to }));
  // OpenStreetMap's directions take positions only.
  const engine = stops.some(({ address }) => address !== undefined) ? undefined : openStreetMapEngines[mode];
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
