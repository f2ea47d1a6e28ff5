import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { sunOn } from "./sun.ts";

const LISBON = { latitude: 38.7223, longitude: -9.1393 };

const FORECAST = {
  latitude: 38.72,
  timezone: "Europe/Lisbon",
  current: {
    time: "2026-11-22T12:00",
    interval: 900,
    temperature_2m: 14.2,
    apparent_temperature: 13.1,
    weather_code: 61,
    wind_speed_10m: 20,
  },
  daily: {
    time: ["2026-11-22", "2026-11-23"],
    weather_code: [61, null],
    temperature_2m_max: [16.4, 17],
    temperature_2m_min: [9.6, 10],
    precipitation_sum: [25.4, null],
    precipitation_probability_max: [90, null],
    uv_index_max: [2.1, 2],
  },
};
const AIR = {
  current: {
    time: "2026-11-22T12:00",
    interval: 3600,
    us_aqi: 162,
    european_aqi: 85,
    pm2_5: 71.5,
    pm10: 80,
    ozone: 40,
    nitrogen_dioxide: null,
  },
};

describe("a safety aid", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openSharedService();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  const aid = async (travelerNotes: string, languageCode = "en") =>
    requireResult(await service.call("travel_safety_aid", { ...LISBON, travelerNotes, languageCode }));

  it("names what it did not recognise in the notes", async () => {
    expect(await aid("wheelchair and take warfarin, vegetarian")).toMatchObject({
      recognizedNeeds: ["mobility"],
      notRecognized: ["take warfarin", "vegetarian"],
      notes: [expect.stringContaining("notRecognized")],
    });
    expect(await aid("Diabetes, Rollstuhl, Nussallergie", "de")).toMatchObject({ notRecognized: [], notes: [] });
  });
});

describe("with sources", () => {
  let server: ScriptedServer;
  let service: TestService;
  let answer: Answer | undefined;
  beforeAll(async () => {
    server = await startScriptedServer(
      ({ path }) => answer ?? { status: 200, json: path === "/v1/forecast" ? FORECAST : AIR },
    );
    service = await startTestService({
      OPEN_METEO_URL: server.url,
      OPEN_METEO_AIR_QUALITY_URL: server.url,
      PROVIDERS_CONTACT: "ops@example.com",
      PROVIDERS_TIMEOUT_MS: "500",
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await server.close();
  });
  const call = async (tool: string, args: object = {}) =>
    requireResult(await service.call(tool, { ...LISBON, ...args }));

  it("reports the weather in the requested units and language, with its source", async () => {
    answer = undefined;
    expect(await call("trip_weather_brief", { languageCode: "de" })).toMatchObject({
      available: true,
      reason: null,
      source: "open-meteo",
      sourceLevel: "open",
      fallbackFrom: [],
      attribution: [expect.stringContaining("CC BY 4.0")],
      timeZone: "Europe/Lisbon",
      units: { temperature: "°C", wind: "km/h", precipitation: "mm" },
      summary: expect.stringMatching(/^Jetzt 14\s°C, Regen\. Heute 10\s°C bis 16\s°C\. Sonnenaufgang /),
      current: { condition: "Regen", weatherCode: 61, temperature: 14.2, feelsLike: 13.1, wind: 20 },
      days: [
        { date: "2026-11-22", high: 16.4, low: 9.6, precipitation: 25.4, precipitationProbabilityPercent: 90 },
        { condition: "unbekannt", weatherCode: null, precipitation: null },
      ],
      language: { used: "de", note: null },
    });
    expect(await call("trip_weather_brief", { unitsSystem: "IMPERIAL", languageCode: "sw" })).toMatchObject({
      units: { temperature: "°F", wind: "mph", precipitation: "in" },
      current: { temperature: 57.6, wind: 12.4 },
      days: [{ precipitation: 1 }, {}],
      language: { used: "en", note: expect.stringContaining("no texts in this language") },
    });
    const [asked, ...again] = server.requests;
    expect(asked).toMatchObject({
      path: "/v1/forecast",
      query: { latitude: "38.72", longitude: "-9.14", timezone: "auto", forecast_days: "7" },
    });
    expect(asked?.headers["user-agent"]).toBe("wayfare (ops@example.com)");
    expect(again).toEqual([]);
  });

  it("reports the air quality, its category, and advice", async () => {
    answer = undefined;
    const found = await call("air_quality_brief", { languageCode: "fr" });
    expect(found).toMatchObject({
      available: true,
      usAqi: 162,
      europeanAqi: 85,
      category: "unhealthy",
      source: "open-meteo",
      guidance: [expect.stringContaining("Tous")],
      guidanceSource: { isRecalled: true },
    });
    expect(found.pollutants).toEqual([
      { name: "pm2_5", microgramsPerCubicMeter: 71.5 },
      { name: "pm10", microgramsPerCubicMeter: 80 },
      { name: "ozone", microgramsPerCubicMeter: 40 },
      { name: "nitrogen_dioxide", microgramsPerCubicMeter: null },
    ]);
  });

  it.each<[string, Answer, string, number]>([
    ["an error of theirs", { status: 500, text: "<html>" }, "server_error", 10],
    ["JSON of another form", { status: 200, json: { current: {}, reason: "maintenance" } }, "unexpected_answer", 11],
    ["silence", "hang", "timeout", 12],
    ["too many requests", { status: 429 }, "rate_limited", 13],
  ])(
    "still answers with its other parts after %s, reports the failure, and costs the same",
    async (_what, bad, reason, latitude) => {
      // A success closes the circuit that the previous fault began to open.
      answer = undefined;
      for (const tool of ["trip_weather_brief", "air_quality_brief"]) await call(tool, { latitude: -latitude });
      answer = bad;
      const weather = await service.call("trip_weather_brief", { ...LISBON, latitude });
      const fallen = { available: false, sourceLevel: "embedded", fallbackFrom: [{ source: "open-meteo", reason }] };
      expect(requireResult(weather)).toMatchObject({
        ...fallen,
        current: null,
        days: [],
        reason: expect.stringContaining(`open-meteo: ${reason}`),
        sun: expect.arrayContaining([expect.objectContaining({ kind: "rises_and_sets" })]),
      });
      const air = await service.call("air_quality_brief", { ...LISBON, latitude });
      expect(requireResult(air)).toMatchObject({ ...fallen, usAqi: null, category: null, pollutants: [] });
      expect(requireResult(air).guidance).toHaveLength(2);
      const meters = [weather, air].map(({ headers }) => headers.get("x-service-meter-id"));
      const records = await service.sql("select list_price_micro from usage_record where id = any($1)", [meters]);
      expect(records.map(({ list_price_micro: price }) => price)).toEqual(["1000", "1000"]);
    },
  );
});

describe("without a source", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openSharedService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("invents no weather and no air quality, and reports the sun's times", async () => {
    const weather = requireResult(await service.call("trip_weather_brief", LISBON));
    expect(weather).toMatchObject({
      available: false,
      current: null,
      days: [],
      source: "embedded",
      sourceLevel: "embedded",
      fallbackFrom: [],
      reason: expect.stringContaining("No source of weather forecasts is configured"),
      summary: expect.stringMatching(/^No weather forecast is available here\. Sunrise \d\d:\d\d, sunset \d\d:\d\d, /),
    });
    const sun = weather.sun as { date: string }[];
    const months = sun.slice(7).map(({ date }) => date);
    expect(months.length).toBeGreaterThanOrEqual(11);
    expect(months.filter((date) => !date.endsWith("-01"))).toEqual([]);
    expect(requireResult(await service.call("air_quality_brief", LISBON))).toMatchObject({
      available: false,
      usAqi: null,
      category: null,
      pollutants: [],
      sourceLevel: "embedded",
      reason: expect.stringContaining("No source of air quality is configured"),
    });
  });

  it.each([
    ["latitude", { latitude: 90.1, longitude: 0 }],
    ["longitude", { latitude: 0, longitude: -180.1 }],
  ])("refuses a %s outside the globe", async (path, position) => {
    for (const tool of ["trip_weather_brief", "air_quality_brief"]) {
      const { body } = await service.call(tool, position);
      expect(body).toMatchObject({ code: "invalid_input", issues: [{ path }] });
    }
  });

  it("answers at the poles, on the antimeridian and on the open sea", async () => {
    for (const position of [
      { latitude: 90, longitude: 0 },
      { latitude: -90, longitude: 0 },
      { latitude: 0, longitude: 180 },
      { latitude: 30, longitude: -45 },
    ]) {
      const { sun } = requireResult(await service.call("trip_weather_brief", position));
      // The next seven days, and the first day of the months after.
      expect(sun).toHaveProperty([7]);
    }
  });
});

/** Solstices and equinoxes of cities as in almanacs; written from memory, so within three minutes. */
it.each<[string, number, number, string, string, string, string]>([
  ["London in June", 51.5074, -0.1278, "Europe/London", "2024-06-20", "04:43", "21:21"],
  ["London in December", 51.5074, -0.1278, "Europe/London", "2024-12-21", "08:04", "15:53"],
  ["New York in June", 40.7128, -74.006, "America/New_York", "2024-06-20", "05:25", "20:31"],
  ["Sydney in December", -33.8688, 151.2093, "Australia/Sydney", "2024-12-21", "05:41", "20:05"],
  ["Kiritimati, a day ahead of its sun", 1.87, -157.43, "Pacific/Kiritimati", "2024-03-20", "06:33", "18:41"],
])("the sun of %s", (_where, latitude, longitude, timeZone, date, rises, sets) => {
  const { sunrise, sunset } = sunOn({ latitude, longitude }, Temporal.PlainDate.from(date), timeZone);
  const isNear = (at: Temporal.Instant | null, wanted: string) => {
    const expected = Temporal.PlainDateTime.from(`${date}T${wanted}`).toZonedDateTime(timeZone).epochMilliseconds;
    return Math.abs((at?.epochMilliseconds ?? 0) - expected) <= 3 * 60_000;
  };
  expect([sunrise?.toString(), isNear(sunrise, rises)]).toEqual([sunrise?.toString(), true]);
  expect([sunset?.toString(), isNear(sunset, sets)]).toEqual([sunset?.toString(), true]);
});

it("knows the midnight sun and the polar night", () => {
  const tromso = { latitude: 69.65, longitude: 18.96 };
  const on = (date: string) => sunOn(tromso, Temporal.PlainDate.from(date), "Europe/Oslo");
  expect(on("2024-06-20")).toMatchObject({ kind: "up_all_day", sunrise: null, dayLengthMinutes: 1_440 });
  expect(on("2024-12-21")).toMatchObject({ kind: "down_all_day", sunset: null, dayLengthMinutes: 0 });
});
