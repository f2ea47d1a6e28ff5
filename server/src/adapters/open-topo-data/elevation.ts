import { z } from "zod";
import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { ElevationAnswer } from "../../ports/elevation.ts";

const FRESH_MILLISECONDS = 30 * 86_400_000;
const ofThePoint = { errorMeters: null, highestMeters: null, distanceMeters: null };
const parse = jsonParser(
  z.object({
    status: z.literal("OK"),
    results: z.array(z.object({ elevation: z.number().nullable(), dataset: z.string() })),
  }),
);

/** Elevations of the data set in the source's address. */
export function createOpenTopoDataElevation(
  source: OpenSource,
): Provider<{ latitude: number; longitude: number }, ElevationAnswer> {
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ["Elevation by Open Topo Data, from the data set that the answer names"],
    async ask({ latitude, longitude }, signal) {
      const query = { locations: `${latitude},${longitude}` };
      const { answer, asOf } = await source.read({
        path: "",
        query,
        freshMilliseconds: FRESH_MILLISECONDS,
        parse,
        signal,
      });
      const [found] = answer.results;
      // Data sets of land have no values at sea.
      if (found === undefined || found.elevation === null) return { answer: undefined, asOf };
      const basis = `Data set ${found.dataset.slice(0, 60)} of Open Topo Data`;
      return { answer: { ...ofThePoint, meters: found.elevation, basis }, asOf };
    },
  };
}
