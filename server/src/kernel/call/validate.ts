import { z } from "zod";
import { type Issue, invalidInput } from "../../domain/errors.ts";
import { nearest } from "../../domain/near-match.ts";
import { findChild, findTooLong, LONGEST_NAME, unwrap } from "./text-bounds.ts";

const MAXIMUM_CHOICES = 20;

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "entries" };

/** A body can hold thousands; more than this helps nobody. */
export const MAXIMUM_ISSUES = 20;
const MAXIMUM_VALUES = 5_000;

/** Checks arguments against a tool's schema and returns them parsed. Throws `invalid_input` with every issue and its path. */
export function validateArguments<Schema extends z.ZodObject>(
  schema: Schema,
  args: unknown,
  maximumValues = MAXIMUM_VALUES,
): z.output<Schema> {
  const { input, issues } = readInput(schema, args, maximumValues);
  if (input === undefined) throw invalidInput(issues);
  return input;
}

/** The arguments parsed, or every issue with its path. */
export function readInput<Schema extends z.ZodObject>(
  schema: Schema,
  args: unknown,
  maximumValues = MAXIMUM_VALUES,
): { input: z.output<Schema> | undefined; issues: readonly Issue[] } {
  // First, because a schema takes long over very many values and blocks every other call.
  const stray = findStray(args, { path: "", key: "", schema }, { values: 0, maximum: maximumValues });
  if (stray !== undefined) return { input: undefined, issues: [stray] };
  const parsed = schema.safeParse(args, { error: sayIssue });
  if (parsed.success) return { input: parsed.data, issues: [] };
  const found = [...parsed.error.issues, ...rulesBroken(schema, args, parsed.error.issues)];
  const issues = found.slice(0, MAXIMUM_ISSUES).flatMap((issue) => toIssues(issue, schema));
  return { input: undefined, issues: issues.slice(0, MAXIMUM_ISSUES) };
}

/**
 * Runs the rules over several arguments, which the schema library skips unless each argument is valid by itself. Valid
 * arguments are passed parsed, the others as sent.
 */
function rulesBroken(schema: z.ZodObject, args: unknown, issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const { checks = [] } = schema.def;
  if (checks.length === 0 || typeof args !== "object" || args === null) return [];
  const sent = new Map(Object.entries(args));
  const values = Object.entries(schema.shape).map(([name, field]) => {
    const parsed = z.safeParse(field, sent.get(name));
    return [name, parsed.success ? parsed.data : sent.get(name)];
  });
  const anything = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, z.unknown()]));
  const rules = schema.clone({ ...schema.def, shape: anything, catchall: z.unknown() });
  try {
    const said = new Set(issues.map(({ path }) => path.join(".")));
    const broken = rules.safeParse(Object.fromEntries(values)).error?.issues ?? [];
    return broken.filter(({ path }) => !said.has(path.join(".")));
  } catch {
    // A rule that cannot handle missing or mistyped arguments is skipped.
    return [];
  }
}

/** `key` is the name of the property that holds the value, directly or in a list. */
interface Place {
  path: string;
  key: string;
  schema: unknown;
}

interface Seen {
  values: number;
  readonly maximum: number;
}

/** Finds values that schemas let pass and no tool accepts. `schema` is undefined where none is known. */
function findStray(value: unknown, { path, key, schema }: Place, seen: Seen): Issue | undefined {
  seen.values += 1;
  if (seen.values > seen.maximum) return { path, message: `the arguments contain more than ${seen.maximum} values` };
  if (typeof value === "string") {
    const message = isStorable(value) ? findTooLong(value, key, schema) : NOT_STORABLE;
    return message === undefined ? undefined : { path, message };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, child] of Object.entries(value)) {
    const childPath = path === "" ? name : `${path}.${name}`;
    // JSON.parse makes `__proto__` an own property, which schema libraries pass over; it is refused like any unknown property.
    if (name === "__proto__") return { path: childPath, message: "unknown property" };
    if (name.length > LONGEST_NAME)
      return { path, message: `has a property name longer than ${LONGEST_NAME} characters` };
    if (!isStorable(name)) return { path: childPath, message: NOT_STORABLE };
    // The schema itself reports it with the known names, and looks no further.
    if (isUnknown(name, schema)) continue;
    const place = { path: childPath, key: isList ? key : name, schema: findChild(schema, name) };
    const found = findStray(child, place, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the schema is a closed object without this member. */
function isUnknown(name: string, schema: unknown): boolean {
  const at = unwrap(schema);
  return at instanceof z.ZodObject && at.def.catchall instanceof z.ZodNever && !Object.hasOwn(at.shape, name);
}

const NOT_STORABLE = "must not contain NUL characters or unpaired surrogates";

/** PostgreSQL stores no NUL, and an unpaired surrogate has no UTF-8. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodObject): Issue[] {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  const known = knownKeysAt(schema, issue.path);
  return issue.keys.slice(0, MAXIMUM_ISSUES).map((key) => {
    const near = nearest(key, known) ?? known.find((name) => isPrefix(key, name));
    const hint = near === undefined ? sayNames(known) : `; did you mean "${near}"?`;
    return { path: path === "" ? key : `${path}.${key}`, message: `unknown property${hint}` };
  });
}

const MOST_NAMED = 30;

/** No known name is similar, so list those that exist. */
const sayNames = (known: readonly string[]): string =>
  known.length === 0 ? "; there is none here" : `; there are: ${known.slice(0, MOST_NAMED).join(", ")}`;

/** "cabin" suggests `cabinClass`. */
function isPrefix(key: string, name: string): boolean {
  return key.length >= 3 && name.toLowerCase().startsWith(key.toLowerCase());
}

function knownKeysAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const step of path) at = findChild(at, String(step));
  at = unwrap(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** Describes the expected argument for a model; undefined keeps the schema library's message. */
function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "too_small" || issue.code === "too_big") return saySize(issue);
  if (issue.code !== "invalid_type" && issue.code !== "invalid_value") return undefined;
  if (issue.input === undefined) return "is missing";
  if (issue.code === "invalid_type" && issue.expected === "int") return `must be a whole number, not ${issue.input}`;
  if (issue.code === "invalid_type")
    return `must be ${withArticle(String(issue.expected))}, not ${describeKind(issue.input)}`;
  const choices = issue.values.map(String);
  if (choices.length === 1) return `must be ${choices[0]}`;
  const near = typeof issue.input === "string" ? nearest(issue.input, choices) : undefined;
  if (choices.length > MAXIMUM_CHOICES) return near === undefined ? undefined : `is not known; did you mean "${near}"?`;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `must be one of ${choices.join(", ")}${hint}`;
}

function saySize(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string {
  const isTooSmall = issue.code === "too_small";
  const bound = isTooSmall ? issue.minimum : issue.maximum;
  const unit = UNITS[String(issue.origin)];
  if (unit === undefined) return `must be at ${isTooSmall ? "least" : "most"} ${bound}`;
  if (issue.exact === true) return `must have exactly ${bound} ${unit}`;
  return `must have at ${isTooSmall ? "least" : "most"} ${bound} ${unit}`;
}

function describeKind(value: unknown): string {
  if (value === null) return "null";
  return withArticle(Array.isArray(value) ? "array" : typeof value);
}

/** JSON has one kind of number, and its name for a record is object. */
function withArticle(kind: string): string {
  const name = kind === "int" ? "integer" : kind === "record" ? "object" : kind;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}
