import type { Micro } from "../../domain/money.ts";
import type { TokenSymbol } from "../../domain/tokens.ts";
import type { TokenMovement } from "../../ports/chain/chain.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "ledger.ledger": Ledger;
  }
}

export interface Balance {
  /** The amount that the tenant can spend now. */
  available: Micro;
  /** Covers bookings with an open outcome. */
  held: Micro;
  /** Leaving the wallet by transactions that are not confirmed yet. */
  outgoing: Micro;
}

/** A tenant's USDC in the Gateway of a chain. */
export interface GatewayBalance {
  available: Micro;
  /** In flight to another chain, until the operator has burned it here. */
  reserved: Micro;
  /** Waits for the block in which it can be taken out. */
  withdrawing: Micro;
}

/** The owner of money and its chain: a tenant's development money is never its live money. */
export interface Purse extends ChainKey {
  tenantId: string;
  token: TokenSymbol;
}

/**
 * The ledger's owner of an address: a tenant's treasury, the service's collection account, the escrow of trips, or a contract that
 * sends a tenant's money to another chain.
 */
export type WalletOwner =
  | { kind: "treasury"; tenantId: string }
  | { kind: "collection" }
  /** `tenantId`: an escrow that only this tenant uses; undefined: the chain's own. */
  | { kind: "escrow"; tenantId?: string | undefined }
  | { kind: "in_flight"; tenantId: string };

/** An event of the chain; `from` and `to` are undefined for addresses that are not our wallets. */
export interface OwnedMovement {
  movement: TokenMovement;
  from: WalletOwner | undefined;
  to: WalletOwner | undefined;
  /** The trace of the call that moved it, if known. */
  traceId?: string | null | undefined;
}

/**
 * A double-entry ledger, with a set of accounts per chain and token; the sum over all accounts of a set is always zero.
 * Every posting has a unique reference, so that a repeated step posts once; the same reference with another amount or purse is
 * an error. Negative amounts are refused.
 * A tenant's treasury wallet has three accounts: `prefunded`, `held` and `outgoing`. The collection wallet has two:
 * `collection` and `collection_outgoing`. A tenant's money in the Gateway is in `gateway`, `gateway_reserved` and
 * `gateway_withdrawing`, and follows from the events of its contract. `escrow` is everything in the escrow contract, including
 * strangers' money; a tenant's own is everything in the further escrows that only this tenant uses. `external` is everyone else. Two accounts of a tenant are in no wallet: `in_flight` has the money that left this
 * chain for another one and has not arrived there, `transfer_fee` the fees of such transfers. Money moves between wallets only by
 * `postMovements`, which is tied to an event on the chain, so that at any
 * block the accounts of a wallet add up to its balance there.
 */
export interface Ledger {
  balance(purse: Purse): Promise<Balance>;
  /** By chain, where the tenant has or had money in the Gateway. */
  inGateway(tenant: Pick<Purse, "tenantId" | "environment">): Promise<ReadonlyMap<string, GatewayBalance>>;
  /** The current holds with their references, oldest first, at most fifty. */
  holds(purse: Purse): Promise<readonly { reference: string; amount: Micro }[]>;
  /**
   * prefunded → held. With too little available: Failure `insufficient_balance`, whose extra members are `requiredUsdc`,
   * `availableUsdc` and `missingUsdc` (for EURC: `requiredEurc` …), and nothing is posted.
   */
  hold(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /** held → outgoing, for at most the held amount; the rest returns to prefunded. Ends the hold. */
  capture(purse: Purse, reference: string, amount: Micro): Promise<void>;
  /** held → prefunded. Ends the hold. */
  release(purse: Purse, reference: string): Promise<void>;
  /** prefunded → outgoing, for a chain transaction that is stored in the same database transaction. Too little: like `hold`. */
  send(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /** outgoing → prefunded, when that chain transaction was reverted. */
  takeBack(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /**
   * in_flight → external and `transfer_fee`, when money that left this chain has arrived on another one, where its mint is posted as
   * a movement. `arrived` and `fee` add up to the amount that left.
   */
  land(purse: Purse, landed: { arrived: Micro; fee: Micro }, reference: string): Promise<void>;
  /** The amount that left this chain for other ones and has not arrived. */
  inFlight(purse: Purse): Promise<Micro>;
  /**
   * collection → collection_outgoing, for a chain transaction to this purse that is stored in the same database transaction. An
   * error if the collection wallet has less.
   */
  refund(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /**
   * Posts events of the chain, all or none: from the sender's `outgoing` (or `escrow`, `external`) to the receiver's
   * `prefunded` or `collection` (or `escrow`, `in_flight`, `external`). Returns how many were new. Movements of one transaction must be
   * posted by a single call: several calls could deadlock.
   */
  postMovements(chain: ChainKey, movements: readonly OwnedMovement[]): Promise<number>;
  /** The events that are in no ledger. */
  notPosted(chain: ChainKey, movements: readonly OwnedMovement[]): Promise<OwnedMovement[]>;
}
