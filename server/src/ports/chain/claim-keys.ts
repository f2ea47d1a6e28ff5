import type { Hex } from "../../domain/tokens.ts";

/**
 * The keys with which a guest claims a trip. They are derived from the trip's code nonce and the master key and never stored:
 * the database alone is not enough to claim or to guess.
 */
export interface ClaimKeys {
  /** The secret in the guest link's fragment; base64url. */
  linkSecret(codeNonce: Hex): string;
  /** Six digits. */
  claimCode(codeNonce: Hex): string;
  /** The claim signer's address, as in the trip's terms. */
  signerAddress(codeNonce: Hex): Hex;
  /** The claim signer's EIP-712 signature of `Claim(tripId, guest, deadline)` for that contract. */
  signClaim(
    codeNonce: Hex,
    claim: { chainId: number; escrow: Hex; tripId: Hex; guest: Hex; deadline: bigint },
  ): Promise<Hex>;
}
