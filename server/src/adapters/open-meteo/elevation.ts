import { z } from "zod";
import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { ElevationAnswer } from "../../ports/elevation.ts";

const FRESH_MILLISECONDS = 30 * 86_400_000;
const ofThePoint = { errorMeters: null, highestMeters: null, distanceMeters: null };
const parse = jsonParser(z.object({ elevation: z.array(z.number()) }));

/** Elevations of the Copernicus model with cells of 90 meters. */
export function createOpenMeteoElevation(
  source: OpenSource,
): Provider<{ latitude: number; longitude: number }, ElevationAnswer> {
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ["Elevation by Open-Meteo.com (CC BY 4.0), from Copernicus DEM GLO-90 © DLR e.V. and Airbus DS GmbH"],
    async ask({ latitude, longitude }, signal) {
      const query = { latitude, longitude };
      const { answer, asOf } = await source.read({
        path: "/v1/elevation",
        query,
        freshMilliseconds: FRESH_MILLISECONDS,
        parse,
        signal,
      });
      const [meters] = answer.elevation;
      const basis = "Copernicus DEM GLO-90, cells of 90 m";
      return { answer: meters === undefined ? undefined : { ...ofThePoint, meters, basis }, asOf };
    },
  };
}
