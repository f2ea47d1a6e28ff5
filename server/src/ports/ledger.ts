import type { Micro } from "../domain/money.ts";

export interface Balance {
  availableMicroUsdc: Micro;
  heldMicroUsdc: Micro;
}

/**
 * Double-entry books in USDC. Every posting has a reference that is unique, so that a step which runs twice posts once.
 * A tenant has two accounts, `prefunded` and `held`; the service has `funding` (where deposits come from) and `collection`
 * (what covers the operator's supplier account). The sum over all accounts is always zero.
 */
export interface Ledger {
  balance(tenantId: string): Promise<Balance>;
  /** funding → prefunded. */
  deposit(tenantId: string, amount: Micro, reference: string): Promise<void>;
  /**
   * prefunded → held. With too little available: Failure `insufficient_balance`, whose extra members name
   * `requiredUsdc`, `availableUsdc` and `missingUsdc`, and nothing is posted.
   */
  hold(tenantId: string, amount: Micro, reference: string): Promise<void>;
  /** held → collection, of at most the held amount; what is left of the hold goes back to prefunded. */
  capture(tenantId: string, reference: string, amount: Micro): Promise<void>;
  /** held → prefunded. */
  release(tenantId: string, reference: string): Promise<void>;
}
