import { createPublicClient, http, type PublicClient } from "viem";
import type { ChainSettings, Secrets } from "./settings.ts";

const RPC_TIMEOUT_MILLISECONDS = 5_000;
const HOLD_SECONDS = 30;
const HOLDER = "attester";

export interface WatchedChain extends ChainSettings {
  client: PublicClient;
}

export type WatchedChains = readonly WatchedChain[];

export const openChains = ({ chains }: Secrets): WatchedChains =>
  chains.map((settings) => ({
    ...settings,
    client: createPublicClient({
      transport: http(settings.rpcUrl, { timeout: RPC_TIMEOUT_MILLISECONDS, retryCount: 0 }),
      cacheTime: 0,
    }),
  }));

/** The chain that a domain means for a message from this one. */
export const findDestination = (
  chains: WatchedChains,
  source: WatchedChain,
  domain: number,
): WatchedChain | undefined =>
  chains.find(
    (chain) => chain.domain === domain && chain !== source && (chain.network === source.network || chain.isHub),
  );

/** Asks the development chain to let both ends of a transfer run. Another kind of chain knows no such request, and needs none. */
export const holdChains = async (chains: WatchedChains): Promise<void> => {
  await Promise.allSettled(
    chains.map(({ rpcUrl }) =>
      fetch(`${rpcUrl}/hold`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ holder: HOLDER, seconds: HOLD_SECONDS }),
        signal: AbortSignal.timeout(RPC_TIMEOUT_MILLISECONDS),
      }),
    ),
  );
};
