import type { EmbeddedPlaces } from "../adapters/embedded-places/index.ts";
import { createGoogleAirQuality } from "../adapters/google-maps/air-quality.ts";
import { createGoogleWeather } from "../adapters/google-maps/weather.ts";
import { createOpenMeteoAirQuality } from "../adapters/open-meteo/air-quality.ts";
import { createOpenMeteoForecast } from "../adapters/open-meteo/forecast.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conditions } from "../ports/conditions.ts";
import { knowsNothing } from "./knows-nothing.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const ORDER = ["google", "open-meteo", "embedded"] as const;

export function openConditions(
  { google, ...sources }: Pick<OpenSources, "google" | "openMeteo" | "openMeteoAirQuality">,
  places: Pick<EmbeddedPlaces, "countryCodeAt" | "timeZonesAt">,
  clock: Clock,
): Conditions {
  const embedded = knowsNothing(clock);
  const weather = inOrder(ORDER, {
    google: over(google.weather, createGoogleWeather),
    "open-meteo": over(sources.openMeteo, createOpenMeteoForecast),
    embedded,
  });
  const air = inOrder(ORDER, {
    google: over(google.airQuality, (api) => createGoogleAirQuality(api, places)),
    "open-meteo": over(sources.openMeteoAirQuality, createOpenMeteoAirQuality),
    embedded,
  });
  return {
    weatherAt: (position, signal) => askProviders(weather, position, signal),
    airAt: (position, signal) => askProviders(air, position, signal),
  };
}
