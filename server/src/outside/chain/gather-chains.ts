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
  /** Development chains that are opened when they are first used. */
  onDemand?: readonly FurtherChain[];
  readTips?: Chains["readTips"];
  /** Completes the home chain of the sandbox before money goes to other chains; requires the preparation lock. */
  completeSandbox?(): Promise<void>;
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
export function gatherChains(gathered: GatheredChains): Chains {
  const { home, further, onDemand = [], opened, log, withLock } = gathered;
  const all = [...listEnvironments(home).map(([, openedChain]) => openedChain), ...opened];
  const homeKeys = listEnvironments(home).map(([, { chain }]) => chain.key);
  const opening = new Map<string, Promise<OpenedChain | undefined>>();
  let isSandboxComplete = gathered.completeSandbox === undefined;
  const at = (key: ChainKey) => all.find(({ chain }) => isSameChain(chain.key, key));

  async function complete(): Promise<void> {
    if (isSandboxComplete) return;
    await gathered.completeSandbox?.();
    isSandboxComplete = true;
  }

  async function openOnce(key: ChainKey): Promise<OpenedChain | undefined> {
    const wanted =
      at(key) === undefined ? [...further, ...onDemand].find((one) => isSameChain(one.key, key)) : undefined;
    const mustComplete = key.environment === "sandbox" && !isSandboxComplete;
    if (wanted === undefined && !mustComplete) return at(key);
    // Whoever asks for a development chain learns why it does not open.
    const open = wanted && onDemand.includes(wanted) ? wanted.open : () => wanted && openIfReachable(wanted, log);
    // Both end under the lock.
    const [openedChain, completed] = await withLock(() =>
      Promise.allSettled([open(), mustComplete ? complete() : undefined]),
    );
    if (openedChain.status === "fulfilled" && openedChain.value !== undefined) all.push(openedChain.value);
    for (const end of [openedChain, completed]) if (end.status === "rejected") throw end.reason;
    return at(key);
  }

  return {
    keys: [...homeKeys, ...further.map(({ key }) => key)],
    onDemand: onDemand.map(({ key }) => key),
    readTips: gathered.readTips ?? (async () => new Map()),
    home: (environment) => home[environment],
    at,
    async open(key) {
      const name = `${key.environment} ${key.chain}`;
      const running = opening.get(name);
      if (running !== undefined) return await running;
      const mine = openOnce(key).finally(() => opening.delete(name));
      opening.set(name, mine);
      return await mine;
    },
  };
}
