import { deriveAddress } from "../adapters/evm/index.ts";
import type { BridgeNetwork } from "../domain/chains/named-chains.ts";
import type { Hex } from "../domain/tokens.ts";
import type { Vault } from "../ports/vault.ts";

/**
 * The key that holds native gas from the development chain's first block on. Derived from the master key, as it is needed
 * before there is a database or a chain.
 */
export function sandboxFunder(vault: Pick<Vault, "deriveKey">): { address: Hex; privateKey: Hex } {
  const privateKey: Hex = `0x${vault.deriveKey("development chain funder")}`;
  return { address: deriveAddress(privateKey), privateKey };
}

/** A wallet for experiments from outside, by a payment-gated call or a script: `quickstart.json` has its key. */
export function sandboxPayer(vault: Pick<Vault, "deriveKey">): { address: Hex; privateKey: Hex } {
  const privateKey: Hex = `0x${vault.deriveKey("development chain payer")}`;
  return { address: deriveAddress(privateKey), privateKey };
}

const ATTESTERS = ["first", "second"] as const;

/** The keys of the contracts for other chains: of their deployer, and of those who attest for each of the two networks. */
export function sandboxCrossChainKeys(vault: Pick<Vault, "deriveKey">) {
  const derive = (purpose: string): Hex => `0x${vault.deriveKey(`development chain ${purpose}`)}`;
  const ofNetwork = (network: BridgeNetwork) => ({
    attesters: ATTESTERS.map((which) => derive(`${which} attester of ${network}`)),
    gateway: derive(`gateway of ${network}`),
  });
  return { deployer: derive("deployer"), testnet: ofNetwork("testnet"), mainnet: ofNetwork("mainnet") };
}

/** The holders of native gas from the development chain's first block on. */
export function sandboxPrefund(vault: Pick<Vault, "deriveKey">): readonly Hex[] {
  return [sandboxFunder(vault).address, sandboxPayer(vault).address];
}
