import { domainSeparator, type PublicClient } from "viem";
import { type Hex, TOKEN_DECIMALS, type TokenSymbol } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import type { ChainToken } from "../../../ports/chain/chain.ts";
import { chainUnavailable, refusalIn } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { ChainSetupError } from "../setup-error.ts";

/**
 * Name and version from the token itself, verified by its EIP-712 domain: signatures over another domain would be refused one
 * by one, with money waiting for each. Throws ChainSetupError for a contract that is not the token.
 */
export async function readToken(
  client: PublicClient,
  symbol: TokenSymbol,
  address: Hex,
  chainId: number,
): Promise<ChainToken> {
  const at = { address, abi: stablecoinAbi } as const;
  const where = `The ${symbol} at ${address} on chain ${chainId}`;
  async function ask<Value>(what: string, value: Promise<Value>): Promise<Value> {
    try {
      return await value;
    } catch (error) {
      const isAnswered =
        refusalIn(error) !== undefined || (error instanceof Error && /returned no data/.test(error.message));
      if (!isAnswered) throw chainUnavailable(error);
      throw new ChainSetupError(`${where} does not answer ${what}: check the token's address and the RPC URL.`);
    }
  }
  const [name, version, decimals, ownSymbol, separator] = await Promise.all([
    ask("name()", client.readContract({ ...at, functionName: "name" })),
    ask("version()", client.readContract({ ...at, functionName: "version" })),
    ask("decimals()", client.readContract({ ...at, functionName: "decimals" })),
    ask("symbol()", client.readContract({ ...at, functionName: "symbol" })),
    ask("DOMAIN_SEPARATOR()", client.readContract({ ...at, functionName: "DOMAIN_SEPARATOR" })),
  ]);
  if (decimals !== TOKEN_DECIMALS) {
    throw new ChainSetupError(`${where} has ${decimals} decimals, not ${TOKEN_DECIMALS}: check the token's address.`);
  }
  if (ownSymbol !== symbol) {
    throw new ChainSetupError(`${where} calls itself ${ownSymbol}: check the token's address.`);
  }
  if (separator !== domainSeparator({ domain: { name, version, chainId, verifyingContract: address } })) {
    throw new ChainSetupError(`${where} signs with another EIP-712 domain than "${name}", version "${version}".`);
  }
  return { symbol, address: lowerHex(address), name, version };
}
