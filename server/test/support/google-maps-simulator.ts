import type { Answer, Script } from "./scripted-server.ts";

/**
 * Google Maps Platform over its documented wire, behind `GOOGLE_MAPS_URL`: each API under its host. It wants the key where the
 * API takes it, a field mask where one is needed, and counts the requests of each API against a quota.
 */
export interface GoogleMapsSimulator {
  script: Script;
  /** Answered by every API in place of its answer until it is undefined again; `older` by those that say it in the body. */
  fault: { newer: Answer; older: Answer } | undefined;
  /** Requests left to each API. */
  quota: number;
}

export const GOOGLE_KEY = "AIzaSimulatedKey0123456789";

const deny = (status: number, code: string, message: string): Answer => ({
  status,
  json: { error: { code: status, message, status: code } },
});

/** Faults as each kind of API reports them. */
export const googleFaults: readonly (readonly [reason: string, fault: { newer: Answer; older: Answer }])[] = [
  [
    "rate_limited",
    {
      newer: deny(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests per minute'."),
      older: { status: 200, json: { status: "OVER_QUERY_LIMIT", results: [], error_message: "You have exceeded it." } },
    },
  ],
  [
    "refused",
    {
      newer: deny(403, "PERMISSION_DENIED", "This API has not been used in project 1 before or it is disabled."),
      older: { status: 200, json: { status: "REQUEST_DENIED", results: [], error_message: "The key is invalid." } },
    },
  ],
  [
    "server_error",
    { newer: deny(503, "UNAVAILABLE", "later"), older: { status: 200, json: { status: "UNKNOWN_ERROR" } } },
  ],
  [
    "unexpected_answer",
    {
      newer: { status: 200, text: "<!doctype html>" },
      older: { status: 200, json: { status: "OK", results: [{ a: 1 }] } },
    },
  ],
  ["timeout", { newer: "hang", older: "hang" }],
  ["unreachable", { newer: "reset", older: "reset" }],
];

const OLDER = new Set(["maps.googleapis.com"]);
const NEEDS_MASK = new Set(["places.googleapis.com", "routes.googleapis.com"]);

export function createGoogleMapsSimulator(): GoogleMapsSimulator {
  const asked = new Map<string, number>();
  const simulator: GoogleMapsSimulator = {
    fault: undefined,
    quota: Number.POSITIVE_INFINITY,
    script({ path, query, headers }) {
      const [, host = "", ...rest] = path.split("/");
      const isOlder = OLDER.has(host);
      const api = isOlder ? `${host}/${rest.join("/")}` : host;
      const count = (asked.get(api) ?? 0) + 1;
      asked.set(api, count);
      const [, exceeded] = googleFaults[0] ?? [];
      const fault = count > simulator.quota ? exceeded : simulator.fault;
      if (fault !== undefined) return isOlder ? fault.older : fault.newer;
      const key = isOlder ? query.key : headers["x-goog-api-key"];
      if (key !== GOOGLE_KEY) return deny(403, "PERMISSION_DENIED", "The request is missing a valid API key.");
      if (NEEDS_MASK.has(host) && headers["x-goog-fieldmask"] === undefined) {
        return deny(400, "INVALID_ARGUMENT", "FieldMask is a required parameter.");
      }
      const json =
        api === TIME_ZONES ? sayTimeZone(query.location, query.timestamp) : answers[`${host}/${rest.join("/")}`];
      return json === undefined ? deny(404, "NOT_FOUND", "no such method") : { status: 200, json };
    },
  };
  return simulator;
}

const TIME_ZONES = "maps.googleapis.com/maps/api/timezone/json";

/** Names as Google has them, and one zone whose rules changed after those of any runtime. Undefined: the open sea. */
const zones: Readonly<Record<string, { timeZoneId: string; rawOffset: number; dstOffset: number }>> = {
  "41.89,12.492": { timeZoneId: "Europe/Rome", rawOffset: 3_600, dstOffset: 0 },
  "22.57,88.36": { timeZoneId: "Asia/Calcutta", rawOffset: 19_800, dstOffset: 0 },
  "-13.83,-171.76": { timeZoneId: "Pacific/Apia", rawOffset: 46_800, dstOffset: 3_600 },
  "51.5,-0.12": { timeZoneId: "Europe/Borduria", rawOffset: 0, dstOffset: 0 },
};

function sayTimeZone(location: string | undefined, timestamp: string | undefined): object {
  if (!/^\d+$/.test(timestamp ?? "")) return { status: "INVALID_REQUEST", errorMessage: "Invalid request." };
  const zone = zones[location ?? ""];
  return zone === undefined ? { status: "ZERO_RESULTS" } : { status: "OK", timeZoneName: "As named", ...zone };
}

const restaurant = {
  id: "ChIJ_simulated_trattoria",
  displayName: { text: "Trattoria\u202e Simulata", languageCode: "it" },
  formattedAddress: "Via Simulata 1, 00184 Roma RM, Italy",
  location: { latitude: 41.8905, longitude: 12.4925 },
  types: ["italian_restaurant", "restaurant", "food"],
  priceLevel: "PRICE_LEVEL_MODERATE",
  internationalPhoneNumber: "+39 06 0000000",
  websiteUri: "https://trattoria.example/",
  accessibilityOptions: { wheelchairAccessibleEntrance: true },
};

const answers: Readonly<Record<string, unknown>> = {
  "maps.googleapis.com/maps/api/geocode/json": {
    status: "OK",
    results: [
      {
        formatted_address: "10 Downing St, London SW1A 2AA, UK",
        geometry: { location: { lat: 51.5034, lng: -0.1276 }, location_type: "ROOFTOP" },
        place_id: "ChIJ_simulated_house",
        types: ["street_address"],
        address_components: [{ long_name: "United Kingdom", short_name: "GB", types: ["country", "political"] }],
      },
    ],
  },
  "maps.googleapis.com/maps/api/elevation/json": {
    status: "OK",
    results: [{ elevation: 3399.5, resolution: 9.5, location: { lat: -13.53, lng: -71.97 } }],
  },
  "addressvalidation.googleapis.com/v1:validateAddress": {
    result: {
      verdict: { inputGranularity: "PREMISE", validationGranularity: "PREMISE", addressComplete: true },
      address: {
        formattedAddress: "10 Downing St, London SW1A 2AA, UK",
        postalAddress: { regionCode: "GB", postalCode: "SW1A 2AA" },
      },
      geocode: { location: { latitude: 51.5034, longitude: -0.1276 }, placeId: "ChIJ_simulated_house" },
    },
  },
  "places.googleapis.com/v1/places:searchText": {
    places: [
      restaurant,
      { ...restaurant, id: "ChIJ_simulated_far_away", location: { latitude: 42.9, longitude: 12.4 } },
    ],
  },
  "places.googleapis.com/v1/places:searchNearby": {
    places: [
      {
        ...restaurant,
        id: "ChIJ_simulated_hospital",
        displayName: { text: "Ospedale" },
        types: ["hospital", "health"],
      },
      { ...restaurant, id: "ChIJ_simulated_shop", displayName: { text: "Shop" }, types: ["store"] },
    ],
  },
  "places.googleapis.com/v1/places/ChIJ_simulated_trattoria": {
    displayName: restaurant.displayName,
    formattedAddress: restaurant.formattedAddress,
    location: restaurant.location,
    types: ["restaurant", "establishment"],
    addressComponents: [{ longText: "Italy", shortText: "IT", types: ["country", "political"] }],
  },
  "routes.googleapis.com/directions/v2:computeRoutes": { routes: [{ distanceMeters: 25_400, duration: "2580s" }] },
  "weather.googleapis.com/v1/currentConditions:lookup": {
    currentTime: "2026-11-22T12:00:00.5Z",
    timeZone: { id: "Europe/Rome" },
    weatherCondition: { type: "LIGHT_RAIN", description: { text: "Light rain" } },
    temperature: { unit: "CELSIUS", degrees: 14.2 },
    feelsLikeTemperature: { unit: "CELSIUS", degrees: 13.1 },
    wind: { speed: { unit: "KILOMETERS_PER_HOUR", value: 20 } },
  },
  "weather.googleapis.com/v1/forecast/days:lookup": {
    forecastDays: [
      {
        displayDate: { year: 2026, month: 11, day: 22 },
        daytimeForecast: {
          weatherCondition: { type: "RAIN" },
          uvIndex: 2,
          precipitation: { probability: { type: "RAIN", percent: 80 }, qpf: { unit: "MILLIMETERS", quantity: 4.5 } },
        },
        maxTemperature: { unit: "CELSIUS", degrees: 16 },
        minTemperature: { unit: "CELSIUS", degrees: 9 },
      },
      { displayDate: { year: 2026, month: 11, day: 23 } },
    ],
    timeZone: { id: "Europe/Rome" },
  },
  "airquality.googleapis.com/v1/currentConditions:lookup": {
    dateTime: "2026-11-22T12:00:00Z",
    regionCode: "it",
    indexes: [{ code: "usa_epa", displayName: "AQI (US)", aqi: 52 }],
    pollutants: [
      { code: "pm25", concentration: { value: 12.5, units: "MICROGRAMS_PER_CUBIC_METER" } },
      { code: "o3", concentration: { value: 20, units: "PARTS_PER_BILLION" } },
      { code: "co", concentration: { value: 250, units: "PARTS_PER_BILLION" } },
    ],
  },
};
