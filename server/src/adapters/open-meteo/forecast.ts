import { z } from "zod";
import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { Weather } from "../../ports/conditions.ts";
import type { Position } from "../../ports/maps.ts";
import { roughly } from "./roughly.ts";

const FRESH_MILLISECONDS = 15 * 60_000;
const DAYS = 7;

const Value = z.number().nullable().default(null);
const Values = z.array(z.number().nullable()).default([]);

const parse = jsonParser(
  z.object({
    current: z.object({
      time: z.string(),
      weather_code: Value,
      temperature_2m: Value,
      apparent_temperature: Value,
      wind_speed_10m: Value,
    }),
    daily: z.object({
      time: z.array(z.iso.date()).min(1),
      weather_code: Values,
      temperature_2m_max: Values,
      temperature_2m_min: Values,
      precipitation_sum: Values,
      precipitation_probability_max: Values,
      uv_index_max: Values,
    }),
  }),
);

const QUERY = {
  current: "temperature_2m,apparent_temperature,weather_code,wind_speed_10m",
  daily:
    "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,uv_index_max",
  timezone: "auto",
  forecast_days: DAYS,
};

/** The current weather and the forecast, from the models that Open-Meteo selects for the place. */
export function createOpenMeteoForecast(source: OpenSource): Provider<Position, Weather> {
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ["Weather data by Open-Meteo.com (CC BY 4.0)"],
    async ask(position, signal) {
      const query = { ...roughly(position), ...QUERY };
      const { answer, asOf } = await source.read({
        path: "/v1/forecast",
        query,
        freshMilliseconds: FRESH_MILLISECONDS,
        parse,
        signal,
      });
      const { current, daily } = answer;
      return {
        asOf,
        answer: {
          current: {
            localTime: current.time,
            weatherCode: current.weather_code,
            temperatureCelsius: current.temperature_2m,
            feelsLikeCelsius: current.apparent_temperature,
            windKilometersPerHour: current.wind_speed_10m,
          },
          days: daily.time.slice(0, DAYS).map((date, index) => ({
            date,
            weatherCode: daily.weather_code[index] ?? null,
            highCelsius: daily.temperature_2m_max[index] ?? null,
            lowCelsius: daily.temperature_2m_min[index] ?? null,
            precipitationMillimeters: daily.precipitation_sum[index] ?? null,
            precipitationProbabilityPercent: daily.precipitation_probability_max[index] ?? null,
            uvIndex: daily.uv_index_max[index] ?? null,
          })),
        },
      };
    },
  };
}
