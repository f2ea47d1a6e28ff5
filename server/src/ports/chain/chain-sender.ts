import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { ChainReceipt } from "./chain.ts";
import type { ChainTransaction, SignedTransaction } from "./chain-transactions.ts";

/**
 * accepted: the node has it, now or from before · nonce_used: a transaction with this nonce is in a block, possibly this one ·
 * underpriced: the chain requires a higher gas price · unfunded: the relayer lacks the money for gas · refused: any other
 * answer of the node, with its text for the log.
 */
export type BroadcastAnswer =
  | { kind: "accepted" | "nonce_used" | "underpriced" | "unfunded" }
  | { kind: "refused"; reason: string };

/**
 * Whether an operation was executed, by any transaction. Anyone who has seen an authorization can broadcast it, so that our own
 * transaction reverts although the money moved.
 * none: only our own transaction decides: there is no token authorization, and no event shows the execution · open: the
 * authorization is still usable · done: it was executed by this transaction · void: it was cancelled or has expired, and no
 * money moved or will move.
 */
export type AuthorizationState = { kind: "none" | "open" | "void" } | { kind: "done"; receipt: ChainReceipt };

/**
 * Signs and broadcasts on one chain. Everything rejects with Failure `chain_unavailable` if the chain cannot be reached or does
 * not answer in time; after a rejected `broadcast` the transaction may still have arrived.
 */
export interface ChainSender {
  readonly environment: Environment;
  /** The wallet that pays the gas. */
  readonly relayerWalletId: string;
  /** Asks the chain for what signing needs; the returned function signs without further requests. */
  prepare(transaction: ChainTransaction): Promise<(nonce: number) => Promise<SignedTransaction>>;
  /**
   * Replaces the transaction under the same nonce: `dearer` with today's gas price, undefined if the signed price is still
   * sufficient; `empty` with a transaction without effect, so that later nonces can proceed.
   */
  prepareReplacement(transaction: ChainTransaction, how: "dearer" | "empty"): Promise<SignedTransaction | undefined>;
  broadcast(raw: Hex): Promise<BroadcastAnswer>;
  /** The number of the relayer's transactions in confirmed blocks. */
  relayerNonce(): Promise<number>;
  /** The relayer's balance for gas, in whole units of the chain's native coin, for the log. */
  gasBalance(): Promise<string>;
  authorization(transaction: ChainTransaction): Promise<AuthorizationState>;
  /** Why this transaction was reverted, as far as the chain tells; for the log and for choosing a code. */
  explain(transaction: ChainTransaction, receipt: ChainReceipt): Promise<string>;
}
