import { Failure } from "../../domain/errors.ts";
import type { ByChain, Chains } from "../../kernel/contracts/by-chain.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "chain.usableChains": UsableChains;
  }
}

/** The chains of the caller's environment, for tools that name one. */
export interface UsableChains {
  /** By CAIP-2: the home chain first, also those that do not answer now. */
  readonly names: readonly string[];
  /** Throws Failure `chain_not_available`: retryable if the chain is configured and does not answer. */
  at(name: string): { chain: Chain; submission: ChainSubmission };
}

const AGAIN_SECONDS = 10;

export function createUsableChains(
  { chains, submitters }: { chains: Chains; submitters: ByChain<ChainSubmission> },
  environment: Environment,
): UsableChains {
  const names = chains.keys.filter((key) => key.environment === environment).map(({ chain }) => chain);
  return {
    names,
    at(name) {
      const key = { environment, chain: name };
      const opened = chains.at(key);
      const submission = submitters.at(key);
      if (opened !== undefined && submission !== undefined) return { chain: opened.chain, submission };
      if (!names.includes(name)) {
        throw new Failure("chain_not_available", {
          detail: `The chain ${name} is not one of this service: ${names.join(", ")}. Nothing was done.`,
        });
      }
      throw new Failure("chain_not_available", {
        detail: `The chain ${name} does not answer at the moment. Nothing was done; call again later.`,
        retryAfterSeconds: AGAIN_SECONDS,
      });
    },
  };
}
