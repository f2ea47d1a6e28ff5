import type { BridgeNetwork } from "../../domain/chains/named-chains.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";

/** A burn, as its chain shows it. */
export interface BurnReference {
  sourceDomain: number;
  transactionHash: Hex;
  /** The message of the event `MessageSent`, whose nonce, fee and expiry are still empty. */
  message: Hex;
}

interface AttestedMessage {
  state: "attested";
  /** The message with what the attesters filled in: this is delivered, not that of the burn. */
  message: Hex;
  attestation: Hex;
  nonce: Hex;
  /** Taken off the amount at the mint, in micro-units. */
  fee: bigint;
  /** The last block of the destination before which it must be delivered; undefined: it does not expire. */
  expirationBlock: bigint | undefined;
}

export type MessageState =
  | AttestedMessage
  /** Not seen yet: ask again. It says nothing about the burn. */
  | { state: "not_seen" }
  /** `delayReason`: why a fast message is attested as a standard one. */
  | { state: "pending"; nonce: Hex | undefined; delayReason: string | undefined };

/** The least fees of a burn, in millionths of its amount. */
export interface BurnFees {
  fast: bigint | undefined;
  standard: bigint;
}

/**
 * Attests burns, so that they can be minted on another chain. Rejects with the failure `unavailable` when it gives no clear answer: the
 * burn is where it was, and is asked for again, never burned again.
 */
export interface MessageAttestations {
  find(burn: BurnReference, signal?: AbortSignal): Promise<MessageState>;
  /** For a fast message that has expired. `final`: it is attested for good, though `find` may not show it yet. */
  attestAnew(nonce: Hex): Promise<"requested" | "final" | "not_seen">;
  readFees(sourceDomain: number, destinationDomain: number): Promise<BurnFees>;
}

/** The attestation services of the service's chains. */
export interface MessageAttestationsByNetwork {
  /** Undefined: there is none. */
  of(environment: Environment, network: BridgeNetwork): MessageAttestations | undefined;
}
