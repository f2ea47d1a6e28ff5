import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";

/** A burn, as the message shows it that its transaction sent. */
export interface SentBurn {
  message: Hex;
  destinationDomain: number;
  /** An address. */
  recipient: Hex;
  amount: Micro;
  maxFee: Micro;
}

/** Reads the contracts of the bridge on one chain. Rejects as `Chain` does. */
export interface BridgeReader {
  /** The burns of a confirmed transaction, in their order. */
  sentBurns(transmitter: Hex, transactionHash: Hex): Promise<readonly SentBurn[]>;
  /** Whether the message with this nonce was delivered, by anybody. */
  isDelivered(transmitter: Hex, nonce: Hex): Promise<boolean>;
  /** The least maximum fee that a burn of this amount must allow. Zero for contracts that know none. */
  leastFee(messenger: Hex, amount: Micro): Promise<Micro>;
}
