import { createX402Facilitator, FacilitatorSetupError } from "../adapters/x402-facilitator/index.ts";
import { type Config, ConfigError } from "../config/config.ts";
import type { ByEnvironment } from "../kernel/contracts/parts.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import type { OpenedChain } from "../ports/chain/opened-chain.ts";
import type { Facilitator } from "../ports/facilitator.ts";
import { toPaidChain } from "./paid-chain.ts";

/** Throws ConfigError if the configured facilitator cannot serve this deployment's chain. */
export async function openFacilitator(
  config: Pick<
    Config,
    "networkMode" | "x402FacilitatorUrl" | "x402FacilitatorKey" | "x402FacilitatorTimeoutMilliseconds"
  >,
  chains: ByEnvironment<OpenedChain>,
  http: HttpClient,
): Promise<Facilitator | undefined> {
  const {
    networkMode: environment,
    x402FacilitatorUrl: url,
    x402FacilitatorKey: key,
    x402FacilitatorTimeoutMilliseconds: timeoutMilliseconds,
  } = config;
  const opened = chains[environment];
  if (url === undefined || opened === undefined) return undefined;
  try {
    const { network } = toPaidChain(opened);
    return await createX402Facilitator({ url, key, http, environment, network, timeoutMilliseconds });
  } catch (error) {
    if (error instanceof FacilitatorSetupError) throw new ConfigError(`Not started: ${error.message}`);
    throw error;
  }
}
