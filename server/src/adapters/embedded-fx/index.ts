import { readFileSync } from "node:fs";
import { z } from "zod";
import { MICRO_PER_UNIT, parseDecimal } from "../../domain/money.ts";
import type { RateSource, RateTable } from "../../ports/fx.ts";

const File = z.object({ source: z.string(), asOf: z.string(), perEuro: z.record(z.string(), z.string()) });

/** Built-in reference rates of one day: good for trials, and labelled as old. */
export function createEmbeddedFx(): RateSource {
  const path = new URL("./data/reference-rates.json", import.meta.url);
  const { source, asOf, perEuro } = File.parse(JSON.parse(readFileSync(path, "utf8")));
  const provenance = {
    source: `${source} of ${asOf}: a fixed table that comes with the service`,
    sourceLevel: "embedded" as const,
    asOf,
  };
  const table: RateTable = { provenance, perEuro: readRates(perEuro) };
  return { table: async () => table };
}

function readRates(texts: Readonly<Record<string, string>>): ReadonlyMap<string, bigint> {
  const rates = new Map([["EUR", MICRO_PER_UNIT]]);
  for (const [currency, text] of Object.entries(texts)) {
    const rate = parseDecimal(text);
    if (rate === undefined || rate === 0n) throw new Error(`The embedded rate of ${currency} is no rate.`);
    rates.set(currency, rate);
  }
  return rates;
}
