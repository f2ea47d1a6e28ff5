import { defineModule } from "./context.ts";
import { missingSources } from "./missing-sources.ts";
import { airQualityBrief } from "./tools/air-quality-brief.ts";
import { airportArrivalPlaybook } from "./tools/airport-arrival-playbook.ts";
import { airportTransferCoordinator } from "./tools/airport-transfer-coordinator.ts";
import { recommendRestaurants } from "./tools/recommend-restaurants.ts";
import { restaurantRouteCard } from "./tools/restaurant-route-card.ts";
import { travelSafetyAid } from "./tools/travel-safety-aid.ts";
import { tripCheckinReminder } from "./tools/trip-checkin-reminder.ts";
import { tripDelayReplanner } from "./tools/trip-delay-replanner.ts";
import { tripWeatherBrief } from "./tools/trip-weather-brief.ts";

/** Help around a trip that is put together from what other parts know. */
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
