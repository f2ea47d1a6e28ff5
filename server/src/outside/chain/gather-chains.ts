import { CHAIN_AWAY, Failure } from "../../domain/errors.ts";
import { type Chains, isSameChain } from "../../kernel/contracts/by-chain.ts";
import { type ByEnvironment, listEnvironments } from "../../kernel/contracts/parts.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Log } from "../../ports/log.ts";

/** A configured chain besides the home chain of its environment. */
export interface FurtherChain {
  readonly key: ChainKey;
  /** Requires the preparation lock. Rejects with Failure `chain_unavailable` if the chain cannot be reached. */
  open(): Promise<OpenedChain>;
}

interface GatheredChains {
  home: ByEnvironment<OpenedChain>;
  further: readonly FurtherChain[];
  /** Those of `further` that are open already. */
  opened: readonly OpenedChain[];
  log: Log;
  /** Takes the preparation lock for a chain that is opened later. */
  withLock<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Undefined: the chain does not answer. */
export async function openIfReachable({ key, open }: FurtherChain, log: Log): Promise<OpenedChain | undefined> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== CHAIN_AWAY) throw error;
    log.warn({ err: error, network: key.environment, chain: key.chain }, "a chain does not answer and is tried again");
    return undefined;
  }
}

/** Joins home chains, which are open, with further ones, which are opened one by one. */
export function gatherChains({ home, further, opened, log, withLock }: GatheredChains): Chains {
  const all = [...listEnvironments(home).map(([, openedChain]) => openedChain), ...opened];
  const homeKeys = listEnvironments(home).map(([, { chain }]) => chain.key);
  const at = (key: ChainKey) => all.find(({ chain }) => isSameChain(chain.key, key));
  return {
    keys: [...homeKeys, ...further.map(({ key }) => key)],
    home: (environment) => home[environment],
    at,
    async open(key) {
      const wanted = further.find((one) => isSameChain(one.key, key));
      if (wanted === undefined || at(key) !== undefined) return at(key);
      const openedChain = await withLock(() => openIfReachable(wanted, log));
      if (openedChain !== undefined) all.push(openedChain);
      return openedChain;
    },
  };
}
