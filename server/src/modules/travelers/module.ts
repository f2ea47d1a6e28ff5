import { defineModule } from "../../kernel/module.ts";
import { travelerRoutes } from "./routes.ts";
import { createTravelers } from "./store.ts";
import { listTravelers } from "./tools/list-travelers.ts";
import { saveTraveler } from "./tools/save-traveler.ts";
import type { Travelers } from "./traveler-profile.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    readonly travelers: Travelers;
  }
}

export const travelersModule = defineModule({
  name: "travelers",
  needs: ["identity"],
  tools: [listTravelers, saveTraveler],
  routes: travelerRoutes,
  parts: {
    travelers: ({ db, vault, clock, settings: { networkMode } }) => createTravelers({ db, vault, clock, networkMode }),
  },
  ports: ({ travelers }) => ({ travelers }),
});
