import { z } from "zod";
import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { Position } from "../../ports/maps.ts";
import type { RoutedMode, RoutedWay, WayQuestion } from "../../ports/ways.ts";

const FRESH_MILLISECONDS = 24 * 3_600_000;

/** `NoRoute` and `NoSegment` come with status 400: there is no route, or no road near one of the ends. */
const parse = jsonParser(
  z.discriminatedUnion("code", [
    z.object({
      code: z.literal("Ok"),
      routes: z.array(z.object({ distance: z.number().nonnegative(), duration: z.number().nonnegative() })).min(1),
    }),
    z.object({ code: z.enum(["NoRoute", "NoSegment"]) }),
  ]),
);

/** OpenStreetMap has no timetables. */
type RoadMode = Exclude<RoutedMode, "transit">;

/** Profile names in the address. A server has one profile and uses it whatever the name is: each mode has its own server. */
const PROFILES: Readonly<Record<RoadMode, string>> = { driving: "driving", walking: "foot", bicycling: "bike" };

/** Routes over the roads of OpenStreetMap, from an OSRM server. */
export function createOsrm(source: OpenSource, mode: RoadMode): Provider<WayQuestion, RoutedWay> {
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ["© OpenStreetMap contributors (ODbL)"],
    async ask({ from, to }, signal) {
      const { answer, asOf } = await source.read({
        path: `/route/v1/${PROFILES[mode]}/${formatPosition(from)};${formatPosition(to)}`,
        query: { overview: "false" },
        freshMilliseconds: FRESH_MILLISECONDS,
        statuses: [200, 400],
        parse,
        signal,
      });
      const [best] = answer.code === "Ok" ? answer.routes : [];
      if (best === undefined) return { answer: undefined, asOf };
      return { answer: { kilometers: best.distance / 1_000, minutes: best.duration / 60 }, asOf };
    },
  };
}

/** A ten-thousandth of a degree is eleven meters: neighbors share an answer. */
const formatPosition = ({ latitude, longitude }: Position): string => `${longitude.toFixed(4)},${latitude.toFixed(4)}`;
