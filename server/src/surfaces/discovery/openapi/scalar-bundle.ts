import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The API reference's program as one script: its package for another web server carries it, whole, as a string literal. */
const PACKAGE = "@scalar/fastify-api-reference";
const BEGINNING = '\nvar standalone_default = "';
const END = '";\n';

interface ScalarBundle {
  script: string;
  /** Changes with the script. */
  hash: string;
}

/** Reads 4 MB: for who asks first, not for the start. */
export function readScalarBundle(): ScalarBundle {
  const module = readFileSync(fileURLToPath(import.meta.resolve(PACKAGE)), "utf8");
  const begin = module.indexOf(BEGINNING);
  const end = module.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`${PACKAGE} no longer carries the script where it was.`);
  const script = parseLiteral(module.slice(begin + BEGINNING.length - 1, end + 1));
  return { script, hash: createHash("sha256").update(script).digest("hex").slice(0, 16) };
}

/** A JSON string may not hold control characters bare; a literal of JavaScript may. */
function parseLiteral(literal: string): string {
  const controls = /\p{Cc}/gu;
  const value: unknown = JSON.parse(literal.replace(controls, (character) => JSON.stringify(character).slice(1, -1)));
  if (typeof value !== "string") throw new Error(`${PACKAGE} no longer carries the script as text.`);
  return value;
}
