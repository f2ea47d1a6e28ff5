import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import solc from "solc";
import * as z from "zod";

const FOLDER = resolve(import.meta.dirname, "../../node_modules/.cache/solc");
const KEPT = 8;

export const solcVersion = z.string().parse(solc.version());

/**
 * The compiler's output for an input that holds all of its sources. It depends only on the compiler and the input and
 * takes up to half a minute, so the last ones are kept.
 */
export function compileOrRecall(input: string): string {
  const name = `${createHash("sha256").update(`${solcVersion}\n${input}`).digest("hex")}.json`;
  try {
    return readFileSync(join(FOLDER, name), "utf8");
  } catch {
    const output = z.string().parse(solc.compile(input));
    keep(name, output);
    return output;
  }
}

function keep(name: string, output: string): void {
  const unfinished = join(FOLDER, `${name}.${process.pid}`);
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(unfinished, output);
    renameSync(unfinished, join(FOLDER, name));
    const paths = readdirSync(FOLDER).map((file) => join(FOLDER, file));
    const newestFirst = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
    for (const path of newestFirst.slice(KEPT)) rmSync(path, { force: true });
  } catch {
    // Somebody else's folder, or two compilations that end at once: the next one compiles again.
  }
}
