import { addressOf } from "../adapters/evm/index.ts";
import type { Hex } from "../domain/tokens.ts";
import type { Vault } from "../ports/vault.ts";

/**
 * Who has native gas on the development chain from its first block on: a key that follows from the master key, as it is needed
 * before there is a database or a chain.
 */
export function sandboxFunder(vault: Pick<Vault, "deriveKey">): { address: Hex; privateKey: Hex } {
  const privateKey: Hex = `0x${vault.deriveKey("development chain funder")}`;
  return { address: addressOf(privateKey), privateKey };
}

/** A wallet for trying things out from outside, by a payment-gated call or a script: `quickstart.json` has its key. */
export function sandboxPayer(vault: Pick<Vault, "deriveKey">): { address: Hex; privateKey: Hex } {
  const privateKey: Hex = `0x${vault.deriveKey("development chain payer")}`;
  return { address: addressOf(privateKey), privateKey };
}

/** Who owns native gas on the development chain from its first block on. */
export function sandboxPrefund(vault: Pick<Vault, "deriveKey">): readonly Hex[] {
  return [sandboxFunder(vault).address, sandboxPayer(vault).address];
}
