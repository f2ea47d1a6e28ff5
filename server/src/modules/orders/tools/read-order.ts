import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { sayVoidWindow } from "../../../domain/travel/first-departure.ts";
import { DueAtAccommodation, sayDue } from "../../../domain/travel/say-due.ts";
import { describeUsedApproval, UsedApproval } from "../../approvals/index.ts";
import { NextStep, VendorAddress } from "../../bookings/index.ts";
import { findVendorAddress } from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import {
  describeTravelers,
  FlightNow,
  readFlightNow,
  readStayNow,
  ShownTraveler,
  StayNow,
  showChanges,
} from "../describe-order.ts";
import { Details, Happened, OrderSummary, toSummary } from "../order-answers.ts";
import type { OrderRecord } from "../orders.ts";
import { ORDER_SCOPES, readableKinds } from "../readable-kinds.ts";
import { refreshHold } from "../refresh-order.ts";

/** The fields of a booking's answer that still hold for the order. */
const Booked = z.object({
  services: z.array(Details).default([]),
  dueAtAccommodation: DueAtAccommodation,
  priceGuaranteedUntil: z.string().nullable().default(null),
});

const AWAY: ReadonlySet<string> = new Set(["provider_timeout", "provider_unavailable"]);

export const readOrder = defineTool({
  name: "read_order",
  title: "Read an order",
  summary:
    "Show one order as the supplier has it now: travelers, segments, tickets, services, conditions, deadlines, refunds.",
  area: "flights",
  scopes: ORDER_SCOPES,
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "flightServicing", "stayBookings", "maps", "clock"],
  input: z.strictObject({
    orderId: z.string().describe("ord_… from book_flight, bok_… from book_stay, or from list_orders"),
  }),
  output: OrderSummary.extend({
    travelers: z.array(ShownTraveler).describe("Names are shortened without the scope travelers:read"),
    flight: FlightNow.nullable().describe("null: a stay, or the supplier is not answering"),
    stay: StayNow.nullable(),
    isLive: z
      .boolean()
      .describe(
        "true: just read from the supplier; false: the supplier is not answering, and the data is as of readAt",
      ),
    tickets: z.array(Details).describe("type, number, passengerIds"),
    services: z.array(Details).describe("Bags and seats booked with it"),
    itineraryHash: z.string().nullable().describe("Identifies the order in escrow: itineraryHash of commit_booking"),
    ticketOrderHash: z.string().nullable().describe("For confirm_flight; null: not ticketed yet"),
    vendorAddress: VendorAddress,
    externalId: z.string().nullable().describe("The escrow booking that was committed with itineraryHash"),
    scheduleChanges: z
      .array(Details)
      .readonly()
      .describe(
        "Changes by the airline, not answered yet: removed has the old flights and times, added the new ones (empty: cancelled); answer by answerBy",
      ),
    refunds: z.array(Happened).describe("Refunded to the treasury wallet"),
    reimbursements: z.array(Happened).describe("Returned to the treasury wallet because the escrow has paid the order"),
    credits: z.array(Happened).describe("Issued by the airline"),
    approval: UsedApproval.nullable().describe("The approval that its booking used; null: it needed none"),
    next: NextStep,
    history: z.array(Happened.extend({ kind: z.string() })).describe("Oldest first"),
  }),
  errors: { order_not_found: "You have no order with this id. list_orders gives the ids." },
  example: (_today, { orderId }) => ({ orderId }),

  async run({ orderId }, { stores, flightServicing, stayBookings, maps, clock, caller, fail }) {
    const { orders } = stores;
    const { tenantId, environment, scopes } = caller;
    const known = await orders.findBought(tenantId, environment, orderId);
    if (known === undefined || !readableKinds(scopes).includes(known.kind)) throw fail("order_not_found");
    const isHeld = known.status === "held";
    if (isHeld) await unlessAway(refreshHold({ stores, flightServicing, clock }, known));
    const order = (isHeld ? await orders.findBought(tenantId, environment, orderId) : undefined) ?? known;
    const { events } = order;
    const { travelers, offerId, result } = order.booking;
    const [approval, flight, stay] = await Promise.all([
      describeUsedApproval(stores, { tenantId, environment }, order.booking.callId),
      order.kind === "flight"
        ? unlessAway(readFlightNow({ flightServicing, maps }, { orderId, travelers }, scopes))
        : null,
      order.kind === "stay" ? unlessAway(readStayNow(stayBookings, { orderId, travelers })) : null,
    ]);
    const { services, dueAtAccommodation: due, priceGuaranteedUntil } = Booked.parse(result ?? {});
    const history = events.map(({ kind, at, details }) => ({ kind, at: at.toString(), details }));
    const ofKind = (kind: string) => history.filter((event) => event.kind === kind);
    const isLive = flight !== null || stay !== null;
    const summary = toSummary(order);
    return {
      ...summary,
      readAt: isLive ? clock.now().toString() : summary.readAt,
      travelers: describeTravelers(travelers, scopes),
      flight,
      stay,
      isLive,
      tickets: [...order.documents],
      services: flight === null ? services : flight.services.map((service) => ({ ...service })),
      itineraryHash: order.itineraryHash ?? null,
      ticketOrderHash: order.ticketOrderHash ?? null,
      vendorAddress: await findVendorAddress(stores, environment),
      externalId: order.externalId ?? null,
      scheduleChanges: showChanges(flight?.scheduleChanges ?? order.scheduleChanges, maps),
      refunds: ofKind("refunded"),
      reimbursements: ofKind("reimbursed"),
      credits: ofKind("credit_issued"),
      approval,
      next: [
        ...(isLive ? [] : [sayAway(summary)]),
        sayNext(order, offerId, { flight, due: stay?.dueAtAccommodation ?? due, priceGuaranteedUntil }, clock.now()),
      ].join(" "),
      history,
    };
  },
});

const CANCELLING = "cancel_order_quote says what cancelling it would refund.";
const CANCELLED = "Nothing is left to do: it is cancelled.";
const TICKETS_VOID =
  "Nothing is left to do: it is cancelled and its tickets are void, although ticketing still says ticketed.";
const NO_MORE_SERVICES =
  "Bags and seats can be bought only with the booking. They cannot be added here afterwards; the airline may add them by pnr.";

const sayAway = ({ readAt, createdAt }: z.output<typeof OrderSummary>): string =>
  `The supplier is not answering: all data is as of ${readAt ?? createdAt}.`;

function sayAirlineChange({ scheduleChanges }: Awaited<ReturnType<typeof readFlightNow>>): string[] {
  if (scheduleChanges.length === 0) return [];
  return [
    "The airline has changed its flights; see scheduleChanges. confirm_order_change with the change's id and amount 0 accepts the new times; trip_delay_replanner says what the airline owes instead. Until the change is answered, cancelling may refund more than the conditions say.",
  ];
}

/**
 * The airline may accept a change that the fare does not allow, such as after its own change, or refuse one that the fare
 * allows.
 */
function sayChange({ availableActions, changeableUntil }: Awaited<ReturnType<typeof readFlightNow>>): string {
  const isTaken = availableActions.includes("change");
  if (changeableUntil === null) {
    return isTaken
      ? "Use request_order_change for other flights: the airline accepts a change now, although the fare does not allow one."
      : "Its flights cannot be changed.";
  }
  return isTaken
    ? `Flights can be replaced with request_order_change until ${changeableUntil}.`
    : `The fare allows changes until ${changeableUntil}, but the airline accepts none now: request_order_change works once availableActions contains change.`;
}

/** null: the supplier did not answer, or there is none. */
interface AsOfNow {
  flight: Awaited<ReturnType<typeof readFlightNow>> | null;
  due: z.output<typeof DueAtAccommodation>;
  priceGuaranteedUntil: string | null;
}

function sayNext(
  { kind, status, ticketing, holdUntil }: OrderRecord,
  offerId: string | undefined,
  { flight, due, priceGuaranteedUntil }: AsOfNow,
  now: Temporal.Instant,
): string {
  if (status === "cancelled") return ticketing === "ticketed" ? TICKETS_VOID : CANCELLED;
  if (status === "lapsed")
    return "The airline no longer holds it, and nothing is owed. Use search_flights to search again.";
  if (status === "held") {
    const guarantee =
      priceGuaranteedUntil === null ? "" : ` Its price is guaranteed only until ${priceGuaranteedUntil}.`;
    const end = holdUntil === undefined ? "the airline gives it up" : holdUntil.toString();
    return `The airline holds it unpaid: book_flight with offerId ${offerId} and the same travelers pays for it until ${end}.${guarantee} ${CANCELLING}`;
  }
  if (kind === "stay") return [...sayDue(due), CANCELLING].join(" ");
  const { voidWindowEndsAt = null } = flight ?? {};
  const isOpen = voidWindowEndsAt !== null && Temporal.Instant.compare(voidWindowEndsAt, now) > 0;
  const voidWindow = sayVoidWindow(isOpen ? voidWindowEndsAt : null);
  // Unknown if the supplier did not answer.
  const change = flight === null ? [] : [...sayAirlineChange(flight), sayChange(flight)];
  return [...change, ...voidWindow, CANCELLING, NO_MORE_SERVICES].join(" ");
}

/** The recorded order is useful even while its supplier does not answer. */
async function unlessAway<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Failure && AWAY.has(error.code)) return null;
    throw error;
  }
}
