import { z } from "zod";
import { jsonParser } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { Position } from "../../ports/maps.ts";
import type { RoutedMode, RoutedWay, WayQuestion } from "../../ports/ways.ts";
import { aboutGoogle, askGoogle, type GoogleApi } from "./google-source.ts";

const parse = jsonParser(
  z.object({
    routes: z
      .array(
        z.object({
          // Left out where it is zero.
          distanceMeters: z.number().nonnegative().default(0),
          duration: z
            .string()
            .regex(/^\d+(?:\.\d+)?s$/)
            .default("0s"),
        }),
      )
      .default([]),
  }),
);

const MODES: Readonly<Record<RoutedMode, string>> = {
  driving: "DRIVE",
  walking: "WALK",
  bicycling: "BICYCLE",
  transit: "TRANSIT",
};

/** Routes over roads and by public transport that leave now, from the Routes API. */
export function createGoogleRoutes(api: GoogleApi): Provider<WayQuestion, RoutedWay> {
  return {
    ...aboutGoogle,
    async ask({ from, to, mode }, signal) {
      const { answer, asOf } = await askGoogle(api, {
        path: "/directions/v2:computeRoutes",
        json: { origin: toWaypoint(from), destination: toWaypoint(to), travelMode: MODES[mode] },
        fieldMask: "routes.distanceMeters,routes.duration",
        parse,
        signal,
      });
      const [best] = answer.routes;
      if (best === undefined) return { answer: undefined, asOf };
      const minutes = Number(best.duration.slice(0, -1)) / 60;
      return { answer: { kilometers: best.distanceMeters / 1_000, minutes }, asOf };
    },
  };
}

const toWaypoint = ({ latitude, longitude }: Position) => ({ location: { latLng: { latitude, longitude } } });
