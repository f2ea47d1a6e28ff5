import { z } from "zod";
import type { Catalog, CatalogEntry } from "../contracts/catalog.ts";
import type { FailedCall } from "../contracts/failed-call.ts";
import type { Invocation } from "../contracts/invocation.ts";
import { isPayer } from "./caller.ts";
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
/** The same for a longer text, such as a document: looking through millions of characters would hold up other calls. */
const LONGEST_TEXT = 100_000;
const WORD = /[\p{L}\p{N}_]+/gu;
/** Longer texts are sentences. */
const LONGEST_NAME_WORDS = 4;
const FUNCTION_WORDS =
  "a an and are as at be been before but by can cannot could do does for from had has have if in into is it its may more must no not of on once only or other so such than that the then there these they this those to until was were what when where which while who will with without you your".split(
    " ",
  );
/** An amount with its currency: a reason that compares amounts says nothing without them. */
const AMOUNT = /(?<![\p{L}\p{N}_.,])\d{1,12}(?:\.\d{1,6})? (?:USD|USDC|EUR|EURC)(?![\p{L}\p{N}_])/u;
const AMOUNT_OR_WORD = new RegExp(`${AMOUNT.source}|${WORD.source}`, "gu");
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
    detail: detail === undefined ? null : withoutArguments(detail, args, { known, own: listOwnWords(catalog) }),
    issuePaths: pathsIn(issues).map((path) => pathOfKnownNames(path, known)),
    traceId,
    runId: runId ?? null,
    // A call that is refused or fails costs nothing.
    price: 0n,
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

interface OwnWords {
  /** Names of tools and arguments, and values that a schema lists. */
  terms: ReadonlySet<string>;
  /** Words in the texts that the service itself says of its tools. */
  words: ReadonlySet<string>;
}

const wordsByCatalog = new WeakMap<Catalog, OwnWords>();

function listOwnWords(catalog: Catalog): OwnWords {
  const known = wordsByCatalog.get(catalog);
  if (known !== undefined) return known;
  const terms = new Set(catalog.names());
  const words = new Set(FUNCTION_WORDS);
  for (const { tool, inputSchema } of catalog.entries) {
    collectNames(inputSchema, terms);
    collectValues(inputSchema, terms);
    for (const text of [tool.summary, ...Object.values(tool.errors)]) {
      for (const [word] of text.matchAll(WORD)) if (!/\d/.test(word)) words.add(word.toLowerCase());
    }
  }
  const own = { terms, words };
  wordsByCatalog.set(catalog, own);
  return own;
}

function collectValues(schema: unknown, values: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [member, below] of Object.entries(schema)) {
    if (member === "enum" && Array.isArray(below)) for (const value of below) values.add(String(value));
    collectValues(below, values);
  }
}

interface Ours {
  /** The names of the tool's arguments. */
  known: ReadonlySet<string>;
  own: OwnWords;
}

/** Hides each word that occurs in the values of the arguments, other than amounts with a currency. Null: there are too many words to compare. */
function withoutArguments(detail: string, args: unknown, ours: Ours): string | null {
  const said = new Set<string>();
  if (!collectWords(args, ours, said)) return null;
  const hidden = detail.replaceAll(AMOUNT_OR_WORD, (part) => (said.has(part.toLowerCase()) ? HIDDEN : part));
  return hidden.replaceAll(HIDDEN_RUN, HIDDEN).slice(0, LONGEST_DETAIL);
}

/** False: there are too many. */
function collectWords(value: unknown, ours: Ours, said: Set<string>): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).every(
      ([name, below]) =>
        (Array.isArray(value) || ours.known.has(name) || collectWords(name, ours, said)) &&
        collectWords(below, ours, said),
    );
  }
  if (typeof value !== "string" && typeof value !== "number") return true;
  const text = String(value);
  if (text.length > LONGEST_TEXT) return false;
  if (ours.own.terms.has(text)) return true;
  const words = Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());
  // A sentence has words of everybody's; a name can be such a word, so that a short value is hidden as a whole.
  const isSentence = words.length > LONGEST_NAME_WORDS;
  for (const word of words) if (!isSentence || !ours.own.words.has(word)) said.add(word);
  return said.size <= MOST_WORDS;
}
