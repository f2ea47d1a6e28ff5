export { BookedStay, findOwnStays } from "./booked-stay.ts";
export { creditEvents } from "./credit-events.ts";
export { describeTravelers, FlightTerms, flightTerms, ShownTraveler } from "./describe-order.ts";
export type { BoughtOrder, FlightsAsked, OrderEvent, OrderRecord } from "./orders.ts";
export { atMost, paidFor } from "./paid-for.ts";
export { readableKinds } from "./readable-kinds.ts";
export {
  flightsAndPrice,
  type OrderPorts,
  readTicketing,
  refreshDueOrders,
  refreshHold,
  refreshOrder,
  toBookedSlice,
} from "./refresh-order.ts";
export type { NewServicingAction, ServicingAction, ServicingKind } from "./servicing-actions.ts";
export { isCovered, SinceBooked, sayCancelled, sinceBooked } from "./since-booked.ts";
export { ordersToCheck } from "./store.ts";
export { PAID_BY_ESCROW } from "./wallet-movements.ts";
