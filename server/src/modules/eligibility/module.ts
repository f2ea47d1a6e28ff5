import { createRules } from "./assess.ts";
import { defineModule } from "./context.ts";
import type { EligibilityRules } from "./eligibility-rules.ts";
import { EntryGate } from "./entry-gate.ts";
import { readRegimes } from "./read-regimes.ts";
import { checkTravelEligibility } from "./tools/check-travel-eligibility.ts";
import { checkTripEligibility } from "./tools/check-trip-eligibility.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "eligibility.eligibility": EligibilityRules;
  }
  interface ModuleSettings {
    /** Undefined if only the rules of the service apply. */
    readonly "eligibility.eligibilityDatasetPath": string | undefined;
  }
}
declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "eligibility.eligibility": EligibilityRules;
  }
}

export const eligibilityModule = defineModule({
  name: "eligibility",
  tools: [checkTravelEligibility, checkTripEligibility],
  parts: {
    eligibility: ({ settings: { eligibilityDatasetPath } }) => createRules(readRegimes(eligibilityDatasetPath)),
  },
  ports: ({ eligibility }) => ({ eligibility }),
  gates: ({ eligibility, travelers, stores, maps, clock }) => [
    new EntryGate({ eligibility, travelers, stores, maps, clock }),
  ],
});
