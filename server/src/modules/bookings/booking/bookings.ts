import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { EffectStore } from "../../effects/index.ts";
import type { BookingRate } from "../booking-rate.ts";
import type { AskedService } from "./asked-services.ts";
import type { BookedTraveler } from "./booked-travelers.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "bookings.bookings": Bookings;
  }
}

/**
 * intended: stored, nothing sent yet · ordering: the order was or may have been sent · on_hold: the airline holds the
 * order, and no call pays for it yet · held: the supplier reserved it, and a call is about to pay · paying: the payment
 * was or may have been sent · adding: it is paid, and a request for bags was or may have been sent · booked: paid ·
 * failed: nothing is owed, nothing is held.
 */
type BookingState = "intended" | "ordering" | "on_hold" | "held" | "paying" | "adding" | "booked" | "failed";

/** The part that the call which pays for a booking sets. */
interface BookingTerms {
  /** `bkg_…`; kept in the supplier's metadata. */
  id: string;
  tenantId: string;
  environment: Environment;
  userId: string;
  /** The call that is charged on success. */
  callId: string;
  /** The amount held on the balance, or covered by a reservation in escrow: the total less an airline credit. */
  amountMicroUsdc: Micro;
  /** The supplier's price, including the part paid by credit. */
  totalAmount: string;
  totalCurrency: string;
  /** The tenant's rate for this order and all its later changes. */
  rate: BookingRate;
}

/** The part that its progress at the supplier changes. */
interface BookingProgress {
  orderId: string | undefined;
  pnr: string | undefined;
  ticketing: "pending" | "ticketed" | undefined;
  /** Set once the booking succeeded. */
  itineraryHash: string | undefined;
  /** Set once it was ticketed or confirmed. */
  ticketOrderHash: string | undefined;
  /** The call that held the order for a later payment, and its answer. */
  holdCallId: string | undefined;
  /** Until when the airline holds it unpaid. Undefined if it was never held so, or the airline does not say. */
  holdUntil: Temporal.Instant | undefined;
  /** The caller's answer. */
  result: unknown;
  failureCode: string | undefined;
  /** The number of payments sent. */
  payments: number;
  /** The number of requests sent to add bags to the paid order. */
  additions: number;
  /** Before this a lookup that finds nothing proves nothing: a commit may still take effect. */
  quietUntil: Temporal.Instant | undefined;
}

export interface Booking extends BookingTerms, BookingProgress {
  /** `flight_hold` becomes `flight` when a call pays for it. */
  kind: "flight" | "stay" | "flight_hold";
  offerId: string;
  state: BookingState;
  /** The reservation in escrow that pays in place of the balance, so that nothing is held. Undefined if the balance pays. */
  escrowBookingId: Hex | undefined;
  /** The amount that the reservation still owes. */
  cover: Micro;
  /** The part of it that the balance paid in the end, because the reservation ended without paying. */
  coverCharged: Micro;
  airlineCreditId: string | undefined;
  /** In the order of the offer's passengers; empty in old bookings. */
  travelers: readonly BookedTraveler[];
  /** The supplier's latest status; `confirmed` also before there is an order. */
  orderStatus: "held" | "confirmed" | "cancelled" | "lapsed";
  /** Kept private, so that the order cannot be guessed from the hash on a public chain. */
  itinerarySalt: string;
  holdResult: unknown;
  /** Hash of the request's particulars; a fixed word if a traveler was erased. Undefined in old bookings. */
  particularsHash: string | undefined;
  /** Hashes of the guests' contact details, by name. Undefined if unknown. */
  contactHashes: Readonly<Record<string, string>> | undefined;
  /** Bags and seats at their prices when requested. */
  askedServices: readonly AskedService[];
  /** The process that works on it and its last heartbeat; another process takes over when this is stale. */
  workerId: string | undefined;
  workerSeenAt: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

interface AskedSlice {
  segments: readonly { flightNumber: string; departingAt: string }[];
}

export type NewBooking = BookingTerms &
  Pick<Booking, "kind" | "offerId" | "airlineCreditId" | "travelers" | "itinerarySalt"> & {
    workerId: string;
    /** A flight's, until the answer has them. */
    askedSlices?: readonly AskedSlice[] | undefined;
  } & Partial<Pick<Booking, "particularsHash" | "contactHashes" | "escrowBookingId" | "askedServices">>;

/** The members of a held order's booking that its payment changes. */
export type HoldPayment = BookingTerms &
  Pick<Booking, "particularsHash" | "askedServices"> & { workerId: string } & Partial<Pick<Booking, "escrowBookingId">>;

export type BookingChange = Partial<BookingProgress>;

/** A flight for which a traveler has a ticket, or is about to have one. */
export interface Ticket {
  bookingId: string;
  /** Null while the supplier has not answered. */
  orderId: string | null;
  userId: string;
  flightNumber: string;
  /** The day of its departure, by the clock of the airport. */
  day: string;
}

/** Booking records. At most one booking per tenant, environment and offer is not `failed`. */
export interface Bookings extends EffectStore<Booking> {
  /** Undefined if the tenant already has a live booking of this offer; `findLive` returns that one. */
  insert(booking: NewBooking): Promise<Booking | undefined>;
  findLive(tenantId: string, environment: Environment, offerId: string): Promise<Booking | undefined>;
  /** Newest first, whatever became of them. */
  listLatest(tenantId: string, environment: Environment, limit: number): Promise<readonly Booking[]>;
  /** The booking that a reservation in escrow pays for. `lock` keeps it unchanged until the end of the transaction. */
  findCovered(
    tenantId: string,
    environment: Environment,
    escrowBookingId: string,
    lock?: "lock",
  ): Promise<Booking | undefined>;
  /** Bookings whose reservations ended without paying. */
  listUncovered(environment: Environment, limit: number): Promise<readonly Booking[]>;
  /** In a transaction. With `escrowBookingId: undefined` the balance pays from here on. */
  setCover(id: string, change: { cover: Micro; coverCharged?: Micro; escrowBookingId?: undefined }): Promise<void>;
  /** Sets what the reservation still owes, and returns false if no reservation pays. In a transaction. */
  setCoverOfReservation(id: string, cover: Micro): Promise<boolean>;
  /** Subtracts a refund from the cover, and returns the part that the reservation had not paid. */
  reduceCover(id: string, amount: Micro): Promise<Micro>;
  /** Assigns a held order to the call that pays for it. Undefined if another call already has it, or it is no longer held. */
  payHeld(payment: HoldPayment): Promise<Booking | undefined>;
  /**
   * The first paid booking, or one that is being paid, by which a traveler is on one of the flights. Ignores those of
   * which a caller was told shortly before the search that found the offer, and all of them if the tenant was never
   * shown the offer.
   */
  findTicket(
    tenantId: string,
    environment: Environment,
    asked: {
      userIds: readonly string[];
      flights: readonly Pick<Ticket, "flightNumber" | "day">[];
      /** The offer to be booked. */
      offerId: string;
    },
  ): Promise<Ticket | undefined>;
  /** Stores that a caller was told of the ticket and asked to search again if a second one is meant. */
  tellOfTicket(bookingId: string): Promise<void>;
  /** Makes a booking without a worker due for a look-up now; false if it has a worker or is final. */
  wake(id: string): Promise<boolean>;
  /** Erases the particulars of bookings for a person. `userId` and `name` are the replacements for the person's. */
  forgetParticulars(
    owner: { tenantId: string; environment: Environment },
    erased: { userId: string; name: string },
  ): Promise<void>;

  /** Lets one process at a time create a supplier's customer for an e-mail address; true gives it the lease for `seconds`. */
  leaseCustomer(environment: Environment, email: string, holder: string, seconds: number): Promise<boolean>;
  endCustomerLease(environment: Environment, email: string, holder: string): Promise<void>;
  /** Binds a supplier's customer to one user of one tenant for good: false if it belongs to somebody else. */
  ownCustomer(environment: Environment, customerUserId: string, tenantId: string, userId: string): Promise<boolean>;
  /** Whether the customer was created for this user. */
  isOwnCustomer(environment: Environment, customerUserId: string, tenantId: string, userId: string): Promise<boolean>;
}
