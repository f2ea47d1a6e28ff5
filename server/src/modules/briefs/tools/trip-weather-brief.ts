import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, type Words, wordsIn } from "../../../domain/texts.ts";
import type { Weather } from "../../../ports/conditions.ts";
import { defineTool } from "../context.ts";
import { type SunDay, sunOn } from "../sun.ts";
import { sayCondition, weatherTexts } from "../weather-texts.ts";
import { whyUnavailable } from "../why-unavailable.ts";

const DAYS = 7;
/** Beyond the forecast, so that a trip of any season has its daylight. */
const MONTHS = 12;
const MILES_IN_A_KILOMETER = 0.621_371;
const INCHES_IN_A_MILLIMETER = 1 / 25.4;

const Value = z.number().nullable();

export const tripWeatherBrief = defineTool({
  name: "trip_weather_brief",
  listedAfter: "trip_checkin_reminder",
  title: "Weather brief",
  summary: "Show weather now and for a week at coordinates, if a source is configured; always sunrise and sunset.",
  area: "trip",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["conditions", "maps", "clock"],
  input: z.strictObject({
    latitude: Latitude,
    longitude: Longitude,
    unitsSystem: z.enum(["METRIC", "IMPERIAL"]).default("METRIC"),
    languageCode: z.string().default("en"),
  }),
  output: ProviderProvenance.extend({
    available: z.boolean().describe("Whether there is a forecast; sunrise and sunset are always given"),
    reason: z.string().nullable().describe("Why there is no forecast"),
    summary: z.string().describe("For the traveler"),
    units: z.object({
      temperature: z.enum(["°C", "°F"]),
      wind: z.enum(["km/h", "mph"]),
      precipitation: z.enum(["mm", "in"]),
    }),
    timeZone: z.string().describe("IANA name of the time zone for all local times here"),
    current: z
      .object({
        localTime: z.string(),
        condition: z.string(),
        weatherCode: Value.describe("WMO 4677"),
        temperature: Value,
        feelsLike: Value,
        wind: Value,
      })
      .nullable(),
    days: z.array(
      z.object({
        date: z.string(),
        condition: z.string(),
        weatherCode: Value.describe("WMO 4677"),
        high: Value,
        low: Value,
        precipitation: Value,
        precipitationProbabilityPercent: Value,
        uvIndex: Value,
      }),
    ),
    sun: z
      .array(
        z.object({
          date: z.string(),
          kind: z.enum(["rises_and_sets", "up_all_day", "down_all_day"]),
          sunriseLocal: z.string().nullable(),
          sunsetLocal: z.string().nullable(),
          dayLengthMinutes: z.int(),
        }),
      )
      .describe(
        "The next 7 days, then the 1st of each month for a year; computed from the coordinates, for a flat horizon at sea level",
      ),
    language: LanguageAnswer,
  }),
  errors: {},
  example: () => ({ latitude: 38.7223, longitude: -9.1393, languageCode: "en" }),

  async run({ latitude, longitude, unitsSystem, languageCode }, { conditions, maps, clock, call }) {
    const position = { latitude, longitude };
    const [timeZone = "Etc/UTC"] = maps.timeZonesAt(position);
    const { answer: weather, provenance } = await conditions.weatherAt(position, call.signal);
    const today = clock.now().toZonedDateTimeISO(timeZone).toPlainDate();
    const nextDays = Array.from({ length: DAYS }, (_, days) => today.add({ days }));
    const months = Array.from({ length: MONTHS }, (_, index) => today.with({ day: 1 }).add({ months: index + 1 }));
    const later = months.filter((day) => !nextDays.some((one) => one.equals(day)));
    const sun = [...nextDays, ...later].map((day) => sunOn(position, day, timeZone));
    const words = wordsIn(languageCode);
    return {
      available: weather !== undefined,
      reason: weather === undefined ? whyUnavailable("weather forecasts", provenance) : null,
      summary: [sayWeather(words, weather, unitsSystem), sayDaylight(words, sun[0], timeZone)].join(" "),
      ...describeWeather(weather, unitsSystem, words),
      timeZone,
      sun: sun.map(({ sunrise, sunset, ...day }) => ({
        ...day,
        sunriseLocal: sunrise === null ? null : localTime(sunrise, timeZone),
        sunsetLocal: sunset === null ? null : localTime(sunset, timeZone),
      })),
      language: words.answer,
      ...provenance,
    };
  },
});

type UnitsSystem = "METRIC" | "IMPERIAL";

function describeWeather(weather: Weather | undefined, unitsSystem: UnitsSystem, words: Words) {
  const isMetric = unitsSystem === "METRIC";
  const degrees = (celsius: number | null) => rounded(celsius, 1, isMetric ? (value) => value : toFahrenheit);
  const wind = (value: number | null) => rounded(value, 1, (speed) => speed * (isMetric ? 1 : MILES_IN_A_KILOMETER));
  const depth = (value: number | null) => rounded(value, 2, (rain) => rain * (isMetric ? 1 : INCHES_IN_A_MILLIMETER));
  const { current, days = [] } = weather ?? {};
  return {
    units: isMetric
      ? ({ temperature: "°C", wind: "km/h", precipitation: "mm" } as const)
      : ({ temperature: "°F", wind: "mph", precipitation: "in" } as const),
    current:
      current === undefined
        ? null
        : {
            localTime: current.localTime,
            weatherCode: current.weatherCode,
            condition: sayCondition(words, current.weatherCode),
            temperature: degrees(current.temperatureCelsius),
            feelsLike: degrees(current.feelsLikeCelsius),
            wind: wind(current.windKilometersPerHour),
          },
    days: days.map(({ date, weatherCode, precipitationProbabilityPercent, uvIndex, ...day }) => ({
      date,
      weatherCode,
      precipitationProbabilityPercent,
      uvIndex,
      condition: sayCondition(words, weatherCode),
      high: degrees(day.highCelsius),
      low: degrees(day.lowCelsius),
      precipitation: depth(day.precipitationMillimeters),
    })),
  };
}

function sayWeather(words: Words, weather: Weather | undefined, unitsSystem: UnitsSystem): string {
  const say = weatherTexts(words);
  const [today] = weather?.days ?? [];
  if (weather === undefined || today === undefined) return say("noForecast");
  const unit = unitsSystem === "METRIC" ? "celsius" : "fahrenheit";
  const degrees = (celsius: number | null) => {
    if (celsius === null) return say("unknown");
    const value = unit === "celsius" ? celsius : toFahrenheit(celsius);
    return words.number(value, { style: "unit", unit, maximumFractionDigits: 0 });
  };
  const { temperatureCelsius, weatherCode } = weather.current;
  const range = { low: degrees(today.lowCelsius), high: degrees(today.highCelsius) };
  return say("now", {
    temperature: degrees(temperatureCelsius),
    condition: sayCondition(words, weatherCode ?? today.weatherCode),
    ...range,
  });
}

function sayDaylight(words: Words, sun: SunDay | undefined, timeZone: string): string {
  const say = weatherTexts(words);
  if (sun === undefined || sun.sunrise === null || sun.sunset === null) {
    return say(sun?.kind === "down_all_day" ? "downAllDay" : "upAllDay");
  }
  const clock = (at: Temporal.Instant) => localTime(at, timeZone).slice(11, 16);
  const [hours, minutes] = [Math.floor(sun.dayLengthMinutes / 60), sun.dayLengthMinutes % 60];
  return say("daylight", { sunrise: clock(sun.sunrise), sunset: clock(sun.sunset), hours, minutes });
}

const toFahrenheit = (celsius: number): number => (celsius * 9) / 5 + 32;

const localTime = (at: Temporal.Instant, timeZone: string): string =>
  at.toZonedDateTimeISO(timeZone).toPlainDateTime().toString({ smallestUnit: "minute" });

function rounded(value: number | null, places: number, convert: (value: number) => number): number | null {
  return value === null ? null : Number(convert(value).toFixed(places));
}
