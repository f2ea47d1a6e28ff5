import { CHAIN_AWAY, Failure } from "../domain/errors.ts";
import { type Chains, isSameChain } from "../kernel/contracts/by-chain.ts";
import { type ByEnvironment, listEnvironments } from "../kernel/contracts/parts.ts";
import type { ChainKey } from "../ports/chain/chain-key.ts";
import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import type { Log } from "../ports/log.ts";

/** A configured chain besides the home chain of its environment. */
export interface FurtherChain {
  readonly key: ChainKey;
  /** Requires the preparation lock. Rejects with Failure `chain_unavailable` if the chain cannot be reached. */
  open(): Promise<OpenedChain>;
}

/** Joins home chains, which are open, with further ones, which are opened one by one. */
export function gatherChains(
  home: ByEnvironment<OpenedChain>,
  further: readonly FurtherChain[],
  { log, withLock }: { log: Log; withLock<Result>(work: () => Promise<Result>): Promise<Result> },
): Chains {
  const opened = listEnvironments(home).map(([, openedChain]) => openedChain);
  const keys = [...opened.map(({ chain }) => chain.key), ...further.map(({ key }) => key)];
  const at = (key: ChainKey) => opened.find(({ chain }) => isSameChain(chain.key, key));
  return {
    keys,
    home: (environment) => home[environment],
    at,
    async open(key) {
      const known = at(key);
      const wanted = further.find((one) => isSameChain(one.key, key));
      if (known !== undefined || wanted === undefined) return known;
      try {
        const openedChain = await withLock(() => wanted.open());
        opened.push(openedChain);
        return openedChain;
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== CHAIN_AWAY) throw error;
        log.warn({ err: error, ...key }, "a chain does not answer and is tried again");
        return undefined;
      }
    },
  };
}
