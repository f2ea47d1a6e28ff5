import { readFileSync } from "node:fs";
import { z } from "zod";

const Package = z.object({ version: z.string() });

/** The version of this source tree. */
export function productVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return Package.parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
