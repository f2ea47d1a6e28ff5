import { identityVariables } from "./identity-variables.ts";
import { choicesAmong, http, osrmUrl, readProvidersContact, text, url, wholeNumber, withDefault } from "./values.ts";

/**
 * Outside sources besides the supplier and the chain: exchange rates, open providers of places, weather and routes, and a vision
 * model, an identity provider.
 */
export const providerVariables = {
  ...identityVariables,
  fxRatesUrl: url(
    "FX_RATES_URL",
    http,
    "URL of the daily XML file of euro reference rates of the European Central Bank. Unset: built-in rates of one day.",
  ),
  fxMarginBps: withDefault(
    "FX_MARGIN_BPS",
    "0",
    "Margin on the exchange rate when an offer in another currency than US dollars is booked, in hundredths of a percent.",
    wholeNumber(0, 2_000),
  ),
  fxMostAgeHours: withDefault(
    "FX_MAX_AGE_HOURS",
    "24",
    "Maximum age of an exchange rate for bookings, counted from the end of its day without Saturdays and Sundays. In the sandbox the built-in rates are never too old.",
    wholeNumber(1, 1_000),
  ),
  nominatimUrl: url(
    "NOMINATIM_URL",
    http,
    "URL of a Nominatim server for finding places and addresses, such as your own. Unset: not used.",
  ),
  nominatimMillisecondsBetween: withDefault(
    "NOMINATIM_MS_BETWEEN",
    "1000",
    "Minimum milliseconds between two requests of a process to the Nominatim server. The public one requires 1000 for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  googleMapsKey: text(
    "GOOGLE_MAPS_API_KEY",
    "API key of Google Maps Platform for places, addresses, restaurants, routes with public transport, weather, air quality and elevations. It is asked before every other provider, its charges are yours, and nothing of its answers but place ids is stored. Unset: not used.",
  ),
  googleMapsUrl: url(
    "GOOGLE_MAPS_URL",
    http,
    "URL that stands before the host of each API of Google Maps Platform in place of `https://`, such as a proxy's: it then gets `/places.googleapis.com/v1/places:searchText`. Unset: the APIs are asked directly.",
  ),
  googleMapsMillisecondsBetween: withDefault(
    "GOOGLE_MAPS_MS_BETWEEN",
    "20",
    "Minimum milliseconds between two requests of a process to one API of Google Maps Platform. Your quotas are set in its console.",
    wholeNumber(0, 60_000),
  ),
  openMeteoUrl: url(
    "OPEN_METEO_URL",
    http,
    "URL of Open-Meteo, such as `https://api.open-meteo.com`, for weather and elevations; its free service is for non-commercial use. Unset: not used.",
  ),
  openMeteoAirQualityUrl: url(
    "OPEN_METEO_AIR_QUALITY_URL",
    http,
    "URL of Open-Meteo's air quality API, such as `https://air-quality-api.open-meteo.com`; its free service is for non-commercial use. Unset: not used.",
  ),
  openTopoDataUrl: url(
    "OPENTOPODATA_URL",
    http,
    "URL of a data set of an Open Topo Data server, such as `https://api.opentopodata.org/v1/srtm90m`. Unset: not used.",
  ),
  openTopoDataMillisecondsBetween: withDefault(
    "OPENTOPODATA_MS_BETWEEN",
    "1000",
    "Minimum milliseconds between two requests of a process to the Open Topo Data server. The public one requires 1000 for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  overpassUrl: url(
    "OVERPASS_URL",
    http,
    "URL of an Overpass server for finding restaurants, hospitals and similar places, such as your own. Unset: not used.",
  ),
  overpassMillisecondsBetween: withDefault(
    "OVERPASS_MS_BETWEEN",
    "1000",
    "Minimum milliseconds between two requests of a process to the Overpass server. The public ones allow about 10000 requests a day for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  osrmDrivingUrl: osrmUrl("OSRM_DRIVING_URL", "for cars"),
  osrmWalkingUrl: osrmUrl("OSRM_WALKING_URL", "for people on foot"),
  osrmBicyclingUrl: osrmUrl("OSRM_BICYCLING_URL", "for bicycles"),
  osrmMillisecondsBetween: withDefault(
    "OSRM_MS_BETWEEN",
    "1000",
    "Minimum milliseconds between two requests of a process to each OSRM server. The public one requires 1000 for the whole deployment.",
    wholeNumber(0, 60_000),
  ),
  mapTilesUrl: url(
    "MAP_TILES_URL",
    http,
    "URL of a map tile server like OpenStreetMap's own, such as `https://tile.openstreetmap.org`, for streets on route maps; it learns the approximate location of the stops. Unset: maps of cities are schematic.",
  ),
  mapTilesMillisecondsBetween: withDefault(
    "MAP_TILES_MS_BETWEEN",
    "50",
    "Minimum milliseconds between two requests of a process to the map tile server. A map takes up to 20 requests.",
    wholeNumber(0, 60_000),
  ),
  providersContact: {
    name: "PROVIDERS_CONTACT",
    fallback: undefined,
    meaning:
      "Your contact for open providers, such as `ops@example.com`; sent in the User-Agent, as their policies require. Unset: PUBLIC_APP_URL.",
    read: readProvidersContact,
  },
  providersTimeoutMilliseconds: withDefault(
    "PROVIDERS_TIMEOUT_MS",
    "5000",
    "Milliseconds that an open provider may take to answer before the next one is asked.",
    wholeNumber(1, 60_000),
  ),
  geocodingProviders: withDefault(
    "GEOCODING_PROVIDERS",
    "google,nominatim,embedded",
    "Providers of places, in this order; the next one is asked if one fails or finds nothing. Providers without a URL or key are skipped.",
    choicesAmong("google", "nominatim", "embedded"),
  ),
  elevationProviders: withDefault(
    "ELEVATION_PROVIDERS",
    "google,opentopodata,open-meteo,embedded",
    "Providers of elevations, in this order; the next one is asked if one fails or finds nothing. Providers without a URL or key are skipped.",
    choicesAmong("google", "opentopodata", "open-meteo", "embedded"),
  ),
  faucetUrl: url(
    "FAUCET_API_URL",
    http,
    "URL of the API of a faucet of the public test networks, such as `https://api.circle.com`, for `faucet_drip` with production keys; needs FAUCET_API_KEY. Unset: such a call answers `chain_not_available`.",
  ),
  faucetApiKey: text("FAUCET_API_KEY", "Key for that API, sent as a bearer token; needs FAUCET_API_URL."),
  visionModelUrl: url(
    "VISION_MODEL_URL",
    http,
    "Base URL of an OpenAI-compatible chat completions API, such as `https://api.openai.com/v1` or your own server's, whose model reads scanned documents that the service itself cannot read with certainty. Pictures of their pages are sent to it. Unset: no document leaves the service.",
  ),
  visionModel: text("VISION_MODEL", "Name of that model, which must accept images."),
  visionModelKey: text("VISION_MODEL_KEY", "API key for that API. Unset: none is sent."),
  visionModelTimeoutSeconds: withDefault(
    "VISION_MODEL_TIMEOUT_SECONDS",
    "30",
    "Seconds that the model may take per page. After that, only what the service itself has read is used.",
    wholeNumber(1, 120),
  ),
};
