import { join } from "node:path";
import { z } from "zod";
import { readPrivateJson, writePrivateJson } from "../platform/files/private-files.ts";
import type { ProcessIdentity } from "./process-identity.ts";

const Entry = z.object({
  name: z.string(),
  pid: z.int(),
  startTime: z.string(),
  port: z.int(),
  url: z.string(),
  /** False while it starts, and again before it is stopped. */
  ready: z.boolean(),
});
const PartsFile = z.object({
  /** The folder for which it was written: a copied DATA_DIR must not claim the processes of the original. */
  dataDir: z.string(),
  owner: z.object({ pid: z.int(), startTime: z.string() }).nullable(),
  parts: z.array(Entry),
});

export type PartEntry = z.infer<typeof Entry>;

const partsPath = (dataDir: string): string => join(dataDir, "parts.json");

export const readParts = (dataDir: string): readonly PartEntry[] => {
  const file = readPrivateJson(partsPath(dataDir), PartsFile);
  return file?.dataDir === dataDir ? file.parts : [];
};

/** Only the owner writes. */
export const writeParts = (dataDir: string, owner: ProcessIdentity | null, parts: readonly PartEntry[]): void =>
  writePrivateJson(partsPath(dataDir), { dataDir, owner, parts });
