import { z } from "zod";
import { jsonParser } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { Weather } from "../../ports/conditions.ts";
import type { Position } from "../../ports/maps.ts";
import { aboutGoogle, askGoogle, type GoogleApi } from "./google-source.ts";
import { sayLocalTime } from "./local-time.ts";

const DAYS = 7;

const Degrees = z.object({ degrees: z.number() }).optional();
const Condition = z.object({ type: z.string() }).optional();

const parseCurrent = jsonParser(
  z.object({
    currentTime: z.string(),
    timeZone: z.object({ id: z.string() }),
    weatherCondition: Condition,
    temperature: Degrees,
    feelsLikeTemperature: Degrees,
    wind: z.object({ speed: z.object({ value: z.number() }).optional() }).optional(),
  }),
);

const Daytime = z.object({
  weatherCondition: Condition,
  uvIndex: z.number().optional(),
  precipitation: z
    .object({
      probability: z.object({ percent: z.number() }).optional(),
      qpf: z.object({ quantity: z.number() }).optional(),
    })
    .optional(),
});

const parseDays = jsonParser(
  z.object({
    forecastDays: z
      .array(
        z.object({
          displayDate: z.object({ year: z.int(), month: z.int(), day: z.int() }),
          daytimeForecast: Daytime.optional(),
          maxTemperature: Degrees,
          minTemperature: Degrees,
        }),
      )
      .min(1),
  }),
);

/** The conditions as codes of table 4677 of the World Meteorological Organization. */
const WEATHER_CODES: Readonly<Record<string, number>> = {
  CLEAR: 0,
  MOSTLY_CLEAR: 1,
  PARTLY_CLOUDY: 2,
  MOSTLY_CLOUDY: 3,
  CLOUDY: 3,
  LIGHT_RAIN: 61,
  LIGHT_TO_MODERATE_RAIN: 61,
  RAIN: 63,
  WIND_AND_RAIN: 63,
  MODERATE_TO_HEAVY_RAIN: 65,
  HEAVY_RAIN: 65,
  RAIN_PERIODICALLY_HEAVY: 65,
  LIGHT_SNOW: 71,
  LIGHT_TO_MODERATE_SNOW: 71,
  SNOW: 73,
  BLOWING_SNOW: 73,
  MODERATE_TO_HEAVY_SNOW: 75,
  HEAVY_SNOW: 75,
  SNOWSTORM: 75,
  SNOW_PERIODICALLY_HEAVY: 75,
  HEAVY_SNOW_STORM: 75,
  LIGHT_RAIN_SHOWERS: 80,
  CHANCE_OF_SHOWERS: 80,
  SCATTERED_SHOWERS: 80,
  RAIN_SHOWERS: 81,
  HEAVY_RAIN_SHOWERS: 82,
  LIGHT_SNOW_SHOWERS: 85,
  CHANCE_OF_SNOW_SHOWERS: 85,
  SCATTERED_SNOW_SHOWERS: 85,
  SNOW_SHOWERS: 85,
  HEAVY_SNOW_SHOWERS: 86,
  THUNDERSTORM: 95,
  THUNDERSHOWER: 95,
  LIGHT_THUNDERSTORM_RAIN: 95,
  SCATTERED_THUNDERSTORMS: 95,
  HEAVY_THUNDERSTORM: 95,
  HAIL: 96,
  HAIL_SHOWERS: 96,
};

const toCode = (condition: z.output<typeof Condition>): number | null => WEATHER_CODES[condition?.type ?? ""] ?? null;

/** The current weather and the forecast of a week, from the Weather API. */
export function createGoogleWeather(api: GoogleApi): Provider<Position, Weather> {
  return {
    ...aboutGoogle,
    async ask({ latitude, longitude }, signal) {
      const query = { "location.latitude": latitude, "location.longitude": longitude, unitsSystem: "METRIC" };
      const [{ answer: current, asOf }, { answer: forecast }] = await Promise.all([
        askGoogle(api, { path: "/v1/currentConditions:lookup", query, parse: parseCurrent, signal }),
        askGoogle(api, {
          path: "/v1/forecast/days:lookup",
          query: { ...query, days: DAYS, pageSize: DAYS },
          parse: parseDays,
          signal,
        }),
      ]);
      return {
        asOf,
        answer: {
          current: {
            localTime: sayLocalTime(current.currentTime, current.timeZone.id),
            weatherCode: toCode(current.weatherCondition),
            temperatureCelsius: current.temperature?.degrees ?? null,
            feelsLikeCelsius: current.feelsLikeTemperature?.degrees ?? null,
            windKilometersPerHour: current.wind?.speed?.value ?? null,
          },
          days: forecast.forecastDays.slice(0, DAYS).map(({ displayDate, daytimeForecast, ...day }) => ({
            date: Temporal.PlainDate.from(displayDate).toString(),
            weatherCode: toCode(daytimeForecast?.weatherCondition),
            highCelsius: day.maxTemperature?.degrees ?? null,
            lowCelsius: day.minTemperature?.degrees ?? null,
            precipitationMillimeters: daytimeForecast?.precipitation?.qpf?.quantity ?? null,
            precipitationProbabilityPercent: daytimeForecast?.precipitation?.probability?.percent ?? null,
            uvIndex: daytimeForecast?.uvIndex ?? null,
          })),
        },
      };
    },
  };
}
