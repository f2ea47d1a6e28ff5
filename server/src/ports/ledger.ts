import type { Micro } from "../domain/money.ts";
import type { Environment } from "./identity.ts";

export interface Balance {
  availableMicroUsdc: Micro;
  heldMicroUsdc: Micro;
}

/** Whose money: development money of a tenant is never its live money. */
export interface Purse {
  tenantId: string;
  network: Environment;
}

/**
 * Double-entry books in USDC, one set per network. Every posting has a reference that is unique, so that a step which runs
 * twice posts once; the same reference with another amount or purse is an error. A tenant has two accounts, `prefunded` and
 * `held`; the service has `funding` (where deposits come from) and `collection` (what covers the operator's supplier
 * account). The sum over all accounts is always zero. Amounts below zero are refused.
 */
export interface Ledger {
  balance(purse: Purse): Promise<Balance>;
  /** funding → prefunded. */
  deposit(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /**
   * prefunded → held. With too little available: Failure `insufficient_balance`, whose extra members name
   * `requiredUsdc`, `availableUsdc` and `missingUsdc`, and nothing is posted.
   */
  hold(purse: Purse, amount: Micro, reference: string): Promise<void>;
  /** held → collection, of at most the held amount; what is left of the hold goes back to prefunded. Ends the hold. */
  capture(purse: Purse, reference: string, amount: Micro): Promise<void>;
  /** held → prefunded. Ends the hold. */
  release(purse: Purse, reference: string): Promise<void>;
}
