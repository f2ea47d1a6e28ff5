import type { Environment } from "../../ports/identity.ts";
import type { BookedSegment, BookedSlice } from "../../ports/supplier/flights.ts";
import type { BookingRate } from "../bookings/index.ts";
import type { BookedStay } from "./booked-stay.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "orders.orders": Orders;
  }
}

/** By what the service learned of it. */
export type OrderEventSource = "call" | "webhook" | "reconciliation";

export interface OrderEvent {
  /** held, lapsed, booked, ticketed, changed, cancelled, refunded, paid_by_escrow, credit_issued, schedule_changed, … */
  kind: string;
  at: Temporal.Instant;
  details: Readonly<Record<string, unknown>>;
}

/** A change that the airline made by itself and nobody has answered. */
interface ScheduleChange {
  id: string;
  detectedAt: string | null;
  /** The flights as they were and as they are to be; empty where the order was read before these were kept. */
  removed: readonly BookedSegment[];
  added: readonly BookedSegment[];
}

/** The tenant's order, flight or stay. */
export interface OrderRecord {
  orderId: string;
  bookingId: string;
  tenantId: string;
  environment: Environment;
  kind: "flight" | "stay";
  /** held: the airline holds it unpaid; lapsed: nobody paid for it in time. */
  status: "held" | "confirmed" | "cancelled" | "lapsed";
  /** Until when the airline holds it, or held it. Undefined: it was paid at once, or the airline does not say. */
  holdUntil: Temporal.Instant | undefined;
  pnr: string | undefined;
  ticketing: "pending" | "ticketed" | undefined;
  totalAmount: string;
  totalCurrency: string;
  /** What it was booked at, then what each change cost; below zero: given back. */
  priceParts: readonly string[];
  /** Recorded with the booking; what is later paid or given back is converted at it, too. */
  rate: BookingRate;
  /** Tickets and the like, as they were read last. */
  documents: readonly Readonly<Record<string, unknown>>[];
  /** What changes of the order name; a stay has none. */
  slices: readonly BookedSlice[];
  scheduleChanges: readonly ScheduleChange[];
  /** What stands for it in escrow; undefined: it was booked before there was such a thing. */
  itineraryHash: string | undefined;
  /** Undefined: it is not ticketed or confirmed yet. */
  ticketOrderHash: string | undefined;
  itinerarySalt: string;
  /** The escrow booking that was committed with its itinerary hash. */
  externalId: string | undefined;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
  /** When the supplier was asked last; undefined: not since it was booked. */
  readAt: Temporal.Instant | undefined;
}

export interface FlownAlready {
  orderId: string;
  userId: string;
  flightNumber: string;
  day: string;
}

export type OrderChange = Partial<
  Pick<
    OrderRecord,
    | "status"
    | "ticketing"
    | "ticketOrderHash"
    | "totalAmount"
    | "totalCurrency"
    | "documents"
    | "slices"
    | "scheduleChanges"
  >
>;

/** Orders are bookings that succeeded and orders that were held, with what became of them. */
export interface Orders {
  /** Undefined also for another tenant's. */
  find(tenantId: string, environment: Environment, orderId: string): Promise<OrderRecord | undefined>;
  /** Whoever's it is; for jobs. */
  findByOrderId(environment: Environment, orderId: string): Promise<OrderRecord | undefined>;
  /** Of those that were paid, by the airline's booking reference; the newest one, as airlines use them again. */
  findByPnr(tenantId: string, environment: Environment, pnr: string): Promise<OrderRecord | undefined>;
  /** Of those that were paid, by their ids and booking references; the newest first, at most 20 of either. */
  listNamed(
    tenantId: string,
    environment: Environment,
    named: { orderIds: readonly string[]; pnrs: readonly string[]; kinds: readonly OrderRecord["kind"][] },
  ): Promise<readonly OrderRecord[]>;
  findByItinerary(tenantId: string, environment: Environment, itineraryHash: string): Promise<OrderRecord | undefined>;
  /** Newest first; those older than `before` (a booking's id). */
  list(
    tenantId: string,
    environment: Environment,
    options: {
      limit: number;
      before?: string | undefined;
      status?: OrderRecord["status"] | undefined;
      /** Left out: both. */
      kinds?: readonly OrderRecord["kind"][];
      itineraryHash?: string | undefined;
    },
  ): Promise<readonly OrderRecord[]>;
  /** Of what this user booked and nobody cancelled, stays with a night from one of these days to the other; the first check-in first. */
  staysDuring(
    tenantId: string,
    environment: Environment,
    userId: string,
    days: { from: string; to: string },
  ): Promise<readonly BookedStay[]>;
  /** Flights, of all orders, on which this user travels or has traveled; the newest bookings, and nothing that was cancelled. */
  bookedSlicesOf(tenantId: string, environment: Environment, userId: string): Promise<readonly BookedSlice[]>;
  /** Orders that stand or are held, and that have one of these users on one of these flights; the oldest first. */
  flightsOf(
    tenantId: string,
    environment: Environment,
    asked: {
      userIds: readonly string[];
      /** `day`: on which the way that the flight is part of begins, local. */
      flights: readonly Pick<FlownAlready, "flightNumber" | "day">[];
      exceptOfferId: string;
    },
  ): Promise<readonly FlownAlready[]>;
  /**
   * What is new about it. `seen`: the record as it was before the supplier was asked; `stale`: it has been changed since, and
   * nothing was stored. Without `seen` the order is read again soon, for what the change does not tell.
   */
  update(
    environment: Environment,
    orderId: string,
    change: OrderChange,
    seen?: Temporal.Instant,
  ): Promise<"changed" | "same" | "stale">;
  /** Once for an order, kind and key. */
  record(
    environment: Environment,
    orderId: string,
    event: OrderEvent & { key: string; source: OrderEventSource },
  ): Promise<boolean>;
  /** Tells the trips in whose record the order stands everything that has happened to it; what they know is not told again. */
  tellTrips(environment: Environment, orderId: string): Promise<void>;
  /** Oldest first. */
  events(environment: Environment, orderId: string): Promise<readonly (OrderEvent & { source: OrderEventSource })[]>;

  /** Orders that are to be read again by now; until `until` nobody else takes them. */
  takeDue(environment: Environment, limit: number, until: Temporal.Instant): Promise<readonly OrderRecord[]>;
  /** The supplier was asked; it is asked again at `next`, or never. */
  wasRead(environment: Environment, orderId: string, next: Temporal.Instant | undefined): Promise<void>;
}
