import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { z } from "zod";
import { Dataset, Regime } from "./regime-schema.ts";

const FOLDER = resolve(import.meta.dirname, "regimes");
const EMBEDDED = "Entry rules included with the service";
const OPERATORS = "Entry rules from the operator's dataset";

export interface KnownRegime {
  regime: Regime;
  /** The origin of the rules, in words. */
  source: string;
}

/** By the country of entry. An operator's regime replaces the embedded one with its id, and takes precedence for its countries. */
export type Regimes = ReadonlyMap<string, KnownRegime>;

export function readRegimes(datasetPath: string | undefined): Regimes {
  const own = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map(readEmbedded);
  const operators = datasetPath === undefined ? [] : readDataset(datasetPath);
  const replaced = new Set(operators.map(({ id }) => id));
  const byCountry = new Map<string, KnownRegime>();
  const add = (regime: Regime, source: string) => {
    for (const country of regime.countries) byCountry.set(country, { regime, source });
  };
  for (const regime of own) if (!replaced.has(regime.id)) add(regime, EMBEDDED);
  for (const regime of operators) add(regime, OPERATORS);
  return byCountry;
}

function readEmbedded(name: string): Regime {
  const regime = parse(resolve(FOLDER, name), Regime);
  if (regime.id !== basename(name, ".json")) throw new Error(`regimes/${name} has the id ${regime.id}`);
  return regime;
}

function readDataset(path: string): readonly Regime[] {
  try {
    return parse(path, Dataset).regimes;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`ELIGIBILITY_DATASET_PATH: ${path} cannot be used. ${reason}`);
  }
}

function parse<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  const { data, error } = schema.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (error !== undefined) throw new Error(`${basename(path)}: ${z.prettifyError(error)}`);
  return data;
}
