import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "orders.walletMovements": WalletMovements;
  }
}

/** Money that came to a tenant's treasury wallet, or that was sent from it. What is only held has not moved. */
export interface WalletMovement {
  /** Digits; later ones have greater numbers. */
  id: string;
  token: TokenSymbol;
  amount: Micro;
  direction: "in" | "out";
  at: Temporal.Instant;
  /** Where money that came in came from: an account of the service, or somebody's address. */
  sender: { account: "collection" | "escrow" } | { address: Hex | undefined };
  /** In a block. */
  hash: Hex | undefined;
  /** The transaction of ours that carries it out; undefined: somebody else's. */
  transaction: OwnTransaction | undefined;
  /** The order that it paid, or that it was given back for. */
  order: PaidOrder | undefined;
}

export interface PaidOrder {
  bookingId: string;
  orderId: string | undefined;
  kind: "flight" | "stay";
  /** Where the flights go, such as LHR to LIS, or the name of the place of stay. Undefined: it is not booked yet. */
  what: string | undefined;
  /** The airline's, or the one that the place of stay knows. */
  reference: string | undefined;
  /** What was done with it that moved the money; undefined: it was booked. */
  action: "flight_cancellation" | "flight_change" | "stay_cancellation" | undefined;
}

/** Begins the reference of what goes back to a wallet because the escrow has paid the same order. */
export const PAID_BY_ESCROW = "paid-by-escrow:";

export interface OwnTransaction {
  id: string;
  idempotencyKey: string;
  purpose: string;
  state: "queued" | "signed" | "confirmed" | "reverted";
  hash: Hex | undefined;
  /** As its row stores it. */
  operation: unknown;
  /** The tenant's, where it settles a booking of a trip. */
  bookingFee: Micro | undefined;
}

export interface WalletMovements {
  /** Newest first; those with smaller ids than `before`. */
  list(
    tenantId: string,
    environment: Environment,
    options: {
      limit: number;
      before?: string | undefined;
      /** Those that came at this time or later, and before that one. */
      from?: Temporal.Instant | undefined;
      to?: Temporal.Instant | undefined;
    },
  ): Promise<readonly WalletMovement[]>;
}
