import type { Graph } from "./cycles.ts";

/** Between these lines of ARCHITECTURE.md stands what `drawModules` writes. */
const BLOCK = /(<!-- modules: written by `npm run gen` -->\n).*?(<!-- end of modules -->)/s;

export function replaceDrawing(page: string, drawing: string): string {
  if (!BLOCK.test(page)) throw new Error("ARCHITECTURE.md has no block for the modules");
  return page.replace(BLOCK, (_, begin: string, end: string) => `${begin}${drawing}${end}`);
}

/** The modules in levels: each needs only modules of earlier levels. No two may need each other. */
export function drawModules(modules: readonly string[], needs: Graph): string {
  const count = [...needs.values()].reduce((sum, others) => sum + others.size, 0);
  const rows = computeLevels(modules, needs).map((names, level) => `| ${level} | ${names.join(", ")} |`);
  return [
    `${modules.length} modules with ${count} needs and no cycle. Each module needs only modules of earlier levels.`,
    "",
    "| Level | Modules |",
    "|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function computeLevels(modules: readonly string[], needs: Graph): string[][] {
  const levels = new Map<string, number>();
  const computeLevel = (name: string): number => {
    const known = levels.get(name);
    if (known !== undefined) return known;
    const level = Math.max(-1, ...[...(needs.get(name) ?? [])].map(computeLevel)) + 1;
    levels.set(name, level);
    return level;
  };
  const byLevel = Map.groupBy(modules.toSorted(), computeLevel);
  return [...byLevel].toSorted(([one], [other]) => one - other).map(([, names]) => names);
}
