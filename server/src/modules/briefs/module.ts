import type { MissingPart } from "../../kernel/contracts/account.ts";
import { defineModule, type Settings } from "./context.ts";
import { airQualityBrief } from "./tools/air-quality-brief.ts";
import { recommendRestaurants } from "./tools/recommend-restaurants.ts";
import { restaurantRouteCard } from "./tools/restaurant-route-card.ts";
import { travelSafetyAid } from "./tools/travel-safety-aid.ts";
import { tripWeatherBrief } from "./tools/trip-weather-brief.ts";

/** Briefs on a place for the day: weather, air, safety, restaurants. */
export const briefsModule = defineModule({
  name: "briefs",
  tools: [tripWeatherBrief, airQualityBrief, travelSafetyAid, recommendRestaurants, restaurantRouteCard],
  account: ({ settings }) => ({ missing: missingSources(settings) }),
});

declare module "../../kernel/contracts/parts.ts" {
  /** URLs of the open providers of briefs; undefined ones are not asked. */
  interface ModuleSettings {
    readonly "briefs.openMeteoUrl": string | undefined;
    readonly "briefs.openMeteoAirQualityUrl": string | undefined;
    readonly "briefs.overpassUrl": string | undefined;
  }
}

const SOURCES: readonly { setting: keyof Settings; variable: string; without: string }[] = [
  {
    setting: "openMeteoUrl",
    variable: "OPEN_METEO_URL",
    without: "trip_weather_brief has only sunrise and sunset, no weather: no source of forecasts is configured.",
  },
  {
    setting: "openMeteoAirQualityUrl",
    variable: "OPEN_METEO_AIR_QUALITY_URL",
    without: "air_quality_brief has no measurements: no source of air quality is configured.",
  },
  {
    setting: "overpassUrl",
    variable: "OVERPASS_URL",
    without: "recommend_restaurants and travel_safety_aid know no places nearby: no source of places is configured.",
  },
];

/** Parts of briefs that are missing because the operator configured no source. */
function missingSources(settings: Settings): MissingPart[] {
  return SOURCES.filter(({ setting }) => settings[setting] === undefined).map(({ variable, without }) => ({
    what: without,
    how: `The operator sets ${variable} and starts the service again.`,
    page: "config",
  }));
}
