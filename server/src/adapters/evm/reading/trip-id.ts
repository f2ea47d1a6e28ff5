import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import type { TripTerms } from "../../../ports/chain/escrow-contract.ts";

const FIELDS = parseAbiParameters(
  "uint256, address, (address funder, uint256 budget, uint64 expiresAt, address claimSigner, bytes32 metadataHash, bytes32 salt)",
);

/** As TripEscrow.tripIdOf. */
export function tripIdOf(chainId: number, escrow: Hex, terms: TripTerms): Hex {
  return keccak256(encodeAbiParameters(FIELDS, [BigInt(chainId), escrow, terms]));
}
