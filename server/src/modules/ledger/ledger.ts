import type { Micro } from "../../domain/money.ts";
import type { TokenSymbol } from "../../domain/tokens.ts";
import type { TokenMovement } from "../../ports/chain/chain.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "ledger.ledger": Ledger;
  }
}

export interface Balance {
  /** What the tenant can spend now. */
  available: Micro;
  /** Covers bookings whose outcome is open. */
  held: Micro;
  /** On its way out of the wallet by transactions that are not confirmed yet. */
  outgoing: Micro;
}

/** Whose money: development money of a tenant is never its live money. */
export interface Purse {
  tenantId: string;
  environment: Environment;
  token: TokenSymbol;
}

/** Whose an address is, for the books: a tenant's treasury, the service's collection account, or the escrow of trips. */
export type WalletOwner = { kind: "treasury"; tenantId: string } | { kind: "collection" } | { kind: "escrow" };

/** An event of the chain; `from` and `to` are undefined for addresses that are no wallet of ours. */
export interface OwnedMovement {
  movement: TokenMovement;
  from: WalletOwner | undefined;
  to: WalletOwner | undefined;
  /** Of the call that has moved it, where it is known. */
  traceId?: string | null | undefined;
}

/**
 * Double-entry books, one set per environment and token; the sum over all accounts of a set is always zero. Every posting has a
 * reference that is unique, so that a step which runs twice posts once; the same reference with another amount or purse is an
 * error. Amounts below zero are refused.
 *
 * A tenant's treasury wallet is three accounts: `prefunded`, `held` and `outgoing`. The collection wallet is two: `collection` and
 * `collection_outgoing`. `escrow` is everything in the escrow contract, also what strangers put there. `external` is everybody
 * else. Money crosses between wallets only by `postMovements`, which is tied to an event on the chain, so that at any block the
 * accounts of a wallet add up to its balance there.
 */
export interface Ledger {
  balance(purse: Purse): Promise<Balance>;
  /** What is held now and for what, the oldest first, at most fifty. */
  holds(purse: Purse): Promise<readonly { reference: string; amount: Micro }[]>;
  /**
   * prefunded → held. With too little available: Failure `insufficient_balance`, whose extra members name
   * `requiredUsdc`, `availableUsdc` and `missingUsdc` (of EURC: `requiredEurc` …), and nothing is posted.
   */
  hold(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /** held → outgoing, of at most the held amount; what is left of the hold goes back to prefunded. Ends the hold. */
  capture(purse: Purse, reference: string, amount: Micro): Promise<void>;
  /** held → prefunded. Ends the hold. */
  release(purse: Purse, reference: string): Promise<void>;
  /** prefunded → outgoing, for a chain transaction that is stored in the same database transaction. Too little: as `hold`. */
  send(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /** outgoing → prefunded, when that chain transaction was reverted. */
  takeBack(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /**
   * collection → collection_outgoing, for a chain transaction to this purse that is stored in the same database transaction. An
   * error when the collection wallet has less.
   */
  refund(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /**
   * Events of the chain, all or none: from the sender's `outgoing` (or `escrow`, `external`) to the receiver's `prefunded` or
   * `collection` (or `escrow`, `external`). How many were posted now and not before. What belongs to one transaction is posted by one call: call after call
   * in one transaction, two of them could wait for each other in a circle.
   */
  postMovements(environment: Environment, movements: readonly OwnedMovement[]): Promise<number>;
  /** Those of the events that are in no books. */
  notPosted(environment: Environment, movements: readonly OwnedMovement[]): Promise<OwnedMovement[]>;
}
