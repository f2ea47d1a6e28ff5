import type { KnownEvent } from "../../../client/src/generated/events.ts";

type EventType = KnownEvent["type"];

/** When each is sent, for whoever chooses. A type that is missing here does not compile. */
const SAYS: Readonly<Record<EventType, string>> = {
  "approval.requested": "a call waits for a decision",
  "approval.decided": "a person approved or refused it",
  "approval.withdrawn": "it is no longer needed",
  "booking.failed": "it ended without an order and without payment",
  "conversation.confirmation_requested": "a call waits for the traveler’s yes",
  "conversation.turn_ended": "the agent replied, asked something, or gave up",
  "conversation.deleted": "everything that was said is gone",
  "invoice.issued": "an invoice or a receipt was issued",
  "invoice.credited": "a credit note was issued",
  "order.booked": "a flight or a stay was booked",
  "order.held": "a flight is held without payment",
  "order.lapsed": "a hold ended without payment",
  "order.ticketed": "all tickets were issued",
  "order.schedule_changed": "the airline changed the flights",
  "order.changed": "it was changed as asked",
  "order.cancelled": "it was cancelled",
  "order.refunded": "money came back to the wallet",
  "order.reimbursed": "escrow paid, and the wallet got its payment back",
  "order.credit_issued": "the airline issued a credit",
  "run.paused": "it waits for a person or an event",
  "run.completed": "it did everything",
  "run.failed": "it could not go on",
  "spend_cap.reached": "80 or 100 percent of the monthly cap for calls",
  "spend_limit.reached": "80 or 100 percent of the limit of a key or of the tenant",
  "transfer.completed": "money has arrived on another chain",
  "transfer.failed": "no money left its chain",
  "trip.funded": "its budget is in escrow",
  "trip.claimed": "the guest claimed it",
  "trip.closed": "it ended, and the rest of its budget was returned",
};

const GROUPS: Readonly<Record<string, string>> = {
  approval: "Approvals",
  booking: "Failed bookings",
  conversation: "Conversations",
  invoice: "Invoices",
  order: "Orders",
  run: "Runs",
  spend_cap: "Spending",
  spend_limit: "Spending",
  transfer: "Transfers between chains",
  trip: "Trips in escrow",
};

/** The types by the record that they are about. */
export const EVENT_GROUPS: ReadonlyMap<string, readonly { type: string; says: string }[]> = Map.groupBy(
  Object.entries(SAYS).map(([type, says]) => ({ type, says })),
  ({ type }) => GROUPS[type.split(".")[0] ?? ""] ?? "Others",
);
