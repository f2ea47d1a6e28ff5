import type { Facilitator, PayerSignatures, PaymentOutcomes } from "../facilitator.ts";
import type { Chain } from "./chain.ts";
import type { ChainSender } from "./chain-sender.ts";
import type { Wallet } from "./wallets.ts";

/** A chain that this deployment's money is on, with everything that is asked of it. */
export interface OpenedChain {
  readonly chain: Chain;
  readonly sender: ChainSender;
  /** Where payments and fees go. */
  readonly collection: Wallet;
  /** Says whether a payment is good, by asking the chain itself. */
  readonly verifier: Facilitator & PayerSignatures;
  readonly outcomes: PaymentOutcomes;
  /** False: the development chain, which has one node and no strangers. */
  readonly isLive: boolean;
}
