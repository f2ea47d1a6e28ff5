import type { Write } from "../../platform/database/write-together.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Position } from "../../ports/maps.ts";
import type { BookedSegment, BookedSlice } from "../../ports/supplier/flights.ts";
import type { Booking, BookingRate } from "../bookings/index.ts";
import type { TripOwner } from "../trip-record/index.ts";
import type { BookedStay, OwnStay } from "./booked-stay.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "orders.orders": Orders;
  }
}

/** How the service learned of an event. */
export type OrderEventSource = "call" | "webhook" | "reconciliation";

export interface OrderEvent {
  /** held, lapsed, booked, ticketed, changed, cancelled, refunded, reimbursed, paid_by_escrow, credit_issued, schedule_changed, … */
  kind: string;
  at: Temporal.Instant;
  details: Readonly<Record<string, unknown>>;
}

/** A change by the airline that has not been answered yet. */
interface ScheduleChange {
  id: string;
  detectedAt: string | null;
  /** The flights before and after; empty if the order was read before these were stored. */
  removed: readonly BookedSegment[];
  added: readonly BookedSegment[];
}

/** The part that the supplier changes. */
interface OrderState {
  /** held: the airline holds it unpaid; lapsed: it was not paid in time. */
  status: "held" | "confirmed" | "cancelled" | "lapsed";
  ticketing: "pending" | "ticketed" | undefined;
  totalAmount: string;
  totalCurrency: string;
  /** Tickets and other documents, as last read. */
  documents: readonly Readonly<Record<string, unknown>>[];
  /** The flights that changes of the order refer to; empty for a stay. */
  slices: readonly BookedSlice[];
  scheduleChanges: readonly ScheduleChange[];
  /** Undefined: not ticketed or confirmed yet. */
  ticketOrderHash: string | undefined;
}

/** A tenant's order, for a flight or a stay. */
export interface OrderRecord extends OrderState {
  orderId: string;
  bookingId: string;
  tenantId: string;
  environment: Environment;
  kind: "flight" | "stay";
  /** The end of the airline's hold. Undefined: it was paid at once, or the airline gives no time. */
  holdUntil: Temporal.Instant | undefined;
  pnr: string | undefined;
  /** The price at booking, followed by the cost of each change; negative amounts were given back. */
  priceParts: readonly string[];
  /** The exchange rate stored with the booking; later payments and refunds use it too. */
  rate: BookingRate;
  /** The order's hash in escrow; undefined: the booking is older than escrow. */
  itineraryHash: string | undefined;
  itinerarySalt: string;
  /** The escrow booking that was committed with its itinerary hash. */
  externalId: string | undefined;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
  /** When the supplier was last asked; undefined: not since the booking. */
  readAt: Temporal.Instant | undefined;
}

/** An order with what its booking says besides. */
export interface BoughtOrder extends OrderRecord {
  booking: Pick<
    Booking,
    "userId" | "callId" | "offerId" | "escrowBookingId" | "coverCharged" | "travelers" | "result"
  > & {
    /** Where a stay is, if it is known. */
    position?: Position | undefined;
  };
  /** As `Orders.events` gives them. */
  events: readonly (OrderEvent & { source: OrderEventSource })[];
  /** Undefined if nobody asked for them. */
  flights?: readonly FlownAlready[] | undefined;
}

/** An order with what a list shows besides. */
interface ListedOrder extends OrderRecord {
  travelers: Booking["travelers"];
  /** The route, such as LHR to LIS, or the name of the accommodation. */
  what: string | undefined;
  /** The first and last local dates of the travel. */
  startsOn: string | undefined;
  endsOn: string | undefined;
  /** False: it was held, and never paid. */
  wasPaid: boolean;
  /** The sum of all refunds to the wallet. */
  refundedUsdc: string;
  /** Paid less refunds, by the wallet and trips' budgets. */
  costUsdc: string;
}

/** The cost of an order that was paid. */
export type CostedOrder = Pick<ListedOrder, "travelers" | "totalCurrency" | "costUsdc">;

export interface AskedOrders {
  limit: number;
  /** A booking's id: only older ones. */
  before?: string | undefined;
  status?: OrderRecord["status"] | undefined;
  /** Default: both. */
  kinds?: readonly OrderRecord["kind"][];
  itineraryHash?: string | undefined;
  /** Orders on which this user travels. */
  userId?: string | undefined;
  /** Travel on one of these days, by local dates, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** Booked or first held in this time; its end is not included. */
  booked?: { from?: Temporal.Instant | undefined; to?: Temporal.Instant | undefined };
}

export interface StayGuest {
  givenName: string;
  familyName: string;
  userId?: string | undefined;
}

export interface StayAlready {
  orderId: string;
  accommodationName: string;
  checkInDate: string;
  checkOutDate: string;
  /** The first of the asked guests who stays there, if a user of the tenant. */
  userId: string | undefined;
}

/** Flights of these users within these local times. */
export interface FlightsAsked {
  userIds: readonly string[];
  periods: readonly { from: string; to: string }[];
  exceptOfferId: string;
}

export interface FlownAlready {
  orderId: string;
  offerId: string;
  /** Held and not paid. */
  isHeld: boolean;
  userId: string;
  flightNumber: string;
  /** The local date on which the journey with this flight begins. */
  day: string;
  origin: string;
  destination: string;
  /** By the clocks of the airports. */
  departingAt: string;
  arrivingAt: string;
}

export type OrderChange = Partial<OrderState>;

/** Orders: successful and held bookings, with their later state. */
export interface Orders {
  /** Undefined also for an order of another tenant. */
  find(tenantId: string, environment: Environment, orderId: string): Promise<OrderRecord | undefined>;
  /** `besides`: the answer of `findFlights` comes with it. */
  findBought(
    tenantId: string,
    environment: Environment,
    orderId: string,
    besides?: FlightsAsked,
  ): Promise<BoughtOrder | undefined>;
  /** The same as `findByOrderId`. `mayHaveUnclear`: false if no servicing action of the order has an open outcome (`listUnclear`). */
  findWithOutcomes(
    environment: Environment,
    orderId: string,
  ): Promise<{ order: OrderRecord; mayHaveUnclear: boolean } | undefined>;
  /** Finds the order of any tenant; for jobs. */
  findByOrderId(environment: Environment, orderId: string): Promise<OrderRecord | undefined>;
  /** The id of the order with this unanswered change by the airline. */
  findByAirlineChange(tenantId: string, environment: Environment, changeId: string): Promise<string | undefined>;
  /** Finds a paid order by the airline's booking reference; the newest one, as airlines reuse references. */
  findByPnr(tenantId: string, environment: Environment, pnr: string): Promise<OrderRecord | undefined>;
  /** Finds paid orders by their ids and booking references; the newest first, at most 20 for each. */
  listNamed(
    tenantId: string,
    environment: Environment,
    named: { orderIds: readonly string[]; pnrs: readonly string[]; kinds: readonly OrderRecord["kind"][] },
  ): Promise<readonly OrderRecord[]>;
  findByItinerary(tenantId: string, environment: Environment, itineraryHash: string): Promise<OrderRecord | undefined>;
  /** The same with its booking. */
  findBoughtByItinerary(
    tenantId: string,
    environment: Environment,
    itineraryHash: string,
  ): Promise<BoughtOrder | undefined>;
  /** Newest first. */
  list(tenantId: string, environment: Environment, asked: AskedOrders): Promise<readonly ListedOrder[]>;
  /** The same of paid orders, with their costs only. */
  listCosts(tenantId: string, environment: Environment, asked: AskedOrders): Promise<readonly CostedOrder[]>;
  /** The user's uncancelled stays with a night in these days, earliest check-in first. */
  staysDuring(
    tenantId: string,
    environment: Environment,
    userId: string,
    days: { from: string; to: string },
  ): Promise<readonly OwnStay[]>;
  /**
   * Uncancelled stays of one of these guests with a night in these days, earliest check-in first. Guests are compared by user
   * id if both are known, otherwise by name; a stay without recorded guests is that of the user who booked it.
   */
  findStays(
    tenantId: string,
    environment: Environment,
    asked: {
      guests: readonly StayGuest[];
      userId: string;
      days: { from: string; to: string };
      exceptQuoteId: string;
    },
  ): Promise<readonly StayAlready[]>;
  /** The tenant's uncancelled stays with a night in these days at an accommodation of this name, earliest check-in first. */
  findStaysAt(
    tenantId: string,
    environment: Environment,
    asked: { accommodationName: string; days: { from: string; to: string } },
  ): Promise<readonly BookedStay[]>;
  /** The flights of all orders on which this user travels or has traveled, newest bookings first and without cancelled ones. */
  listBookedSlices(tenantId: string, environment: Environment, userId: string): Promise<readonly BookedSlice[]>;
  /** The flights of one of these users within these local times, by confirmed and held orders, oldest first. */
  findFlights(tenantId: string, environment: Environment, asked: FlightsAsked): Promise<readonly FlownAlready[]>;
  /**
   * Stores a change of the order. `seen`: the version that was read before the supplier was asked; `stale`: the order has
   * changed since, and nothing was stored. Without `seen` the order is read again soon, for details that the change lacks.
   * `read`: the supplier was asked for it now, as by `wasRead`.
   */
  update(
    environment: Environment,
    orderId: string,
    change: OrderChange,
    seen?: Temporal.Instant,
    read?: { nextCheckAt: Temporal.Instant | undefined },
  ): Promise<"changed" | "same" | "stale">;
  /** Records an event once per order, kind and key. */
  record(
    environment: Environment,
    orderId: string,
    event: OrderEvent & { key: string; source: OrderEventSource },
  ): Promise<boolean>;
  /** Returns the statement that writes the order's events to the record of a trip. Repeated events are written once. */
  prepareTelling(trip: TripOwner, order: Pick<OrderRecord, "orderId" | "kind">): Write;
  /** Whether an airline has issued a credit for an order of the tenant that no booking has used. */
  hasUnusedCredits(tenantId: string, environment: Environment): Promise<boolean>;
  /** Oldest first. */
  events(environment: Environment, orderId: string): Promise<readonly (OrderEvent & { source: OrderEventSource })[]>;

  /** Leases the orders that are due to be read again, until `until`. */
  takeDue(environment: Environment, limit: number, until: Temporal.Instant): Promise<readonly OrderRecord[]>;
  /** Records that the supplier was asked and when to ask again; undefined: never. */
  wasRead(environment: Environment, orderId: string, next: Temporal.Instant | undefined): Promise<void>;
}
