import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Wallet } from "../../ports/chain/wallets.ts";
import type { Environment } from "../../ports/identity.ts";

/**
 * Rows of a database that a process remembers for good, as they are decided once and never change: the home chain of an
 * environment, and wallets. Only reads outside of a transaction are remembered, so that nothing is that is
 * rolled back.
 */
export interface ChainMemory {
  readonly homes: Map<Environment, ChainKey>;
  /** By environment, chain, kind and tenant. Emptied when there are many. */
  readonly wallets: Map<string, Wallet>;
  /** The further escrows by environment and chain, as they were some seconds ago: unlike the others, the list grows. */
  readonly escrows: Map<string, { at: number; addresses: ReadonlySet<Hex> }>;
}

export const createChainMemory = (): ChainMemory => ({ homes: new Map(), wallets: new Map(), escrows: new Map() });

const memories = new WeakMap<object, ChainMemory>();

export function findChainMemory(database: object): ChainMemory {
  const known = memories.get(database) ?? createChainMemory();
  memories.set(database, known);
  return known;
}
