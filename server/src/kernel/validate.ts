import { z } from "zod";
import { type Issue, invalidInput } from "../domain/errors.ts";
import { nearest } from "../domain/near-match.ts";
import { sayIssue } from "./say-issue.ts";

/** As many as help; a body can hold thousands. */
export const MAXIMUM_ISSUES = 20;
const MAXIMUM_VALUES = 5_000;

/** Checks arguments against a tool's schema and returns them parsed. Throws `invalid_input` with every issue and its path. */
export function validateArguments<Schema extends z.ZodObject>(
  schema: Schema,
  args: unknown,
  maximumValues = MAXIMUM_VALUES,
): z.output<Schema> {
  // First, because a schema takes long over very many values, and every other call waits meanwhile.
  const stray = findStray(args, "", { values: 0, maximum: maximumValues });
  if (stray !== undefined) throw invalidInput([stray]);
  const parsed = schema.safeParse(args, { error: sayIssue });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAXIMUM_ISSUES).flatMap((issue) => toIssues(issue, schema));
  throw invalidInput(issues.slice(0, MAXIMUM_ISSUES));
}

/** What no tool can mean, and schemas let pass. */
function findStray(
  value: unknown,
  path: string,
  seen: { values: number; readonly maximum: number },
): Issue | undefined {
  seen.values += 1;
  if (seen.values > seen.maximum) return { path, message: `the arguments hold more than ${seen.maximum} values` };
  if (typeof value === "string") return isStorable(value) ? undefined : { path, message: NOT_STORABLE };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const childPath = path === "" ? key : `${path}.${key}`;
    // JSON.parse makes `__proto__` an own property that schema libraries pass over; here it is unknown like any other.
    if (key === "__proto__") return { path: childPath, message: "unknown property" };
    const found = isStorable(key) ? findStray(child, childPath, seen) : { path: childPath, message: NOT_STORABLE };
    if (found !== undefined) return found;
  }
  return undefined;
}

const NOT_STORABLE = "must not hold NUL characters or unpaired surrogates";

/** PostgreSQL keeps no NUL, and an unpaired surrogate has no UTF-8. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodObject): Issue[] {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  const known = knownKeysAt(schema, issue.path);
  return issue.keys.slice(0, MAXIMUM_ISSUES).map((key) => {
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
