import { variables } from "../../config/config.ts";
import { NOTICE, table } from "./markdown.ts";

export function configPage(): string {
  const rows = Object.values(variables).map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    shownDefault(fallback),
    meaning,
  ]);
  return `${NOTICE}\n# Configuration\n\nEnvironment variables, read once at the start.\n\n${table(["Variable", "Default", "Meaning"], rows)}\n`;
}

function shownDefault(fallback: string | undefined): string {
  if (fallback === undefined) return "unset";
  return fallback === "" ? "empty" : `\`${fallback}\``;
}
