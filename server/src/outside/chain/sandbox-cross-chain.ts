import {
  type CrossChainSetup,
  deployCrossChain,
  deriveAddress,
  FIRST_INVENTORY,
  listMinters,
  locateCrossChain,
} from "../../adapters/evm/index.ts";
import { findChainById, type KnownChain, namedChains } from "../../domain/chains/named-chains.ts";
import type { ByToken, Hex } from "../../domain/tokens.ts";
import type { AttesterSecrets } from "../../embedded/attester-part.ts";
import { furtherChainUrl } from "../../embedded/devnet-part.ts";
import type { CrossChainAddresses, CrossChainContracts } from "../../ports/chain/cross-chain-contracts.ts";
import type { DevelopmentChain } from "../../ports/chain/opened-chain.ts";
import type { Vault } from "../../ports/vault.ts";
import { sandboxCrossChainKeys } from "../sandbox-keys.ts";

type Tokens = Required<ByToken<Hex>>;
type ChainClient = Parameters<typeof deployCrossChain>[0]["client"];

/** The development chain that the others trade with, and the accounts of the service on the chain to deploy to. */
interface Site {
  client: ChainClient;
  funderKey: Hex;
  relayer: Hex;
  collection: Hex;
}

const HUB_CHAIN_ID = 5_042_002;

/** The contracts between the development chains, and the keys that attest for them. All addresses follow from the master key. */
export function createSandboxCrossChain(vault: Pick<Vault, "deriveKey">) {
  const { deployer: deployerKey, ...keys } = sandboxCrossChainKeys(vault);
  const deployer = deriveAddress(deployerKey);
  const hub = findChainById(HUB_CHAIN_ID);
  const atFurther = locateCrossChain(deployer);

  async function deploy(
    { client, funderKey, relayer, collection }: Site,
    { domain, network }: Pick<KnownChain, "domain" | "network">,
    more: Pick<CrossChainSetup, "remotes" | "tokens">,
  ): Promise<void> {
    const { attesters, gateway } = keys[network];
    const setup: CrossChainSetup = {
      ...more,
      domain,
      attesters: attesters.map(deriveAddress),
      attesterThreshold: attesters.length,
      gatewaySigner: deriveAddress(gateway),
      relayer,
      feeRecipient: collection,
    };
    await deployCrossChain({ client, deployerKey, funderKey, setup });
  }

  return {
    async deployToHub(site: Site, tokens: Tokens): Promise<void> {
      if (hub === undefined) return;
      // A test network and its main network have one domain, and the same contracts at the same addresses.
      const domains = new Set(namedChains.map(({ domain }) => domain));
      domains.delete(hub.domain);
      const remotes = [...domains].map((domain) => ({ domain, usdc: atFurther.tokens.USDC }));
      await deploy(site, hub, { tokens, remotes });
    },

    async deployToFurther(site: Site, known: KnownChain, hubUsdc: Hex): Promise<CrossChainContracts> {
      const remotes = hub === undefined ? [] : [{ domain: hub.domain, usdc: hubUsdc }];
      await deploy(site, known, { remotes });
      return atFurther;
    },

    attesterSecrets(rpcUrl: string, hubTokens: Tokens): AttesterSecrets {
      const chains = namedChains.map(({ name, network, domain, chainId }) => {
        const isHub = chainId === HUB_CHAIN_ID;
        const contracts = isHub ? locateCrossChain(deployer, hubTokens) : atFurther;
        const { tokens, transmitter, messenger, gatewayWallet, gatewayMinter } = contracts;
        return {
          name,
          network,
          domain,
          rpcUrl: isHub ? rpcUrl : furtherChainUrl(rpcUrl, name),
          isHub,
          usdc: tokens.USDC,
          transmitter,
          messenger,
          gatewayWallet,
          gatewayMinter,
        };
      });
      return { chains, keys };
    },
  };
}

/** Undefined: the chain is not the one that the bridge knows as the hub. */
export function locateAtHub(
  vault: Pick<Vault, "deriveKey">,
  chainId: number,
  { USDC, EURC }: ByToken<Hex>,
): CrossChainContracts | undefined {
  if (chainId !== HUB_CHAIN_ID || EURC === undefined) return undefined;
  return locateCrossChain(deriveAddress(sandboxCrossChainKeys(vault).deployer), { USDC, EURC });
}

/** The addresses as a chain shows them. */
export function toAddresses(contracts: CrossChainContracts): CrossChainAddresses {
  const { transmitter, messenger, signedBurns, gatewayWallet, gatewayMinter, swapPool } = contracts;
  return {
    bridge: { transmitter, messenger, signedBurns },
    gateway: { wallet: gatewayWallet, minter: gatewayMinter },
    swapPool,
  };
}

/** The duties of the relayer on a chain whose tokens it issues. */
export function listRelayerDuties(contracts: CrossChainContracts): DevelopmentChain {
  return {
    appointments: listMinters(contracts).map(({ minter, allowance }) => ({ token: "USDC", minter, allowance })),
    inventory: (["USDC", "EURC"] as const).map((token) => ({
      token,
      to: contracts.swapPool,
      amount: FIRST_INVENTORY,
    })),
  };
}
