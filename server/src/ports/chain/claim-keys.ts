import type { Hex } from "../../domain/tokens.ts";

/**
 * Everything that lets a guest claim a trip follows from the trip's code nonce and the master key, so that nothing of it is
 * stored: whoever has only the database can neither claim nor guess.
 */
export interface ClaimKeys {
  /** What the guest link carries in its fragment; base64url. */
  linkSecret(codeNonce: Hex): string;
  /** Six digits. */
  claimCode(codeNonce: Hex): string;
  /** The claim signer's address, which the trip's terms name. */
  signerAddress(codeNonce: Hex): Hex;
  /** The claim signer's EIP-712 signature of `Claim(tripId, guest, deadline)` for that contract. */
  signClaim(
    codeNonce: Hex,
    claim: { chainId: number; escrow: Hex; tripId: Hex; guest: Hex; deadline: bigint },
  ): Promise<Hex>;
}
