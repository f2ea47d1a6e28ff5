import { createEcbRates } from "../adapters/ecb/index.ts";
import { createEmbeddedFx } from "../adapters/embedded-fx/index.ts";
import type { Config } from "../config/config.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import type { Clock } from "../ports/clock.ts";
import type { FxRates } from "../ports/fx.ts";
import type { Log } from "../ports/log.ts";

export function openExchangeRates(
  config: Pick<Config, "fxRatesUrl" | "fxMarginBps" | "fxMostAgeHours">,
  { clock, http, log }: { clock: Clock; http: HttpClient; log: Log },
): FxRates {
  const fallback = createEmbeddedFx();
  const { fxRatesUrl: url, fxMarginBps: marginBps, fxMostAgeHours: mostAgeHours } = config;
  const source = url === undefined ? fallback : createEcbRates({ url, http, fallback, clock, log });
  return { ...source, terms: { marginBps, mostAgeHours } };
}
