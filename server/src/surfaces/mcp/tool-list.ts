import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { nearest } from "../../domain/near-match.ts";
import { hasAnyScope, type ToolEffect, toolAreas } from "../../domain/scopes.ts";
import type { Catalog, CatalogEntry } from "../../kernel/contracts/catalog.ts";

/** The tools that a kind of caller sees, shared by callers with the same scopes and filters. */
export interface ToolList {
  /** Equal for equal lists, as a cache key. */
  readonly key: string;
  readonly tools: Tool[];
  /** The tools of the registry that the caller can find or see. */
  readonly entries: readonly CatalogEntry[];
  /** Few tools are listed, through which the others are found and called. */
  readonly isSearch: boolean;
  /** Tools that move money can neither be seen nor called. */
  readonly withoutMoney: boolean;
}

export interface ListWish {
  areas: readonly string[] | undefined;
  readOnly: boolean;
  /** Leaves out tools that move money. */
  withoutMoney: boolean;
  isSearch: boolean;
}

/** Whose list it is: that of a key's scopes, of those who pay for single calls, or everything. */
export type ListReader = readonly string[] | "payers" | "all";

interface ToolLists {
  of(reader: ListReader, wish: ListWish): ToolList;
}

/** There are few combinations of scopes and filters; further ones are not cached. */
const MAXIMUM_LISTS = 200;

/** Directories ask for these. The others have their defaults, and say nothing about a tool that only reads. */
const annotationsByEffect: Readonly<Record<ToolEffect, Tool["annotations"]>> = {
  read: { readOnlyHint: true, openWorldHint: true },
  write: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  spend: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

export function createToolLists(
  catalog: Catalog,
  {
    extraTools,
    searchTools,
  }: { extraTools: readonly Tool[]; searchTools: { definitions: readonly Tool[]; beside: readonly string[] } },
): ToolLists {
  const all = catalog.entries.map((entry) => ({ entry, definition: define(entry) }));
  const lists = new Map<string, ToolList>();
  return {
    of(reader, { areas, readOnly, withoutMoney, isSearch }) {
      const key = `${typeof reader === "string" ? reader : `scopes ${reader.join(" ")}`}|${areas?.join(" ") ?? "all"}|${readOnly}|${withoutMoney}|${isSearch}`;
      const known = lists.get(key);
      if (known !== undefined) return known;
      const seen = all.filter(
        ({ entry }) =>
          isSeenBy(reader, entry) &&
          (areas === undefined || areas.includes(entry.tool.area)) &&
          (!readOnly || entry.tool.effect === "read") &&
          (!withoutMoney || !movesMoney(entry)),
      );
      const listed = isSearch
        ? [
            ...searchTools.definitions,
            ...seen.flatMap(({ entry, definition }) =>
              searchTools.beside.includes(entry.tool.name) ? withoutResult(definition) : [],
            ),
          ]
        : seen.map(({ definition }) => definition);
      const list = {
        key,
        tools: [...extraTools, ...listed],
        entries: seen.map(({ entry }) => entry),
        isSearch,
        withoutMoney,
      };
      if (lists.size >= MAXIMUM_LISTS) lists.clear();
      lists.set(key, list);
      return list;
    },
  };
}

function isSeenBy(reader: ListReader, { tool, scopes }: CatalogEntry): boolean {
  if (reader === "all") return true;
  return reader === "payers" ? tool.payableWithoutKey === true : hasAnyScope(reader, scopes);
}

/** Money of a tenant, or of the faucet. */
export function movesMoney({ tool }: CatalogEntry): boolean {
  return tool.effect === "spend" || (tool.effect === "write" && tool.area === "treasury");
}

function withoutResult({ outputSchema: _, ...definition }: Tool): Tool {
  return definition;
}

function define({ tool, inputSchema, outputSchema }: CatalogEntry): Tool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: withRepeats(shorten(outputSchema, 0), tool.effect),
    annotations: annotationsByEffect[tool.effect],
  };
}

/** `?areas=flights,stays&readonly=1&money=0` and `?mode=search`, for clients that accept few tools. Throws `invalid_input`. */
export function readListWish(query: URLSearchParams): ListWish {
  const areas = query
    .getAll("areas")
    .flatMap((value) => value.split(","))
    .map((area) => area.trim())
    .filter((area) => area !== "");
  const unknown = areas.find((area) => !toolAreas.some((known) => known === area));
  if (unknown !== undefined) {
    const near = nearest(unknown, toolAreas);
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    throw new Failure("invalid_input", {
      detail: `The URL's "areas" names an area that does not exist.${hint} Areas: ${toolAreas.join(", ")}.`,
    });
  }
  return {
    areas: areas.length === 0 ? undefined : [...new Set(areas)].toSorted(),
    readOnly: readFlag(query, "readonly", false),
    withoutMoney: !readFlag(query, "money", true),
    isSearch: readMode(query),
  };
}

function readFlag(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const value = query.get(name);
  if (value === null) return otherwise;
  if (value === "0" || value === "false") return false;
  if (value === "" || value === "1" || value === "true") return true;
  throw new Failure("invalid_input", { detail: `The URL's "${name}" is 1 or 0.` });
}

function readMode(query: URLSearchParams): boolean {
  const mode = query.get("mode");
  if (mode === null || mode === "full") return false;
  if (mode === "search") return true;
  throw new Failure("invalid_input", { detail: `The URL's "mode" is search or full.` });
}

/** Tools with effects answer a repetition with their first answer and mark it; a repeated read runs again. */
function withRepeats(
  { properties, ...schema }: Record<string, unknown>,
  effect: ToolEffect,
): NonNullable<Tool["outputSchema"]> {
  const own = typeof properties === "object" && properties !== null ? properties : {};
  const repeats = effect === "read" ? {} : { replayed: { const: true } };
  return { ...schema, type: "object", properties: { ...own, ...repeats } };
}

/** Keywords that constrain texts and numbers: results are the service's own and need no validation. */
const CONSTRAINTS: ReadonlySet<string> = new Set([
  ...["pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems"],
  ...["default", "required", "additionalProperties", "readOnly"],
]);
/** Below this depth the list only says that there is an object; the documentation has the rest. */
const DEEPEST = 2;

/**
 * Shortens a result schema: results are read by code that knows their fields, and every client pays for the list. Descriptions,
 * formats, required fields and the innermost fields are left to the documentation.
 */
function shorten(schema: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  if (depth > DEEPEST && schema.properties !== undefined) return { type: "object" };
  // Properties imply an object, and items imply an array.
  const { type, ...rest } = schema;
  const isSaid = (type === "object" && schema.properties !== undefined) || (type === "array" && isSchema(schema.items));
  const said = isSaid ? rest : schema;
  const entries = Object.entries(said).filter(([keyword, value]) => !isLeftOut(keyword, value));
  return withTypesInOne(
    Object.fromEntries(
      entries.map(([keyword, value]) => [
        keyword,
        keyword === "properties" ? shortenEach(value, depth + 1) : shortenAny(value, depth),
      ]),
    ),
  );
}

const OnlyType = z.strictObject({ type: z.string() });

/** Longer lists of values in results are left to the documentation. */
const LONGEST_ENUM_CHARACTERS = 36;

/** The values imply their type. */
function withoutTypeOfEnum(schema: Record<string, unknown>): Record<string, unknown> {
  const { type: _, enum: values, ...rest } = schema;
  if (!Array.isArray(values)) return schema;
  return JSON.stringify(values).length > LONGEST_ENUM_CHARACTERS
    ? { ...rest, type: "string" }
    : { ...rest, enum: values };
}

/** "A text or null" in the shorter of JSON Schema's two forms. */
function withTypesInOne({ anyOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (anyOf === undefined) return withoutTypeOfEnum(schema);
  const types = z.array(OnlyType).safeParse(anyOf).data;
  if (types !== undefined) return { ...schema, type: types.map(({ type }) => type) };
  const [said] = OrNull.safeParse(anyOf).data ?? [];
  return { ...schema, ...(said === undefined ? { anyOf } : orNull(said, { anyOf })) };
}

const OrNull = z.tuple([z.record(z.string(), z.unknown()), z.strictObject({ type: z.literal("null") })]);

/** Makes a schema nullable. */
function orNull(said: Record<string, unknown>, otherwise: Record<string, unknown>): Record<string, unknown> {
  if (Array.isArray(said.enum)) return { ...said, enum: [...said.enum, null] };
  if (said.properties !== undefined) return { ...said, type: ["object", "null"] };
  return typeof said.type === "string" ? { ...said, type: [said.type, "null"] } : otherwise;
}

const isLeftOut = (keyword: string, value: unknown): boolean =>
  (keyword === "description" && typeof value === "string") ||
  keyword === "propertyNames" ||
  (CONSTRAINTS.has(keyword) && !isSchema(value));

/** Whether the schema has content: `{}` allows everything. */
const isSchema = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/**
 * Shortens the members of an object, whatever their names are. A schema equal to an earlier member's, or to its items', is
 * given once.
 */
function shortenEach(properties: unknown, depth: number): unknown {
  if (typeof properties !== "object" || properties === null) return properties;
  const said = new Set<string>();
  const sayOnce = (short: unknown): unknown => {
    const text = JSON.stringify(short) ?? "";
    if (!text.includes('"properties"')) return short;
    if (said.has(text)) return typeOnly(text);
    said.add(text);
    const { items, ...rest } = Object(short);
    return items === undefined ? short : { ...rest, items: sayOnce(items) };
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, sayOnce(shortenAny(value, depth))]),
  );
}

function typeOnly(text: string): Record<string, unknown> {
  if (text.startsWith('{"items"')) return { type: "array" };
  return { type: text.startsWith('{"anyOf"') ? ["object", "null"] : "object" };
}

function shortenAny(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((one) => shortenAny(one, depth));
  return typeof value === "object" && value !== null ? shorten({ ...value }, depth) : value;
}
