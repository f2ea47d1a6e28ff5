// The part of the solc command line that forge needs: `--version`, and standard JSON with inlined sources from standard input.
import { readFileSync, writeSync } from "node:fs";
import { compileOrRecall, solcVersion } from "./kept-compilation.ts";

const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;

/** A pipe takes what it has room for. */
function writeWhole(text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
}

if (process.argv.includes("--version")) {
  writeWhole(`solc, the solidity compiler commandline interface\nVersion: ${solcVersion}\n`);
} else {
  writeWhole(compileOrRecall(readFileSync(STANDARD_INPUT, "utf8")));
}
