import type { MissingPart } from "../../kernel/contracts/account.ts";
import type { RateTable } from "../../ports/fx.ts";

/** Built-in rates grow old: prices in other currencies are then refused, and conversions are of that day. */
export function describeRates({ provenance }: RateTable): MissingPart[] {
  if (provenance.sourceLevel !== "embedded") return [];
  return [
    {
      what: `Current exchange rates: quote_fx, and prices in currencies other than US dollars, use built-in rates from ${provenance.asOf}.`,
      how: "The operator sets FX_RATES_URL and restarts the service.",
      page: "config",
    },
  ];
}
