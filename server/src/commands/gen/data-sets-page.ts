import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { NOTICE, table } from "./markdown.ts";

const SOURCE = resolve(import.meta.dirname, "../..");

/** Each data folder describes its contents in `data-sets.json`. */
const DataSets = z.array(
  z.strictObject({
    name: z.string(),
    usedFor: z.string(),
    source: z.string(),
    licence: z.string(),
    date: z.string(),
    changes: z.string(),
  }),
);

export type DataSet = z.output<typeof DataSets>[number];

export function readDataSets(): DataSet[] {
  const files = globSync("{adapters,modules}/*/data/data-sets.json", { cwd: SOURCE }).sort();
  return files.flatMap((file) => DataSets.parse(JSON.parse(readFileSync(resolve(SOURCE, file), "utf8"))));
}

export function dataSetsPage(): string {
  const rows = readDataSets().map(({ name, usedFor, source, licence, date, changes }) => [
    name,
    usedFor,
    source,
    licence,
    date,
    changes,
  ]);
  const head = ["Data", "Used for", "Source", "Licence", "Date", "Changed"];
  return `${NOTICE}\n# Data sets\n\nData included with the service, used when no provider is configured. Answers based on it contain \`sourceLevel: "embedded"\`.\n\n${table(head, rows)}\n`;
}
