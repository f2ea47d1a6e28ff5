import { z } from "zod";
import { jsonParser } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { AirQuality } from "../../ports/conditions.ts";
import type { Position } from "../../ports/maps.ts";
import { aboutGoogle, askGoogle, type GoogleApi } from "./google-source.ts";
import { sayLocalTime } from "./local-time.ts";

const parse = jsonParser(
  z.object({
    dateTime: z.string(),
    indexes: z.array(z.object({ code: z.string(), aqi: z.number().optional() })).default([]),
    pollutants: z
      .array(
        z.object({
          code: z.string(),
          concentration: z.object({ value: z.number(), units: z.string() }).optional(),
        }),
      )
      .default([]),
  }),
);

/** Micrograms per cubic meter in a part per billion, at 25 °C and one atmosphere. */
const MICROGRAMS_IN_A_PPB: Readonly<Record<string, number>> = { o3: 1.963, no2: 1.882 };

interface Around {
  /** ISO 3166-1 alpha-2. */
  countryCodeAt(position: Position): string | undefined;
  timeZonesAt(position: Position): readonly string[];
}

/** The current air quality, from the Air Quality API. The index of the United States is asked for everywhere. */
export function createGoogleAirQuality(api: GoogleApi, around: Around): Provider<Position, AirQuality> {
  return {
    ...aboutGoogle,
    async ask({ latitude, longitude }, signal) {
      const location = { latitude, longitude };
      const regionCode = around.countryCodeAt(location);
      const custom = regionCode === undefined ? {} : { customLocalAqis: [{ regionCode, aqi: "usa_epa" }] };
      const { answer, asOf } = await askGoogle(api, {
        path: "/v1/currentConditions:lookup",
        json: { location, universalAqi: false, extraComputations: ["LOCAL_AQI", "POLLUTANT_CONCENTRATION"], ...custom },
        parse: parse,
        signal,
      });
      const usAqi = answer.indexes.find(({ code }) => code === "usa_epa")?.aqi ?? null;
      const readConcentration = (wanted: string): number | null => {
        const { value, units } = answer.pollutants.find(({ code }) => code === wanted)?.concentration ?? {};
        if (value === undefined) return null;
        const factor = units === "PARTS_PER_BILLION" ? MICROGRAMS_IN_A_PPB[wanted] : 1;
        return factor === undefined ? null : Math.round(value * factor * 10) / 10;
      };
      const [timeZone = "Etc/UTC"] = around.timeZonesAt(location);
      const microgramsPerCubicMeter = {
        pm2_5: readConcentration("pm25"),
        pm10: readConcentration("pm10"),
        ozone: readConcentration("o3"),
        nitrogen_dioxide: readConcentration("no2"),
      };
      if (usAqi === null && Object.values(microgramsPerCubicMeter).every((one) => one === null)) {
        return { answer: undefined, asOf };
      }
      const localTime = sayLocalTime(answer.dateTime, timeZone);
      return { answer: { localTime, usAqi, europeanAqi: null, microgramsPerCubicMeter }, asOf };
    },
  };
}
