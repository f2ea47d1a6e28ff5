import { z } from "zod";
import { type Issue, invalidInput } from "../domain/errors.ts";
import { nearest } from "../domain/near-match.ts";

const MAXIMUM_ISSUES = 20;

/** Checks arguments against a tool's schema and returns them parsed. Throws `invalid_input` with every issue and its path. */
export function validateArguments(schema: z.ZodObject, args: unknown): unknown {
  const parsed = schema.safeParse(args);
  const stray = strayPrototypeKey(args);
  if (stray !== undefined) throw invalidInput([{ path: stray, message: "unknown property" }]);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues.slice(0, MAXIMUM_ISSUES).flatMap((issue) => toIssues(issue, schema)));
}

/** JSON.parse makes `__proto__` an own property that schema libraries pass over; here it is unknown like any other. */
function strayPrototypeKey(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, "__proto__")) return "__proto__";
  for (const [key, child] of Object.entries(value)) {
    if (typeof child !== "object" || child === null) continue;
    const found = strayPrototypeKey(child);
    if (found !== undefined) return `${key}.${found}`;
  }
  return undefined;
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodObject): Issue[] {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  const known = knownKeysAt(schema, issue.path);
  return issue.keys.map((key) => {
    const near = nearest(key, known);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    return { path: path === "" ? key : `${path}.${key}`, message: `unknown property${hint}` };
  });
}

function knownKeysAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const step of path) {
    at = unwrap(at);
    if (at instanceof z.ZodObject) at = at.shape[String(step)];
    else if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
    else return [];
  }
  at = unwrap(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let at = schema;
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodNullable) at = at.unwrap();
  return at;
}
