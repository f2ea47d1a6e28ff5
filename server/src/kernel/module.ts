import type { ChainOperation } from "../ports/chain-operation.ts";
import type { ChainEndings } from "./chain-ending.ts";
import type { Gate, GateParts } from "./gate.ts";
import type { Prompt } from "./prompt.ts";
import type { Route } from "./route.ts";
import type { Aggregates, StoreParts } from "./stores.ts";
import type { Tool } from "./tool.ts";

/** A capability of the product: what one folder below `modules/` contributes. The composition knows modules by nothing else. */
export interface Module {
  /** The name of its folder. */
  readonly name: string;
  /** The modules whose `index.ts` it imports. */
  readonly needs?: readonly string[];
  /** In the order in which they are listed. */
  readonly tools?: readonly Tool[];
  readonly prompts?: readonly Prompt[];
  /** What can refuse a call because of who makes it and what it would do; asked in the order of the modules. */
  gates?(parts: GateParts): readonly Gate[];
  /** Each names by its type what it needs to run. */
  readonly routes?: readonly Route<never>[];
  /** Its part of the stored aggregates, over a caller's transaction when `db` is one. */
  stores?(parts: StoreParts): Partial<Aggregates>;
  /** By names that are unique among all modules; they run in the order of their names, and never change once released. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /** The kinds of chain operations that are its own. */
  readonly chainOperations?: readonly ChainOperation[];
  /** What else changes when a chain transaction of one of its purposes ends. */
  readonly chainEndings?: ChainEndings;
}

export interface Migration {
  /** Takes what the database's library gives it, which only `migrations/` and the platform know. */
  up(db: never): Promise<void>;
}

/** Keeps the exact type, so that an aggregate that is declared and made by no module does not compile. */
export function defineModule<const Definition extends Module>(definition: Definition): Definition {
  return definition;
}
