// Holds the source against the rules of ARCHITECTURE.md: `npm run check`.
import { resolve } from "node:path";
import { rules } from "./structure/rules.ts";
import { readSource } from "./structure/source.ts";

const FOLDERS = [
  "server",
  "sandbox",
  "devnet",
  "chaos",
  "conformance",
  "bridge",
  "bench",
  "contracts",
  "examples",
  "scripts",
];

const files = readSource(resolve(import.meta.dirname, ".."), FOLDERS);
const found = Object.entries(rules).flatMap(([name, rule]) => rule(files).map((line) => `${name}: ${line}`));
for (const line of found) process.stdout.write(`${line}\n`);
process.stdout.write(`structure: ${files.length} files, ${found.length} violations\n`);
process.exitCode = found.length === 0 ? 0 : 1;
