import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../../domain/tokens.ts";
import type { ClaimKeys } from "../../../ports/chain/claim-keys.ts";
import type { Vault } from "../../../ports/vault.ts";
import { lowerHex } from "../hex.ts";

const CODES = 1_000_000n;
const CODE_DIGITS = 6;

const TYPES = {
  Claim: [
    { name: "tripId", type: "bytes32" },
    { name: "guest", type: "address" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

/** A separate purpose for each: learning one of a trip's secrets reveals none of the others. */
export function createClaimKeys(vault: Pick<Vault, "deriveKey">): ClaimKeys {
  const derive = (what: string, codeNonce: Hex): string => vault.deriveKey(`trip ${what} ${lowerHex(codeNonce)}`);
  const deriveSigner = (codeNonce: Hex) => privateKeyToAccount(`0x${derive("claim signer", codeNonce)}`);
  return {
    linkSecret: (codeNonce) => Buffer.from(derive("guest link", codeNonce), "hex").toString("base64url"),

    // The keys are so many more than the codes that the modulo bias is negligible.
    claimCode: (codeNonce) =>
      (BigInt(`0x${derive("claim code", codeNonce)}`) % CODES).toString().padStart(CODE_DIGITS, "0"),

    signerAddress: (codeNonce) => lowerHex(deriveSigner(codeNonce).address),

    signClaim: (codeNonce, { chainId, escrow, tripId, guest, deadline }) =>
      deriveSigner(codeNonce).signTypedData({
        domain: { name: "TripEscrow", version: "1", chainId, verifyingContract: escrow },
        types: TYPES,
        primaryType: "Claim",
        message: { tripId, guest, deadline },
      }),
  };
}
