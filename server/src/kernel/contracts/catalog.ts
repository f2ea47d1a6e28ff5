import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { nearest } from "../../domain/near-match.ts";
import { buildRedaction, isShownOnce, type Redact, SHOWN_ONCE_TEXT } from "./shown-once.ts";
import type { Tool } from "./tool.ts";

/** A tool with everything computed once at boot. */
export interface CatalogEntry {
  tool: Tool;
  /** Any one of them suffices; if empty, the call itself says what it needs. */
  scopes: readonly string[];
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>>;
  /** Removes the parts of a result that may not be stored. */
  redactResult: Redact;
}

export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  /** Also finds a tool by an accepted alias; aliases are not listed. */
  find(name: string): CatalogEntry | undefined;
  names(): readonly string[];
}

/** The tools in the order in which clients list them. */
export function orderTools(tools: readonly Tool[]): readonly Tool[] {
  const placed = tools.filter(({ listedAfter }) => listedAfter !== undefined);
  return placed.reduce<readonly Tool[]>(
    (list, tool) => {
      const before = list.findIndex(({ name }) => name === tool.listedAfter);
      if (before < 0) throw new Error(`${tool.name} is listed after ${tool.listedAfter}, which is no tool.`);
      return list.toSpliced(before + 1, 0, tool);
    },
    tools.filter(({ listedAfter }) => listedAfter === undefined),
  );
}

export function createCatalog(tools: readonly Tool[]): Catalog {
  const entries = tools.map((tool) => ({
    tool,
    scopes: tool.scopes,
    inputSchema: jsonSchema(tool.input, "input"),
    outputSchema: jsonSchema(tool.output, "output"),
    redactResult: buildRedaction(tool.output, "output"),
  }));
  const byName = new Map<string, CatalogEntry>();
  for (const entry of entries) {
    for (const name of [entry.tool.name, ...entry.tool.aliases]) {
      if (byName.has(name)) throw new Error(`Two tools have the name ${name}.`);
      byName.set(name, entry);
    }
  }
  const names = entries.map((entry) => entry.tool.name);
  return { entries, find: (name) => byName.get(name), names: () => names };
}

/** More edits than this make another word: "swap" must not suggest "send". */
const MOST_SLIPS = 2;

/** The tool whose name was probably meant, unless the candidates differ in effect. */
export function nearestTool({ entries }: Catalog, name: string): string | undefined {
  const near = entries.filter(({ tool }) => nearest(name, [tool.name], MOST_SLIPS) !== undefined);
  if (new Set(near.map(({ tool }) => tool.effect)).size !== 1) return undefined;
  return nearest(
    name,
    near.map(({ tool }) => tool.name),
    MOST_SLIPS,
  );
}

/** Throws `tool_not_found` with the nearest name. */
export function findTool(catalog: Catalog, name: string): CatalogEntry {
  const entry = catalog.find(name);
  if (entry !== undefined) return entry;
  const near = nearestTool(catalog, name);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw new Failure("tool_not_found", { detail: `There is no tool with this name.${hint}` });
}

/** JSON Schema 2020-12 without its `$schema` line, which every list of tools would repeat. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, override: (at) => sayShownOnce(at, io) });
  return rest;
}

/** In words, because strict clients refuse a keyword of our own. */
function sayShownOnce({ zodSchema, jsonSchema: published }: SchemaAtHand, io: "input" | "output"): void {
  if (!isShownOnce(zodSchema)) return;
  const replaced = `. A repeated answer contains "${SHOWN_ONCE_TEXT}" instead`;
  const said = published.description === undefined ? "" : `${published.description}. `;
  published.description = `${said}Never store it${io === "output" ? replaced : ""}`;
}

type SchemaAtHand = Parameters<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>>[0];
