import { z } from "zod";
import type { Provider } from "../../platform/providers/provider.ts";
import type { ElevationAnswer } from "../../ports/elevation.ts";
import type { Position } from "../../ports/maps.ts";
import { aboutGoogle, askOlderGoogle, type GoogleApi } from "./google-source.ts";

const answered = z.object({
  results: z.array(z.object({ elevation: z.number(), resolution: z.number().positive().optional() })),
});
const ofThePoint = { errorMeters: null, highestMeters: null, distanceMeters: null };

/** Elevations from the Elevation API. */
export function createGoogleElevation(api: GoogleApi): Provider<Position, ElevationAnswer> {
  return {
    ...aboutGoogle,
    async ask({ latitude, longitude }, signal) {
      const query = { locations: `${latitude},${longitude}` };
      const { answer, asOf } = await askOlderGoogle(api, "/maps/api/elevation/json", query, { answered, signal });
      const [found] = answer?.results ?? [];
      if (found === undefined) return { answer: undefined, asOf };
      const basis = `Google Maps${found.resolution === undefined ? "" : `, cells of ${Math.round(found.resolution)} m`}`;
      return { answer: { ...ofThePoint, meters: found.elevation, basis }, asOf };
    },
  };
}
