import { z } from "zod";
import { findNamedChain, withSpellings } from "../../domain/chains/named-chains.ts";
import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { nameEvmChain } from "../../ports/chain/chain-key.ts";

declare module "../../kernel/contracts/call-plan.ts" {
  interface Holdings {
    /** USDC in the Gateway's wallet contracts, which stays the tenant's own. */
    readonly gateway: true;
  }
}

export const gatewayChainNames = [
  "Arc_Testnet",
  "Ethereum_Sepolia",
  "Base_Sepolia",
  "Avalanche_Fuji",
  "Optimism_Sepolia",
  "Arbitrum_Sepolia",
  "Polygon_Amoy",
] as const;

export const GatewayChain = z.enum(gatewayChainNames);
/** In arguments. */
export const AskedGatewayChain = withSpellings(GatewayChain);

export const noGateway =
  "This service has no Gateway on this chain. Nothing was done; gateway_balance lists the available chains.";

/** Its CAIP-2 name. */
export function resolveGatewayChain(name: z.output<typeof GatewayChain>): string {
  const known = findNamedChain(name);
  if (known === undefined) throw new Error(`the chain ${name} has no id`);
  return nameEvmChain(known.chainId);
}

interface GatewayOnChain {
  domain: number;
  wallet: Hex;
  minter: Hex;
}

/** Undefined: the chain has no Gateway, or does not say yet. */
export function findGateway({
  crossChain: { domain, gateway },
}: Pick<Chain, "crossChain">): GatewayOnChain | undefined {
  return domain === undefined || gateway === undefined ? undefined : { domain, ...gateway };
}

/** Throws `chain_not_available`. */
export function requireGateway(chain: Pick<Chain, "crossChain">): GatewayOnChain {
  const found = findGateway(chain);
  if (found === undefined) throw new Failure("chain_not_available", { detail: noGateway });
  return found;
}
