import { readFileSync } from "node:fs";
import { z } from "zod";
import { variables } from "../../config/config.ts";
import { NOTICE, table } from "./markdown.ts";

/** The variables that the launcher reads before it starts the service. */
const LAUNCHER_VARIABLES = new URL("../../../../scripts/launcher-variables.json", import.meta.url);
const LauncherVariables = z.array(z.object({ name: z.string(), meaning: z.string() }));

export function configPage(): string {
  const launcherVariables = LauncherVariables.parse(JSON.parse(readFileSync(LAUNCHER_VARIABLES, "utf8")));
  const ofLauncher = launcherVariables.map(({ name, meaning }) => [`\`${name}\``, "unset", meaning]);
  const rows = Object.values(variables).map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    shownDefault(fallback),
    meaning,
  ]);
  return `${NOTICE}\n# Configuration\n\nEnvironment variables, read once at startup.\n\n${table(["Variable", "Default", "Meaning"], [...rows, ...ofLauncher])}\n`;
}

function shownDefault(fallback: string | undefined): string {
  if (fallback === undefined) return "unset";
  return fallback === "" ? "empty" : `\`${fallback}\``;
}
