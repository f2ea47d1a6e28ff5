import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Facilitator, PayerSignatures, PaymentOutcomes } from "../facilitator.ts";
import type { Chain } from "./chain.ts";
import type { ChainSender } from "./chain-sender.ts";
import type { Wallet } from "./wallets.ts";

/** The detail of `chain_unavailable` for a development chain whose node cannot start beside those that are in use. */
export const NO_ROOM = "As many development chains as can run at once are in use.";

/** The extras of a development chain. */
export interface DevelopmentChain {
  /** The relayer, who issues its tokens, appoints these minters and mints this money once, for the contracts for other chains. */
  readonly appointments: readonly { token: TokenSymbol; minter: Hex; allowance: bigint }[];
  readonly inventory: readonly { token: TokenSymbol; to: Hex; amount: Micro }[];
  /** Present for a chain that is parked when nobody uses it. */
  readonly parking?: {
    /** The last block, which does not count as a use. */
    readTip(): Promise<bigint>;
    /** Keeps it running for so long. */
    hold(holder: string, seconds: number): Promise<void>;
  };
}

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
  /** Undefined: a live chain. */
  readonly development?: DevelopmentChain;
}
