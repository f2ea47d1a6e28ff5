import { hasAnyScope } from "../../../domain/scopes.ts";
import { ToolRanking } from "../../../kernel/call/rank-tools.ts";
import type { Catalog, CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import type { ModelTool } from "../../../ports/language-model.ts";

export const FIND_TOOLS = "find_tools";

/** About 6,000 tokens. */
const MOST_CHARACTERS = 20_000;
const CHARACTERS_OF_SEARCH = 8_000;
const MOST_FOUND = 6;
/** Usual wishes of travelers, in words of the catalog: users write in other languages, too. */
const USUAL =
  "search flights book flight search hotels quote stay book stay list orders cancel order change order find airports";
const USUAL_TOOLS = 10;

const FIND_TOOL: ModelTool = {
  name: FIND_TOOLS,
  description:
    'Find further tools by English words for what you want to do, such as "weather" or "cancel a hotel". Free.',
  inputSchema: {
    type: "object",
    properties: { words: { type: "string", minLength: 1, maxLength: 500 } },
    required: ["words"],
    additionalProperties: false,
  },
};

/** Chooses the tools that a model is offered: those of the key's scopes that fit what is talked about. */
export class OfferedTools {
  readonly #ranking: ToolRanking;
  readonly #entries: readonly CatalogEntry[];
  readonly #usual: readonly CatalogEntry[];

  constructor({ entries }: Catalog) {
    this.#entries = entries.filter(({ tool }) => !tool.asksModel);
    this.#ranking = new ToolRanking(this.#entries);
    this.#usual = this.#ranking.rank(USUAL, this.#entries).slice(0, USUAL_TOOLS);
  }

  /** `used`: names of tools that the conversation called before, latest last. */
  offer(scopes: readonly string[], words: string, used: readonly string[]): readonly ModelTool[] {
    const allowed = this.#allowedFor(scopes);
    const before = [...new Set(used.toReversed())].flatMap((name) => allowed.filter(({ tool }) => tool.name === name));
    const usual = this.#usual.filter((entry) => allowed.includes(entry));
    const ranked = this.#ranking.rank(words.slice(-2_000), allowed);
    const order = [...new Set([...ranked.slice(0, 4), ...before.slice(0, 6), ...usual, ...ranked])];
    return [FIND_TOOL, ...fitting(order, MOST_CHARACTERS)];
  }

  /** The answer of `find_tools`. */
  find(scopes: readonly string[], args: unknown): readonly ModelTool[] {
    const words = typeof args === "object" && args !== null && "words" in args ? String(args.words).slice(0, 500) : "";
    return fitting(this.#ranking.rank(words, this.#allowedFor(scopes)).slice(0, MOST_FOUND), CHARACTERS_OF_SEARCH);
  }

  #allowedFor(scopes: readonly string[]): readonly CatalogEntry[] {
    return this.#entries.filter((entry) => hasAnyScope(scopes, entry.scopes));
  }
}

/** Tools that are too long for the rest of the room are left out, not those behind them. */
function fitting(entries: readonly CatalogEntry[], room: number): readonly ModelTool[] {
  let left = room;
  return entries.flatMap(({ tool, inputSchema }) => {
    const offered = { name: tool.name, description: tool.description, inputSchema };
    const length = JSON.stringify(offered).length;
    if (length > left) return [];
    left -= length;
    return [offered];
  });
}
