import { deriveAddress } from "../adapters/evm/index.ts";
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

/** The holders of native gas from the development chain's first block on. */
export function sandboxPrefund(vault: Pick<Vault, "deriveKey">): readonly Hex[] {
  return [sandboxFunder(vault).address, sandboxPayer(vault).address];
}
