// What forge needs of the solc command line: `--version`, and standard JSON from standard input. Sources come inside it.
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
