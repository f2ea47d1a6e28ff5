import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";

/**
 * Money that came to or left a tenant's treasury wallet, or that left its deposits in the Gateway for another chain. Held money has not
 * moved.
 */
export interface WalletMovement {
  /** Decimal digits; they increase over time. */
  id: string;
  /** CAIP-2. */
  chain: string;
  token: TokenSymbol;
  amount: Micro;
  direction: "in" | "out";
  at: Temporal.Instant;
  /** The source of incoming money: an account of the service or an address. */
  sender: { account: "collection" | "escrow" | "gateway" } | { address: Hex | undefined };
  /** In a block. */
  hash: Hex | undefined;
  /** Our transaction that moves the money; undefined: someone else's. */
  transaction: OwnTransaction | undefined;
  /** Set if it left the Gateway, and not the wallet. */
  pot: "gateway" | undefined;
  /** The transfer to another chain that it belongs to, and the fee in its amount, once that is known. */
  transfer: { id: string; fee: Micro | undefined; recipient: string; isToOwnWallet: boolean } | undefined;
  /** The order that was paid or refunded. */
  order: PaidOrder | undefined;
}

export interface PaidOrder {
  bookingId: string;
  orderId: string | undefined;
  kind: "flight" | "stay";
  /** The route, such as LHR to LIS, or the name of the accommodation. Undefined: not booked yet. */
  what: string | undefined;
  /** The reference of the airline or the accommodation. */
  reference: string | undefined;
  /** The action that moved the money; undefined: the booking. */
  action: "flight_cancellation" | "flight_change" | "stay_cancellation" | undefined;
}

/** The prefix of the reference of money that returns to a wallet because escrow has paid the same order. */
export const PAID_BY_ESCROW = "paid-by-escrow:";

export interface OwnTransaction {
  id: string;
  chain: string;
  idempotencyKey: string;
  purpose: string;
  state: "queued" | "signed" | "confirmed" | "reverted";
  hash: Hex | undefined;
  /** As stored in its row. */
  operation: unknown;
  /** The tenant's fee, if it settles an escrow booking. */
  bookingFee: Micro | undefined;
}
