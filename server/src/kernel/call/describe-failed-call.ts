import { z } from "zod";
import { discounted } from "../../domain/money.ts";
import type { Catalog, CatalogEntry } from "../contracts/catalog.ts";
import type { FailedCall } from "../contracts/failed-call.ts";
import type { Invocation } from "../contracts/invocation.ts";
import { findDiscountPercent, isPayer } from "./caller.ts";
import { MAXIMUM_ISSUES } from "./validate.ts";

export interface CallFailure {
  code: string;
  detail?: string | undefined;
  /** Unknown where a stored outcome is given again. */
  issues?: unknown;
}

const Issues = z.array(z.object({ path: z.string() }));
const LONGEST_DETAIL = 500;
const MOST_STEPS = 12;
/** With more words than this in its arguments, a call's detail is left out. */
const MOST_WORDS = 5_000;
const WORD = /[\p{L}\p{N}_]+/gu;
const HIDDEN = "…";
const HIDDEN_RUN = /…(?:[^\p{L}\p{N}\s…]+…)+/gu;

/** Undefined: the caller has no key, so that no tenant owns the call. */
export function describeFailedCall(
  catalog: Catalog,
  { toolName, args, principal, surface, traceId, runId }: Invocation,
  { code, detail, issues }: CallFailure,
  at: Temporal.Instant,
): FailedCall | undefined {
  if (isPayer(principal)) return undefined;
  const { tenantId, environment, keyId } = principal;
  const entry = catalog.find(toolName);
  const known = listArgumentNames(entry);
  return {
    tenantId,
    environment,
    keyId,
    tool: entry?.tool.name ?? null,
    surface,
    code,
    detail: detail === undefined ? null : withoutArguments(detail, args, known),
    issuePaths: pathsIn(issues).map((path) => pathOfKnownNames(path, known)),
    traceId,
    runId: runId ?? null,
    price: entry === undefined ? 0n : discounted(entry.tool.price, findDiscountPercent(principal)),
    at,
  };
}

const namesByEntry = new WeakMap<CatalogEntry, ReadonlySet<string>>();

/** The names of all properties in the tool's input, at any depth. */
function listArgumentNames(entry: CatalogEntry | undefined): ReadonlySet<string> {
  if (entry === undefined) return new Set();
  const known = namesByEntry.get(entry);
  if (known !== undefined) return known;
  const names = new Set<string>();
  collectNames(entry.inputSchema, names);
  namesByEntry.set(entry, names);
  return names;
}

function collectNames(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [member, below] of Object.entries(schema)) {
    if (member === "properties") for (const name of Object.keys(below)) names.add(name);
    collectNames(below, names);
  }
}

function pathsIn(issues: unknown): readonly string[] {
  const { success, data } = Issues.safeParse(issues);
  return success ? data.slice(0, MAXIMUM_ISSUES).map(({ path }) => path) : [];
}

/** A name that the schema does not know is the caller's own text. */
function pathOfKnownNames(path: string, known: ReadonlySet<string>): string {
  const steps = path.split(".", MOST_STEPS);
  return steps.map((step) => (step === "" || /^\d{1,4}$/.test(step) || known.has(step) ? step : "*")).join(".");
}

/** Hides each word that occurs in the arguments. Null: there are too many words to compare. */
function withoutArguments(detail: string, args: unknown, known: ReadonlySet<string>): string | null {
  const said = new Set<string>();
  collectWords(args, known, said);
  if (said.size > MOST_WORDS) return null;
  const hidden = detail.replaceAll(WORD, (word) => (said.has(word.toLowerCase()) ? HIDDEN : word));
  return hidden.replaceAll(HIDDEN_RUN, HIDDEN).slice(0, LONGEST_DETAIL);
}

function collectWords(value: unknown, known: ReadonlySet<string>, said: Set<string>): void {
  if (said.size > MOST_WORDS) return;
  if (typeof value === "object" && value !== null) {
    for (const [name, below] of Object.entries(value)) {
      if (!Array.isArray(value) && !known.has(name)) collectWords(name, known, said);
      collectWords(below, known, said);
    }
    return;
  }
  if (typeof value !== "string" && typeof value !== "number") return;
  for (const [word] of String(value).matchAll(WORD)) {
    said.add(word.toLowerCase());
    if (said.size > MOST_WORDS) return;
  }
}
