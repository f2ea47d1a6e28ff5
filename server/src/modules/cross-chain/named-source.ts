import { findNamedChain } from "../../domain/chains/named-chains.ts";
import type { SourceChain } from "../../domain/chains/source-chain.ts";
import { Failure, invalidInput } from "../../domain/errors.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { nameEvmChain } from "../../ports/chain/chain-key.ts";

/** The chain as CAIP-2. Throws Failure for the chain to which the money goes, and for those that the service cannot use. */
export function requireSource(name: SourceChain, { chainId }: Pick<Chain, "chainId">): string {
  const known = findNamedChain(name);
  if (known === undefined) {
    throw new Failure("chain_not_available", {
      detail: `${name} is not supported: the service has wallets and contracts on EVM chains only. Nothing was done.`,
    });
  }
  if (known.chainId === chainId) {
    throw invalidInput([{ path: "fromChain", message: "is the destination chain; name another one" }]);
  }
  return nameEvmChain(known.chainId);
}
