import { createMessageAttestations } from "../../adapters/cctp/index.ts";
import { createUnifiedBalance } from "../../adapters/gateway/index.ts";
import type { Embedded } from "../../embedded/start-embedded.ts";
import type { Chains } from "../../kernel/contracts/by-chain.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { MessageAttestationsByNetwork } from "../../ports/chain/message-attestations.ts";
import type { UnifiedBalanceByNetwork } from "../../ports/chain/unified-balance.ts";
import type { Vault } from "../../ports/vault.ts";
import { createSandboxCrossChain } from "./sandbox-cross-chain.ts";

interface CrossChainParts {
  embedded: Pick<Embedded, "chain" | "startAttester">;
  chains: Pick<Chains, "home">;
  vault: Vault;
  http: HttpClient;
}

/** The attestation service and the Gateway of each environment's chains. That of the development chains starts when it is first asked. */
export function openCrossChainServices(parts: CrossChainParts): {
  messageAttestations: MessageAttestationsByNetwork;
  unifiedBalance: UnifiedBalanceByNetwork;
} {
  const { http } = parts;
  const startAttester = prepareAttester(parts);
  const sandbox = startAttester && {
    attestations: createMessageAttestations({ url: startAttester, http }),
    unified: createUnifiedBalance({ url: startAttester, http }),
  };
  return {
    messageAttestations: { of: (environment) => (environment === "sandbox" ? sandbox?.attestations : undefined) },
    unifiedBalance: { of: (environment) => (environment === "sandbox" ? sandbox?.unified : undefined) },
  };
}

/** Undefined: there are no development chains, or the home chain is none that the bridge knows. */
function prepareAttester({ embedded, chains, vault }: CrossChainParts): (() => Promise<string>) | undefined {
  const home = chains.home("sandbox")?.chain;
  const { USDC, EURC } = home?.tokens ?? {};
  if (embedded.chain === undefined || home?.crossChain.bridge === undefined) return undefined;
  if (USDC === undefined || EURC === undefined) return undefined;
  const hubTokens = { USDC: USDC.address, EURC: EURC.address };
  const secrets = createSandboxCrossChain(vault).attesterSecrets(embedded.chain.rpcUrl, hubTokens);
  let started: Promise<string> | undefined;
  return async () => {
    started ??= embedded.startAttester(secrets).then(({ url }) => url);
    try {
      return await started;
    } catch (error) {
      started = undefined;
      throw error;
    }
  };
}
