import { Failure } from "../../domain/errors.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { OrderRecord } from "../orders/index.ts";
import { sendOutErrors } from "../treasury/index.ts";
import type { Stores } from "./context.ts";

/** Next steps for failures that several servicing tools share; tools spread these into their declared errors. */
export const commitErrors = {
  outcome_unknown:
    "The supplier has not confirmed the outcome yet. Call again with the same arguments: you get the result, and nothing is done twice.",
  currency_not_supported:
    "The supplier uses a different currency from the one the order was paid in, and no rate was recorded for it. Nothing happened.",
  settlement_stopped: sendOutErrors.settlement_stopped,
} as const;

export const orderNotFound = "You have no such order. book_flight and book_stay give the id.";

export const alreadyCancelled = "The order is already cancelled.";

/** Throws `already_cancelled` if the records say so, without asking the supplier. */
export function requireNotCancelled({ status }: Pick<OrderRecord, "status">): void {
  if (status === "cancelled") throw new Failure("already_cancelled", { detail: alreadyCancelled });
}

/** Returns the tenant's own order. Throws `order_not_found`. */
export async function requireOrder(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  orderId: string,
) {
  const order = await orders.find(tenantId, environment, orderId);
  if (order === undefined) throw new Failure("order_not_found", { detail: orderNotFound });
  return order;
}
