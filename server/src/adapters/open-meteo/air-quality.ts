import { z } from "zod";
import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import { type AirQuality, pollutants } from "../../ports/conditions.ts";
import type { Position } from "../../ports/maps.ts";
import { roughly } from "./roughly.ts";

const FRESH_MILLISECONDS = 30 * 60_000;

const Value = z.number().nullable().default(null);

const parse = jsonParser(
  z.object({
    current: z.object({
      time: z.string(),
      us_aqi: Value,
      european_aqi: Value,
      pm2_5: Value,
      pm10: Value,
      ozone: Value,
      nitrogen_dioxide: Value,
    }),
  }),
);

const QUERY = { current: ["us_aqi", "european_aqi", ...pollutants].join(","), timezone: "auto" };

/** The current air quality, from the models of the Copernicus Atmosphere Monitoring Service. */
export function createOpenMeteoAirQuality(source: OpenSource): Provider<Position, AirQuality> {
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ["Air quality by Open-Meteo.com (CC BY 4.0), from the Copernicus Atmosphere Monitoring Service"],
    async ask(position, signal) {
      const query = { ...roughly(position), ...QUERY };
      const { answer, asOf } = await source.read({
        path: "/v1/air-quality",
        query,
        freshMilliseconds: FRESH_MILLISECONDS,
        parse,
        signal,
      });
      const { time: localTime, us_aqi: usAqi, european_aqi: europeanAqi, ...microgramsPerCubicMeter } = answer.current;
      // Outside of the models' range the values are missing.
      if (usAqi === null && europeanAqi === null) return { answer: undefined, asOf };
      return { answer: { localTime, usAqi, europeanAqi, microgramsPerCubicMeter }, asOf };
    },
  };
}
