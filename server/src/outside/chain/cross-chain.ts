import { createMessageAttestations } from "../../adapters/cctp/index.ts";
import { createUnifiedBalance } from "../../adapters/gateway/index.ts";
import type { Config } from "../../config/config.ts";
import type { BridgeNetwork } from "../../domain/chains/named-chains.ts";
import type { Embedded } from "../../embedded/start-embedded.ts";
import type { Chains } from "../../kernel/contracts/by-chain.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import { markedClient } from "../../platform/http-client/marked-client.ts";
import type { MessageAttestationsByNetwork } from "../../ports/chain/message-attestations.ts";
import type { UnifiedBalanceByNetwork } from "../../ports/chain/unified-balance.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import { createSandboxCrossChain } from "./sandbox-cross-chain.ts";

interface CrossChainParts {
  config: Config;
  embedded: Pick<Embedded, "chain" | "startAttester">;
  chains: Pick<Chains, "home">;
  vault: Vault;
  http: HttpClient;
}

/** The attestation service and the Gateway of each environment's chains. That of the development chains starts when it is first asked. */
export function openCrossChainServices(parts: CrossChainParts): {
  messageAttestations: MessageAttestationsByNetwork;
  unifiedBalance: UnifiedBalanceByNetwork;
  /** The attester of the development chains: its address. Undefined: there is none. */
  startAttester: (() => Promise<string>) | undefined;
} {
  const { config, http } = parts;
  const startAttester = prepareAttester(parts);
  const sandbox = startAttester && {
    attestations: createMessageAttestations({ url: startAttester, http: markedClient(http) }),
    unified: createUnifiedBalance({ url: startAttester, http: markedClient(http) }),
  };
  const testnet = openPublic("testnet", config, http);
  const mainnet = openPublic("mainnet", config, http);
  const hasProduction = config.networkMode === "production";
  const find = (environment: Environment, network: BridgeNetwork) => {
    if (environment === "sandbox") return sandbox;
    if (!hasProduction) return undefined;
    return network === "testnet" ? testnet : mainnet;
  };
  return {
    messageAttestations: { of: (environment, network) => find(environment, network)?.attestations },
    unifiedBalance: { of: (environment, network) => find(environment, network)?.unified },
    startAttester,
  };
}

const PUBLIC_SERVICES: Readonly<Record<BridgeNetwork, { attestations: string; gateway: string }>> = {
  testnet: {
    attestations: "https://iris-api-sandbox.circle.com",
    gateway: "https://gateway-api-testnet.circle.com",
  },
  mainnet: { attestations: "https://iris-api.circle.com", gateway: "https://gateway-api.circle.com" },
};

/** The services of live chains, or those that the operator uses instead. */
function openPublic(network: BridgeNetwork, { attestationsUrl, gatewayApiUrl }: Config, http: HttpClient) {
  const { attestations, gateway } = PUBLIC_SERVICES[network];
  return {
    attestations: createMessageAttestations({ url: attestationsUrl ?? attestations, http }),
    unified: createUnifiedBalance({ url: gatewayApiUrl ?? gateway, http }),
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
