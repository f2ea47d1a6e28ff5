import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Write } from "../../platform/database/write-together.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Environment } from "../../ports/identity.ts";
import type { StepTransaction } from "./step-transaction.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "trips.escrowBookings": EscrowBookings;
  }
}

/** As on the chain; `reserving` before the first transaction is confirmed, and `failed` if that had no effect. */
type EscrowBookingState = "reserving" | "reserved" | "committed" | "confirmed" | "settled" | "cancelled" | "failed";

/** A step's details that are not on the chain. */
export interface StepDetails {
  itineraryCid?: string;
  cancelReason?: string;
  /** The parts of the price, for a priced commit. */
  pricing?: Readonly<Record<string, unknown>>;
}

/** The part that steps of the escrow change. */
interface EscrowBookingProgress {
  state: EscrowBookingState;
  /** At most one step at a time. */
  pending: { step: string; transactionId: string; details: StepDetails } | undefined;
  reserved: Micro;
  vendor: Hex | undefined;
  vendorAmount: Micro;
  markup: Micro;
  serviceFee: Micro;
  itineraryHash: Hex | undefined;
  ticketHash: Hex | undefined;
  details: StepDetails;
  vendorPaid: Micro;
  feePaid: Micro;
  refunded: Micro;
  /** The amount that its cancellation returned to the trip's free budget. */
  returned: Micro;
  /** The amount that could not be paid out and waits in the escrow for its recipient. */
  waiting: Micro;
}

export interface EscrowBooking extends ChainKey, EscrowBookingProgress {
  /** Chosen by the tenant or by us; unique per tenant. */
  bookingId: Hex;
  tripId: Hex;
  tenantId: string;
  transactions: readonly StepTransaction[];
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

type NewEscrowBooking = Pick<
  EscrowBooking,
  "bookingId" | "tripId" | "environment" | "chain" | "tenantId" | "reserved"
> & {
  pending: NonNullable<EscrowBooking["pending"]>;
};

export type EscrowBookingChange = Partial<EscrowBookingProgress> & { transaction?: Omit<StepTransaction, "at"> };

/** Changing one requires the lock of its trip. */
export interface EscrowBookings {
  /**
   * Inserts it as `reserving`. Undefined: the tenant has a booking with this id that is not `failed`; a failed one is replaced.
   */
  insert(booking: NewEscrowBooking): Promise<EscrowBooking | undefined>;
  find(tenantId: string, environment: Environment, bookingId: Hex): Promise<EscrowBooking | undefined>;
  /** Returns the changed one. */
  change(
    key: Pick<EscrowBooking, "tenantId" | "environment" | "bookingId">,
    change: EscrowBookingChange,
  ): Promise<EscrowBooking>;
  /** The same for a booking that was read under the lock: the writes that change it, and how it is after them. */
  prepareChange(
    booking: EscrowBooking,
    change: EscrowBookingChange,
  ): { after: EscrowBooking; writes: readonly Write[] };
  /** Sets its pending step. */
  preparePending(booking: EscrowBooking, pending: EscrowBooking["pending"]): Write;
  /** Newest first. */
  listOfTrip(environment: Environment, tripId: Hex): Promise<readonly EscrowBooking[]>;
}
