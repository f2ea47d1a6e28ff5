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
 * intended: stored, nothing sent yet · ordering: the order was or may have been sent · on_hold: the airline holds the order, and no
 * call pays for it yet · held: the supplier reserved it, and a call is about to pay · paying: the payment was or may have been
 * sent · adding: it is paid, and bags were or may have been sent to be added · booked: paid · failed: nothing is owed, nothing is
 * held.
 */
type BookingState = "intended" | "ordering" | "on_hold" | "held" | "paying" | "adding" | "booked" | "failed";

export interface Booking {
  /** `bkg_…`; kept in the supplier's metadata. */
  id: string;
  tenantId: string;
  environment: Environment;
  userId: string;
  /** The call that a success is charged to. */
  callId: string;
  /** A hold becomes a flight when a call pays for it. */
  kind: "flight" | "stay" | "flight_hold";
  offerId: string;
  state: BookingState;
  /** What the balance is expected to pay and what is held for it, or what a reservation in escrow covers: the total less an airline credit. */
  amountMicroUsdc: Micro;
  /** The reservation in escrow that pays in place of the balance, so that nothing is held. Undefined: the balance pays. */
  escrowBookingId: Hex | undefined;
  /** What that reservation still owes for it. */
  cover: Micro;
  /** What the balance has paid of that in the end, as the reservation ended without paying. */
  coverCharged: Micro;
  /** What the supplier asks, credit included. */
  totalAmount: string;
  totalCurrency: string;
  /** At which the tenant pays, for this order and all that is later done with it. */
  rate: BookingRate;
  airlineCreditId: string | undefined;
  /** In the order of the offer's passengers; empty: booked before this was kept. */
  travelers: readonly BookedTraveler[];
  orderId: string | undefined;
  pnr: string | undefined;
  ticketing: "pending" | "ticketed" | undefined;
  /** As the supplier told last; `confirmed` also before there is an order. */
  orderStatus: "held" | "confirmed" | "cancelled" | "lapsed";
  /** Kept here, so that what is on a public chain cannot be guessed. */
  itinerarySalt: string;
  /** Of a booking that succeeded. */
  itineraryHash: string | undefined;
  /** Of one that was ticketed or confirmed. */
  ticketOrderHash: string | undefined;
  /** The call that held the order for a later payment, and what it answered. */
  holdCallId: string | undefined;
  holdResult: unknown;
  /** Until when the airline holds it unpaid. Undefined: it was never held so, or the airline does not say. */
  holdUntil: Temporal.Instant | undefined;
  /** Of what was asked for beside the travelers; of a booking for somebody who was erased, a word that says so. Undefined: booked before this was kept. */
  particularsHash: string | undefined;
  /** Of how the guests of a stay are reached, by the name of the detail. Undefined: not known. */
  contactHashes: Readonly<Record<string, string>> | undefined;
  /** Bags and seats, as they were priced when they were asked for. */
  askedServices: readonly AskedService[];
  /** What the caller got. */
  result: unknown;
  failureCode: string | undefined;
  /** How often a payment was sent. */
  payments: number;
  /** How often bags were sent to be added to the paid order. */
  additions: number;
  /** The process that works on it and when it last said so; another one takes over when this goes stale. */
  workerId: string | undefined;
  workerSeenAt: Temporal.Instant | undefined;
  /** Before this a lookup that finds nothing proves nothing: a commit may still take effect. */
  quietUntil: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

export type NewBooking = Pick<
  Booking,
  | "id"
  | "tenantId"
  | "environment"
  | "userId"
  | "callId"
  | "kind"
  | "offerId"
  | "amountMicroUsdc"
  | "totalAmount"
  | "totalCurrency"
  | "rate"
  | "airlineCreditId"
  | "travelers"
  | "itinerarySalt"
> & { workerId: string } & Partial<
    Pick<Booking, "particularsHash" | "contactHashes" | "escrowBookingId" | "askedServices">
  >;

/** What a call that pays for a held order changes of its booking. */
export type HoldPayment = Pick<
  Booking,
  | "tenantId"
  | "environment"
  | "id"
  | "userId"
  | "callId"
  | "amountMicroUsdc"
  | "totalAmount"
  | "totalCurrency"
  | "rate"
  | "particularsHash"
  | "askedServices"
> & { workerId: string } & Partial<Pick<Booking, "escrowBookingId">>;

export type BookingChange = Partial<
  Pick<
    Booking,
    | "orderId"
    | "pnr"
    | "ticketing"
    | "itineraryHash"
    | "ticketOrderHash"
    | "result"
    | "failureCode"
    | "payments"
    | "additions"
    | "quietUntil"
    | "holdCallId"
    | "holdUntil"
  >
>;

/** Booking records. At most one booking per tenant, environment and offer is not `failed`. */
export interface Bookings extends EffectStore<Booking> {
  /** Undefined when the tenant already has a live booking of this offer; `findLive` returns that one. */
  insert(booking: NewBooking): Promise<Booking | undefined>;
  findLive(tenantId: string, environment: Environment, offerId: string): Promise<Booking | undefined>;
  /** The booking that a reservation in escrow pays for. `lock`: nobody else changes it before the end of the transaction. */
  findCovered(
    tenantId: string,
    environment: Environment,
    escrowBookingId: string,
    lock?: "lock",
  ): Promise<Booking | undefined>;
  /** Bookings that reservations were to pay for which ended without. */
  listUncovered(environment: Environment, limit: number): Promise<readonly Booking[]>;
  /** In a transaction. `escrowBookingId: undefined`: from here on the balance pays. */
  setCover(id: string, change: { cover: Micro; coverCharged?: Micro; escrowBookingId?: undefined }): Promise<void>;
  /** What was to be paid is less, as the supplier gave it back; the part of it that the reservation had not paid. */
  reduceCover(id: string, amount: Micro): Promise<Micro>;
  /** From now on a call pays for a held order. Undefined: another one does already, or it is held no more. */
  payHeld(payment: HoldPayment): Promise<Booking | undefined>;
  /** A booking that no worker has may be looked up now; false: it is somebody's, or over. */
  wake(id: string): Promise<boolean>;
  /** Forgets what bookings for an erased person were asked with. `userId` and `name` are what stands in place of the person. */
  forgetParticulars(
    owner: { tenantId: string; environment: Environment },
    erased: { userId: string; name: string },
  ): Promise<void>;

  /** One process at a time may make a supplier's customer for an e-mail address; true: it is us, for `seconds`. */
  leaseCustomer(environment: Environment, email: string, holder: string, seconds: number): Promise<boolean>;
  endCustomerLease(environment: Environment, email: string, holder: string): Promise<void>;
  /** A supplier's customer belongs to one user of one tenant for good: false when it is somebody else's. */
  ownCustomer(environment: Environment, customerUserId: string, tenantId: string, userId: string): Promise<boolean>;
  /** Whether it was made for this user. */
  isOwnCustomer(environment: Environment, customerUserId: string, tenantId: string, userId: string): Promise<boolean>;
}
