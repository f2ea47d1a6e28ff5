import { createPublicClient, http, type PublicClient } from "viem";
import { z } from "zod";
import { findChainById } from "../../../server/src/domain/chains/named-chains.ts";
import type { Hex, TokenSymbol } from "../../../server/src/domain/tokens.ts";
import { furtherChainUrl } from "../../../server/src/embedded/devnet-part.ts";
import type { Deployment } from "../deployment.ts";

/** A chain of the run, asked past the service. */
export interface Site {
  name: string;
  /** CAIP-2. */
  chain: string;
  domain: number;
  isHome: boolean;
  client: PublicClient;
  tokens: Readonly<Record<TokenSymbol, Hex>>;
  transmitter: Hex;
  gatewayWallet: Hex;
  gatewayMinter: Hex;
  swapPool: Hex;
}

const TIMEOUT_MILLISECONDS = 60_000;
const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const Row = z.object({
  chain: z.string(),
  chain_id: z.coerce.number(),
  is_home: z.boolean(),
  contracts: z.object({
    tokens: z.object({ USDC: Address, EURC: Address }),
    crossChain: z.object({
      bridge: z.object({ transmitter: Address }),
      gateway: z.object({ wallet: Address, minter: Address }),
      swapPool: Address,
    }),
  }),
});

/** The home chain, and those further ones that somebody has used. */
export async function readSites(deployment: Deployment): Promise<readonly Site[]> {
  const { rpcUrl } = deployment.quickstart().chain;
  const rows = await deployment.query(
    "select chain, chain_id::text as chain_id, is_home, contracts from chain_network where network = 'sandbox' and contracts ? 'crossChain'",
  );
  return z
    .array(Row)
    .parse(rows)
    .map(({ chain, chain_id, is_home, contracts }): Site => {
      const known = findChainById(chain_id);
      if (known === undefined) throw new Error(`nobody knows the chain ${chain}`);
      const { tokens, crossChain } = contracts;
      const url = is_home ? rpcUrl : furtherChainUrl(rpcUrl, known.name);
      return {
        name: known.name,
        chain,
        domain: known.domain,
        isHome: is_home,
        client: createPublicClient({
          transport: http(url, { timeout: TIMEOUT_MILLISECONDS, retryCount: 0 }),
          cacheTime: 0,
        }),
        tokens,
        transmitter: crossChain.bridge.transmitter,
        gatewayWallet: crossChain.gateway.wallet,
        gatewayMinter: crossChain.gateway.minter,
        swapPool: crossChain.swapPool,
      };
    });
}
