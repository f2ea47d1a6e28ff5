import { z } from "zod";

/**
 * Values that a caller gets or sends once, such as a claim code: what is kept of a call, for a replay or for the books, has
 * `SHOWN_ONCE_TEXT` in their place. A schema says which they are; where they stand is worked out once for each tool.
 */
export const SHOWN_ONCE_TEXT = "shown once, and not stored";

/** A registry of our own: the published JSON Schemas do not have the mark, which strict clients would refuse as a keyword. */
const marks = z.registry<{ shownOnce: true }>();

/** Marks a text of a tool's input or output. */
export function shownOnce<Schema extends z.ZodType<string>>(schema: Schema): Schema {
  marks.add(schema, { shownOnce: true });
  return schema;
}

export function isShownOnce(schema: z.core.$ZodType): boolean {
  return marks.get(schema)?.shownOnce === true;
}

/** Takes out of a value what is shown once. A value without any is given back as it is. */
export type Redact = (value: unknown) => unknown;

/** Names of properties, and places in lists, down to a marked value; `*` stands for every one. */
type Path = readonly string[];

const EVERY = "*";
const nothing: Redact = (value) => value;

/** Throws for a mark on what cannot hold the text in its place. */
export function redactionOf(schema: z.ZodType, io: "input" | "output"): Redact {
  const marked = z.toJSONSchema(schema, { io, metadata: marks });
  const search: Search = { io, root: marked, within: new Set(), loops: new Set() };
  const paths = pathsIn(marked, search);
  if (paths.length === 0) return nothing;
  if (search.loops.size > 0) throw new Error("What is shown once cannot be found in a schema that holds itself.");
  return (value) => paths.reduce((kept: unknown, path) => without(kept, path), value);
}

interface Search {
  io: "input" | "output";
  root: unknown;
  within: ReadonlySet<string>;
  /** Definitions that hold themselves. */
  loops: Set<string>;
}

function pathsIn(schema: unknown, search: Search): Path[] {
  if (!isRecord(schema)) return [];
  if (schema.shownOnce === true) return [markedHere(schema, search.io)];
  const below = (name: string, child: unknown) => pathsIn(child, search).map((path) => [name, ...path]);
  const { properties, items, prefixItems, additionalProperties, anyOf, oneOf, allOf, $ref } = schema;
  return [
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, child]) => below(name, child)),
    ...[items, additionalProperties].flatMap((child) => below(EVERY, child)),
    ...listOf(prefixItems).flatMap((child, index) => below(String(index), child)),
    ...[anyOf, oneOf, allOf].flatMap(listOf).flatMap((child) => pathsIn(child, search)),
    ...(typeof $ref === "string" ? pathsBehind($ref, search) : []),
  ];
}

function pathsBehind(reference: string, search: Search): Path[] {
  if (search.within.has(reference)) {
    search.loops.add(reference);
    return [];
  }
  const steps = reference.split("/").slice(1);
  const target = steps.reduce((at: unknown, step) => (isRecord(at) ? at[step] : undefined), search.root);
  return pathsIn(target, { ...search, within: new Set([...search.within, reference]) });
}

const NARROWER = ["pattern", "format", "enum", "const", "maxLength"];

/** What is kept of a result is an answer again: it must fit the schema that was published. */
function markedHere(schema: Readonly<Record<string, unknown>>, io: Search["io"]): Path {
  const narrower = io === "output" && NARROWER.some((keyword) => schema[keyword] !== undefined);
  if (schema.type !== "string" || narrower) throw new Error("Only a plain text can be marked as shown once.");
  return [];
}

function without(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return value === undefined || value === null ? value : SHOWN_ONCE_TEXT;
  if (Array.isArray(value)) {
    return value.map((entry, index) => (step === EVERY || step === String(index) ? without(entry, rest) : entry));
  }
  if (!isRecord(value)) return value;
  const names = step === EVERY ? Object.keys(value) : [step].filter((name) => Object.hasOwn(value, name));
  return names.length === 0
    ? value
    : { ...value, ...Object.fromEntries(names.map((name) => [name, without(value[name], rest)])) };
}

/** Whether something was taken out of it. */
export function lacksShownOnce(kept: unknown): boolean {
  if (typeof kept !== "object" || kept === null) return kept === SHOWN_ONCE_TEXT;
  return Object.values(kept).some(lacksShownOnce);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
