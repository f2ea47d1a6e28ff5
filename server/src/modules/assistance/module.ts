import type { MissingPart } from "../../kernel/contracts/account.ts";
import { defineModule, type Settings } from "./context.ts";
import { airQualityBrief } from "./tools/air-quality-brief.ts";
import { airportArrivalPlaybook } from "./tools/airport-arrival-playbook.ts";
import { airportTransferCoordinator } from "./tools/airport-transfer-coordinator.ts";
import { recommendRestaurants } from "./tools/recommend-restaurants.ts";
import { restaurantRouteCard } from "./tools/restaurant-route-card.ts";
import { travelSafetyAid } from "./tools/travel-safety-aid.ts";
import { tripCheckinReminder } from "./tools/trip-checkin-reminder.ts";
import { tripDelayReplanner } from "./tools/trip-delay-replanner.ts";
import { tripWeatherBrief } from "./tools/trip-weather-brief.ts";

/** Help around a trip, put together from other modules' knowledge. */
export const assistanceModule = defineModule({
  name: "assistance",
  tools: [
    tripCheckinReminder,
    tripWeatherBrief,
    airQualityBrief,
    airportTransferCoordinator,
    airportArrivalPlaybook,
    tripDelayReplanner,
    travelSafetyAid,
    recommendRestaurants,
    restaurantRouteCard,
  ],
  account: ({ settings }) => ({ missing: missingSources(settings) }),
});

declare module "../../kernel/contracts/parts.ts" {
  /** URLs of the open providers of briefs; undefined ones are not asked. */
  interface ModuleSettings {
    readonly "assistance.openMeteoUrl": string | undefined;
    readonly "assistance.openMeteoAirQualityUrl": string | undefined;
    readonly "assistance.overpassUrl": string | undefined;
  }
}

const SOURCES: readonly { setting: keyof Settings; variable: string; without: string }[] = [
  {
    setting: "openMeteoUrl",
    variable: "OPEN_METEO_URL",
    without: "trip_weather_brief has no weather, only the sun's times: no source of forecasts is configured.",
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
  }));
}
