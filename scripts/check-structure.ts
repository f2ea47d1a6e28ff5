// Holds the source against the rules of ARCHITECTURE.md: `npm run check`. `--write` draws the modules there: `npm run gen`.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { drawModules, replaceDrawing } from "./structure/draw-modules.ts";
import { declaredNeeds, listModules, moduleRings } from "./structure/modules.ts";
import { rules } from "./structure/rules.ts";
import { readSource } from "./structure/source.ts";

const FOLDERS = [
  "server",
  "sandbox",
  "devnet",
  "attester",
  "carriers",
  "chaos",
  "conformance",
  "bridge",
  "dashboard",
  "bench",
  "contracts",
  "examples",
  "client",
  "scripts",
];

const root = resolve(import.meta.dirname, "..");
const files = readSource(root, FOLDERS);
const found = Object.entries(rules).flatMap(([name, rule]) => rule(files).map((line) => `${name}: ${line}`));

// Modules that need each other cannot be drawn, and are a violation already.
const needs = declaredNeeds(files);
if (moduleRings(needs).length === 0) {
  const pageFile = resolve(root, "ARCHITECTURE.md");
  const page = readFileSync(pageFile, "utf8");
  const drawn = replaceDrawing(page, drawModules(listModules(files), needs));
  if (process.argv.includes("--write")) writeFileSync(pageFile, drawn);
  else if (drawn !== page) found.push("ARCHITECTURE.md: its drawing of the modules is out of date: npm run gen");
}

for (const line of found) process.stdout.write(`${line}\n`);
process.stdout.write(`structure: ${files.length} files, ${found.length} violations\n`);
process.exitCode = found.length === 0 ? 0 : 1;
