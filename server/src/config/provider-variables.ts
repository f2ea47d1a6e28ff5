import { http, orderOf, osrmUrl, readProvidersContact, text, url, wholeNumber, withDefault } from "./values.ts";

/**
 * Outside sources beside the supplier and the chain: exchange rates, open providers of places, weather and routes, and a vision
 * model.
 */
export const providerVariables = {
  fxRatesUrl: url(
    "FX_RATES_URL",
    http,
    "The daily XML of euro reference rates of the European Central Bank. Unset: rates of one day that come with the service.",
  ),
  fxMarginBps: withDefault(
    "FX_MARGIN_BPS",
    "0",
    "What is added to an exchange rate when an offer in another currency than US dollars is booked, in hundredths of a percent.",
    wholeNumber(0, 2_000),
  ),
  fxMostAgeHours: withDefault(
    "FX_MAX_AGE_HOURS",
    "24",
    "Nothing is booked at an exchange rate whose day was over longer ago, Saturdays and Sundays not counted. In the sandbox the rates that come with the service are never too old.",
    wholeNumber(1, 1_000),
  ),
  nominatimUrl: url(
    "NOMINATIM_URL",
    http,
    "A Nominatim that finds places and addresses, such as your own. Unset: it is not asked.",
  ),
  nominatimMillisecondsBetween: withDefault(
    "NOMINATIM_MS_BETWEEN",
    "1000",
    "The least time between two requests of a process to that Nominatim, in milliseconds. The public one demands 1000 for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  openMeteoUrl: url(
    "OPEN_METEO_URL",
    http,
    "Open-Meteo, such as `https://api.open-meteo.com`, for weather and elevations; its free service is for non-commercial use. Unset: it is not asked.",
  ),
  openMeteoAirQualityUrl: url(
    "OPEN_METEO_AIR_QUALITY_URL",
    http,
    "Open-Meteo's air quality, such as `https://air-quality-api.open-meteo.com`, whose free service is for non-commercial use. Unset: it is not asked.",
  ),
  openTopoDataUrl: url(
    "OPENTOPODATA_URL",
    http,
    "A data set of an Open Topo Data, such as `https://api.opentopodata.org/v1/srtm90m`. Unset: it is not asked.",
  ),
  openTopoDataMillisecondsBetween: withDefault(
    "OPENTOPODATA_MS_BETWEEN",
    "1000",
    "The least time between two requests of a process to that Open Topo Data, in milliseconds. The public one demands 1000 for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  overpassUrl: url(
    "OVERPASS_URL",
    http,
    "An Overpass that finds restaurants, hospitals and the like, such as your own. Unset: it is not asked.",
  ),
  overpassMillisecondsBetween: withDefault(
    "OVERPASS_MS_BETWEEN",
    "1000",
    "The least time between two requests of a process to that Overpass, in milliseconds. The public ones allow about 10000 requests a day to the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  osrmDrivingUrl: osrmUrl("OSRM_DRIVING_URL", "for cars"),
  osrmWalkingUrl: osrmUrl("OSRM_WALKING_URL", "for people on foot"),
  osrmBicyclingUrl: osrmUrl("OSRM_BICYCLING_URL", "for bicycles"),
  osrmMillisecondsBetween: withDefault(
    "OSRM_MS_BETWEEN",
    "1000",
    "The least time between two requests of a process to each of these OSRMs, in milliseconds. The public one demands 1000 for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  mapTilesUrl: url(
    "MAP_TILES_URL",
    http,
    "A server of map tiles as OpenStreetMap's own has them, such as `https://tile.openstreetmap.org`, for the streets on route maps; it learns about where the stops are. Unset: maps of cities are schematic.",
  ),
  mapTilesMillisecondsBetween: withDefault(
    "MAP_TILES_MS_BETWEEN",
    "50",
    "The least time between two requests of a process to that server of map tiles, in milliseconds. A map takes up to 20 of them.",
    wholeNumber(0, 60_000),
  ),
  providersContact: {
    name: "PROVIDERS_CONTACT",
    fallback: undefined,
    meaning:
      "How open providers reach you, such as `ops@example.com`; stands in the User-Agent of what they are asked, as their policies demand. Unset: PUBLIC_APP_URL.",
    read: readProvidersContact,
  },
  providersTimeoutMilliseconds: withDefault(
    "PROVIDERS_TIMEOUT_MS",
    "5000",
    "How long an open provider may take to answer, in milliseconds, before the next one is asked.",
    wholeNumber(1, 60_000),
  ),
  geocodingProviders: withDefault(
    "GEOCODING_PROVIDERS",
    "nominatim,embedded",
    "Who finds places, in this order; the next one is asked when one fails or knows nothing. Those without an address are left out.",
    orderOf("nominatim", "embedded"),
  ),
  elevationProviders: withDefault(
    "ELEVATION_PROVIDERS",
    "opentopodata,open-meteo,embedded",
    "Who knows elevations, in this order; the next one is asked when one fails or knows nothing. Those without an address are left out.",
    orderOf("opentopodata", "open-meteo", "embedded"),
  ),
  visionModelUrl: url(
    "VISION_MODEL_URL",
    http,
    "Base address of an API with OpenAI's chat completions, such as `https://api.openai.com/v1` or your own server's, whose model reads scanned documents that the service itself cannot read without doubt. It is sent pictures of their pages. Unset: no document leaves the service.",
  ),
  visionModel: text("VISION_MODEL", "The name of that model, which has to understand images."),
  visionModelKey: text("VISION_MODEL_KEY", "API key for that endpoint. Unset: it asks for none."),
  visionModelTimeoutSeconds: withDefault(
    "VISION_MODEL_TIMEOUT_SECONDS",
    "30",
    "How long that model may take for one page, in seconds. After that the answer is what the service has read itself.",
    wholeNumber(1, 120),
  ),
};
