import { defineModule } from "./context.ts";
import { elevationRiskBrief } from "./tools/elevation-risk-brief.ts";
import { geocodeTripStop } from "./tools/geocode-trip-stop.ts";
import { timezoneBrief } from "./tools/timezone-brief.ts";
import { validateTravelAddress } from "./tools/validate-travel-address.ts";

export const placesModule = defineModule({
  name: "places",
  tools: [geocodeTripStop, timezoneBrief, validateTravelAddress, elevationRiskBrief],
});
