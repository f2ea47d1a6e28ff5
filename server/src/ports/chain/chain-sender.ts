import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { ChainReceipt } from "./chain.ts";
import type { EncodedCall } from "./chain-operation.ts";
import type { ChainTransaction, SignedTransaction } from "./chain-transactions.ts";
import type { Wallet } from "./wallets.ts";

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

/** An EIP-712 message whose domain names no chain: its own terms do. */
export interface MessageToSign {
  domain: { name: string; version: string };
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  primaryType: string;
  message: Readonly<Record<string, unknown>>;
}

/** A call that a contract takes from the holder of the money alone. */
interface OwnCall extends EncodedCall {
  gas: bigint;
}

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
  /** The signature of one of our wallets on this chain. */
  signMessage(from: Hex, message: MessageToSign): Promise<Hex>;
  /** A transaction of the wallet itself, which pays for its gas. A wallet sends one at a time. */
  signOwnCall(wallet: Pick<Wallet, "id" | "address">, call: OwnCall): Promise<SignedTransaction & { nonce: number }>;
  /** The number of the wallet's own transactions in confirmed blocks. */
  ownNonce(address: Hex): Promise<number>;
  /** How much of the chain's native coin, in its smallest unit, the wallet lacks for so much gas. */
  lackedForGas(address: Hex, gas: bigint): Promise<bigint>;
  /** Why this transaction was reverted, as far as the chain tells; for the log and for choosing a code. */
  explain(transaction: ChainTransaction, receipt: ChainReceipt): Promise<string>;
}
