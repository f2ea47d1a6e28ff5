import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule, type Settings } from "./context.ts";
import type { PersonalData } from "./personal-data.ts";
import { travelerRoutes } from "./routes.ts";
import { privacyRoutes } from "./routes-privacy.ts";
import { countProfiles, createTravelers } from "./store.ts";
import { createErasures } from "./store-erasures.ts";
import { createPersonalData } from "./store-personal-data.ts";
import { createTravelerRecords } from "./store-records.ts";
import { listTravelers } from "./tools/list-travelers.ts";
import { saveTraveler } from "./tools/save-traveler.ts";
import type { Travelers } from "./traveler-profile.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "travelers.travelers": Travelers;
    readonly "travelers.personalData": PersonalData;
  }
  interface ModuleSettings {
    readonly "travelers.keepGuestsDays": number;
    /** 0: kept until they are deleted. */
    readonly "travelers.keepTravelersDays": number;
  }
}

const ERASE_MILLISECONDS = 600_000;

function retentionLimits({ keepGuestsDays, keepTravelersDays }: Settings, now: Temporal.Instant) {
  const daysAgo = (days: number) => now.subtract({ hours: 24 * days });
  return {
    guests: daysAgo(keepGuestsDays),
    travelers: keepTravelersDays === 0 ? undefined : daysAgo(keepTravelersDays),
  };
}

export const travelersModule = defineModule({
  name: "travelers",
  tools: [listTravelers, saveTraveler],
  routes: [...travelerRoutes, ...privacyRoutes],
  stores: ({ db, vault, clock, personRecords }) => ({
    travelerRecords: createTravelerRecords({ db, vault, clock, personRecords }),
    erasures: createErasures({ db, vault, clock, personRecords }),
  }),
  parts: {
    travelers: ({ db, vault, clock, settings: { networkMode } }) => createTravelers({ db, vault, clock, networkMode }),
    personalData: ({ stores, random, log }) => createPersonalData({ stores, random, log }),
  },
  ports: ({ travelers }) => ({ travelers }),
  jobs: ({ personalData, clock, settings }) => [
    defineJob({
      name: "erase-old-persons",
      everyMilliseconds: ERASE_MILLISECONDS,
      run: () => personalData.eraseOld(retentionLimits(settings, clock.now())),
    }),
  ],
  async facts({ db, settings: { networkMode } }) {
    if (networkMode === "sandbox" || (await countProfiles(db, "production")) > 0) return [];
    const others = await countProfiles(db, "sandbox");
    const text = `production has none yet${others === 0 ? "" : `: the ${others} that are stored are the sandbox's`}`;
    return [{ label: "travelers", text }];
  },
});
