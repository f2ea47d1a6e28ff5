import { createX402Facilitator, FacilitatorSetupError } from "../adapters/x402-facilitator/index.ts";
import { type Config, ConfigError } from "../config/config.ts";
import type { ByChain } from "../kernel/contracts/by-chain.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import type { Facilitator } from "../ports/facilitator.ts";

/** Serves the home chain. Throws ConfigError if the configured facilitator cannot. */
export async function openFacilitator(
  config: Pick<
    Config,
    "networkMode" | "x402FacilitatorUrl" | "x402FacilitatorKey" | "x402FacilitatorTimeoutMilliseconds"
  >,
  chains: Pick<ByChain<OpenedChain>, "home">,
  http: HttpClient,
): Promise<Facilitator | undefined> {
  const {
    networkMode: environment,
    x402FacilitatorUrl: url,
    x402FacilitatorKey: key,
    x402FacilitatorTimeoutMilliseconds: timeoutMilliseconds,
  } = config;
  const opened = chains.home(environment);
  if (url === undefined || opened === undefined) return undefined;
  try {
    return await createX402Facilitator({ url, key, http, chain: opened.chain.key, timeoutMilliseconds });
  } catch (error) {
    if (error instanceof FacilitatorSetupError) throw new ConfigError(`Not started: ${error.message}`);
    throw error;
  }
}
