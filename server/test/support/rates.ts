import { createEmbeddedFx } from "../../src/adapters/embedded-fx/index.ts";
import type { FxRates } from "../../src/ports/fx.ts";

/** The rates that come with the service, sold without a margin. */
export const embeddedRates: FxRates = { ...createEmbeddedFx(), terms: { marginBps: 0, mostAgeHours: 24 } };
