import type { Facilitator, PayerSignatures, PaymentOutcomes } from "../facilitator.ts";
import type { Chain } from "./chain.ts";
import type { ChainSender } from "./chain-sender.ts";
import type { Wallet } from "./wallets.ts";

/** A chain of this deployment's money, with everything needed to use it. */
export interface OpenedChain {
  readonly chain: Chain;
  readonly sender: ChainSender;
  /** Receives payments and fees. */
  readonly collection: Wallet;
  /** Verifies payments by asking the chain itself. */
  readonly verifier: Facilitator & PayerSignatures;
  readonly outcomes: PaymentOutcomes;
  /** False: the development chain, which has one node and no strangers. */
  readonly isLive: boolean;
}
