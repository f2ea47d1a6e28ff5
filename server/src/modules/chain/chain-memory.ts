import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Wallet } from "../../ports/chain/wallets.ts";
import type { Environment } from "../../ports/identity.ts";

/**
 * What a process remembers of a database for good, as it is decided once and never changes: the home chain of an environment,
 * and the operator's wallets. Only what was read outside of a transaction is remembered, so that what is rolled back is not.
 */
export interface ChainMemory {
  readonly homes: Map<Environment, ChainKey>;
  /** By environment, chain and kind. */
  readonly wallets: Map<string, Wallet>;
}

export const createChainMemory = (): ChainMemory => ({ homes: new Map(), wallets: new Map() });

const memories = new WeakMap<object, ChainMemory>();

export function findChainMemory(database: object): ChainMemory {
  const known = memories.get(database) ?? createChainMemory();
  memories.set(database, known);
  return known;
}
