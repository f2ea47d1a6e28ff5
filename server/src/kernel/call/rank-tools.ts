import type { CatalogEntry } from "../contracts/catalog.ts";

const WORD = /[\p{L}\p{N}]+/gu;
/** Shorter beginnings of a word match too many others. */
const SHORTEST_STEM = 4;
/** Endings that make no other word: "flights", "booked", "cancelling". */
const ENDING = /(?:ings?|ed|es|s|e)$/;

/** Words that say nothing about what a tool does. */
const COMMON = new Set(
  "a an and are at be by can do does for from have has how i in is it me much my of on or that the this to want what which with you your".split(
    " ",
  ),
);

/** How much a word counts by where it stands. */
const WEIGHTS = { name: 6, title: 4, description: 2, argument: 2, argumentDescription: 1 } as const;

/** The words of a tool, each with its greatest weight. */
type Words = ReadonlyMap<string, number>;

/** Finds tools by words of their names, titles, descriptions and arguments. */
export class ToolRanking {
  readonly #wordsByTool: ReadonlyMap<CatalogEntry, Words>;

  constructor(entries: readonly CatalogEntry[]) {
    this.#wordsByTool = new Map(entries.map((entry) => [entry, listWords(entry)]));
  }

  /** The tools that have any of the words, best first; rare words count more than common ones. */
  rank(query: string, entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
    const asked = [...new Set(splitWords(query))].filter((word) => !COMMON.has(word));
    const weights = asked.map((word) => entries.map((entry) => this.#weigh(entry, word)));
    const rarities = weights.map((each) => Math.log(1 + entries.length / (1 + each.filter((one) => one > 0).length)));
    const scored = entries.map((entry, index) => {
      const sum = weights.reduce((total, each, word) => total + (each[index] ?? 0) * (rarities[word] ?? 0), 0);
      return { entry, score: sum * (1 + shareOfName(entry, asked)) };
    });
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((left, right) => right.score - left.score)
      .map(({ entry }) => entry);
  }

  #weigh(entry: CatalogEntry, word: string): number {
    let most = 0;
    for (const [known, weight] of this.#wordsByTool.get(entry) ?? []) {
      if (weight > most && isSameWord(known, word)) most = weight;
    }
    return most;
  }
}

/** How much of the tool's name or title the words say: "orders" is more of `list_orders` than of `request_order_change`. */
function shareOfName({ tool }: CatalogEntry, asked: readonly string[]): number {
  const shares = [tool.name, tool.title].map((text) => {
    const words = splitWords(text).filter((word) => !COMMON.has(word));
    return words.filter((word) => asked.some((one) => isSameWord(word, one))).length / Math.max(words.length, 1);
  });
  return Math.max(...shares);
}

function isSameWord(left: string, right: string): boolean {
  if (left === right) return true;
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  return shorter.length >= SHORTEST_STEM && longer.startsWith(shorter);
}

/** "departureDate" and "departure_date" are two words each. */
function splitWords(text: string): readonly string[] {
  const apart = text.replaceAll(/(?<lower>\p{Ll})(?<upper>\p{Lu})/gu, "$<lower> $<upper>").toLowerCase();
  return [...apart.matchAll(WORD)].map(([word]) => (word.length > SHORTEST_STEM ? word.replace(ENDING, "") : word));
}

function listWords({ tool, inputSchema }: CatalogEntry): Words {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of splitWords(text)) words.set(word, Math.max(weight, words.get(word) ?? 0));
  };
  add(tool.name, WEIGHTS.name);
  add(tool.title, WEIGHTS.title);
  add(`${tool.area} ${tool.description}`, WEIGHTS.description);
  addArguments(inputSchema, add);
  return words;
}

/** Names and descriptions of all arguments, nested ones too. */
function addArguments(schema: unknown, add: (text: string, weight: number) => void): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "description" && typeof value === "string") add(value, WEIGHTS.argumentDescription);
    if (keyword === "properties") for (const name of Object.keys(Object(value))) add(name, WEIGHTS.argument);
    addArguments(value, add);
  }
}
