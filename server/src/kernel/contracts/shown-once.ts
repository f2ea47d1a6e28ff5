import { z } from "zod";

/**
 * Values that a caller gets or sends once, such as a claim code. Stored copies of a call, for replays or the books,
 * have `SHOWN_ONCE_TEXT` in their place. A schema marks them; their paths are computed once for each tool.
 */
export const SHOWN_ONCE_TEXT = "shown once, and not stored";

/** A separate registry keeps the mark out of published JSON Schemas, which strict clients would refuse. */
const marks = z.registry<{ shownOnce: true }>();

/** Marks a text of a tool's input or output. */
export function shownOnce<Schema extends z.ZodType<string>>(schema: Schema): Schema {
  marks.add(schema, { shownOnce: true });
  return schema;
}

export function isShownOnce(schema: z.core.$ZodType): boolean {
  return marks.get(schema)?.shownOnce === true;
}

/** Removes shown-once values. A value without any is returned as it is. */
export type Redact = (value: unknown) => unknown;

/** Names of properties, and places in lists, down to a marked value; `*` stands for all. */
type Path = readonly string[];

const EVERY = "*";
const nothing: Redact = (value) => value;

/** Throws if a marked schema could not hold the replacement text. */
export function buildRedaction(schema: z.ZodType, io: "input" | "output"): Redact {
  const marked = z.toJSONSchema(schema, { io, metadata: marks });
  const search: Search = { io, root: marked, within: new Set(), loops: new Set() };
  const paths = pathsIn(marked, search);
  if (paths.length === 0) return nothing;
  if (search.loops.size > 0) throw new Error("Shown-once values cannot be found in a schema that holds itself.");
  return (value) => paths.reduce((kept: unknown, path) => without(kept, path), value);
}

interface Search {
  io: "input" | "output";
  root: unknown;
  within: ReadonlySet<string>;
  /** Recursive definitions. */
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
    ...toList(prefixItems).flatMap((child, index) => below(String(index), child)),
    ...[anyOf, oneOf, allOf].flatMap(toList).flatMap((child) => pathsIn(child, search)),
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

/** A stored result becomes an answer again, so it must fit the published schema. */
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

/** Whether a value was removed from it. */
export function lacksShownOnce(kept: unknown): boolean {
  if (typeof kept !== "object" || kept === null) return kept === SHOWN_ONCE_TEXT;
  return Object.values(kept).some(lacksShownOnce);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
