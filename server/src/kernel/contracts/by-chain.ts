import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Environment } from "../../ports/identity.ts";

/** One part for each chain of the service. */
export interface ByChain<Part> {
  /** Every configured chain, home chains first. A chain that was not reachable so far has no part until it is opened. */
  readonly keys: readonly ChainKey[];
  /** The part of the environment's home chain, which is used where no chain is named. Undefined: switched off. */
  home(environment: Environment): Part | undefined;
  at(chain: ChainKey): Part | undefined;
}

/** The chains of the service. */
export interface Chains extends ByChain<OpenedChain> {
  /** Development chains that are opened when they are first used. They are not among `keys`. */
  readonly onDemand: readonly ChainKey[];
  /**
   * Opens a chain that is not open so far. Undefined: it does not answer. A development chain has all its contracts when it has been
   * opened by this.
   */
  open(chain: ChainKey): Promise<OpenedChain | undefined>;
  /** The last block of each chain in `onDemand`, by CAIP-2. Starts none of them, and is no use of one. */
  readTips(): Promise<ReadonlyMap<string, bigint>>;
}

export function isSameChain(one: ChainKey, other: ChainKey): boolean {
  return one.environment === other.environment && one.chain === other.chain;
}

/** The chains that are open. */
export function listChains<Part>(chains: ByChain<Part>): readonly (readonly [ChainKey, Part])[] {
  return chains.keys.flatMap((key) => {
    const part = chains.at(key);
    return part === undefined ? [] : [[key, part] as const];
  });
}

/** Makes a part of each chain when it is first asked for, so that chains opened later have theirs too. */
export function mapChains<From extends object, To>(
  chains: ByChain<From>,
  make: (part: From) => To | undefined,
): ByChain<To> {
  const made = new Map<From, To | undefined>();
  function makeOnce(part: From | undefined): To | undefined {
    if (part !== undefined && !made.has(part)) made.set(part, make(part));
    return part === undefined ? undefined : made.get(part);
  }
  return {
    keys: chains.keys,
    home: (environment) => makeOnce(chains.home(environment)),
    at: (key) => makeOnce(chains.at(key)),
  };
}

/** How jobs and logs name a chain: the home chain by its environment. */
export function nameChain(chains: ByChain<unknown>, key: ChainKey): string {
  const home = chains.keys.find(({ environment }) => environment === key.environment);
  return home === undefined || isSameChain(home, key) ? key.environment : `${key.environment} ${key.chain}`;
}

/** The label of a metric's chain, given only where an environment has several: others keep the labels they had. */
export function labelChain(chains: ByChain<unknown>, { environment, chain }: ChainKey): { chain?: string } {
  const several = chains.keys.filter((key) => key.environment === environment).length > 1;
  return several ? { chain } : {};
}
