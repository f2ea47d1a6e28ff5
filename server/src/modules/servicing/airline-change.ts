import { Failure } from "../../domain/errors.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { AirlineChange, FlightServicing, OrderChange } from "../../ports/supplier/flight-servicing.ts";
import type { Stores } from "./context.ts";

/**
 * The airline's own change of an order's flights is accepted as a change of the order that costs nothing: by the same call, with
 * the same care for an answer that does not come.
 */
export const isAirlineChange = (changeId: string): boolean => changeId.startsWith("aic_");

const CANCELLED_BY_AIRLINE =
  "The airline cancelled these flights, and there is nothing to accept. The order stays as it was: cancel_order_quote says what comes back, request_order_change asks for other flights.";
const ANSWERED = "The airline's change has been answered in another way. read_order has the flights as they are.";

/** Throws `order_not_changeable` if there is nothing to accept. */
export function toOrderChange(change: AirlineChange, currency: string): OrderChange {
  const { id, orderId, answer, answeredAt, added, removed } = change;
  if (answer === "cancelled" || answer === "changed") throw new Failure("order_not_changeable", { detail: ANSWERED });
  if (added.length === 0) throw new Failure("order_not_changeable", { detail: CANCELLED_BY_AIRLINE });
  return {
    id,
    orderId,
    changeTotalAmount: "0.00",
    changeTotalCurrency: currency,
    penaltyAmount: null,
    penaltyCurrency: null,
    refundTo: null,
    expiresAt: null,
    confirmedAt: answer === "accepted" ? (answeredAt ?? Temporal.Now.instant().toString()) : null,
    slices: { add: added, remove: removed },
  };
}

/** The tenant's order with this unanswered change, and the change as the supplier has it. Throws `change_not_found`. */
export async function readAirlineChange(
  {
    stores,
    flightServicing,
  }: { stores: Pick<Stores, "orders">; flightServicing: Pick<FlightServicing, "getAirlineChange"> },
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  changeId: string,
) {
  const orderId = await stores.orders.findByAirlineChange(tenantId, environment, changeId);
  const order = orderId === undefined ? undefined : await stores.orders.find(tenantId, environment, orderId);
  if (order === undefined) throw new Failure("change_not_found");
  const change = await flightServicing.getAirlineChange(order.orderId, changeId);
  return { order, change: toOrderChange(change, order.totalCurrency) };
}
