import { defineModule } from "../../kernel/module.ts";
import { travelerRoutes } from "./routes.ts";
import { countProfiles, createTravelers } from "./store.ts";
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
  async facts({ db, settings: { networkMode } }) {
    if (networkMode === "sandbox" || (await countProfiles(db, "production")) > 0) return [];
    const others = await countProfiles(db, "sandbox");
    const text = `production has none yet${others === 0 ? "" : `: the ${others} that are stored are the sandbox's`}`;
    return [{ label: "travelers", text }];
  },
});
