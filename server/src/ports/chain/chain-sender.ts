import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { ChainReceipt } from "./chain.ts";
import type { ChainTransaction, SignedTransaction } from "./chain-transactions.ts";

/**
 * accepted: the node has it, now or since earlier · nonce_used: a transaction with this nonce is in a block, maybe this one ·
 * underpriced: the chain wants more for the gas · unfunded: the relayer lacks the money for the gas · refused: anything else
 * that the node says, in its words, for the log.
 */
export type BroadcastAnswer =
  | { kind: "accepted" | "nonce_used" | "underpriced" | "unfunded" }
  | { kind: "refused"; reason: string };

/**
 * Whether an operation was carried out by anybody's transaction. An authorization can be broadcast by whoever has seen it, so that
 * our own transaction reverts although the money moved.
 *
 * none: nothing but our own transaction decides: there is no authorization of a token, and no event says that it was carried out ·
 * open: the authorization can still be used · done: it was carried out, by this transaction · void: it was cancelled or has expired, and no money moved nor will.
 */
export type AuthorizationState = { kind: "none" | "open" | "void" } | { kind: "done"; receipt: ChainReceipt };

/**
 * Signs and broadcasts on one chain. Everything rejects with Failure `chain_unavailable` when the chain cannot be reached or
 * does not answer in time; after `broadcast` rejected, the transaction may have arrived all the same.
 */
export interface ChainSender {
  readonly environment: Environment;
  /** The wallet that pays the gas. */
  readonly relayerWalletId: string;
  /** Asks the chain for what signing needs; what it returns signs without any further question. */
  prepare(transaction: ChainTransaction): Promise<(nonce: number) => Promise<SignedTransaction>>;
  /**
   * The same nonce once more: `dearer` the same with today's price of gas, undefined when the signed price is still good;
   * `empty` a transaction that does nothing, so that the nonces behind it can go on.
   */
  prepareReplacement(transaction: ChainTransaction, how: "dearer" | "empty"): Promise<SignedTransaction | undefined>;
  broadcast(raw: Hex): Promise<BroadcastAnswer>;
  /** How many transactions of the relayer are in blocks that count. */
  relayerNonce(): Promise<number>;
  /** What the relayer has left for gas, in whole units of the chain's own coin, for the log. */
  gasBalance(): Promise<string>;
  authorization(transaction: ChainTransaction): Promise<AuthorizationState>;
  /** Why this transaction was reverted, as far as the chain says, for the log and for choosing a code. */
  explain(transaction: ChainTransaction, receipt: ChainReceipt): Promise<string>;
}
