import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { StepTransaction } from "./trips.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "trips.escrowBookings": EscrowBookings;
  }
}

/** As the chain has it; before its first transaction is confirmed `reserving`, and `failed` when that had no effect. */
type EscrowBookingState = "reserving" | "reserved" | "committed" | "confirmed" | "settled" | "cancelled" | "failed";

/** What a step says beside what is on the chain. */
export interface StepDetails {
  itineraryCid?: string;
  cancelReason?: string;
  /** Of a priced commit: what the price was made of. */
  pricing?: Readonly<Record<string, unknown>>;
}

export interface EscrowBooking {
  /** Of the tenant's choice or ours; a tenant has each once. */
  bookingId: Hex;
  tripId: Hex;
  environment: Environment;
  tenantId: string;
  state: EscrowBookingState;
  /** One step at a time. */
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
  /** What went back to the trip's free budget when it was cancelled. */
  returned: Micro;
  /** What could not be paid out and waits in the escrow for its recipient. */
  waiting: Micro;
  transactions: readonly StepTransaction[];
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

type NewEscrowBooking = Pick<EscrowBooking, "bookingId" | "tripId" | "environment" | "tenantId" | "reserved"> & {
  pending: NonNullable<EscrowBooking["pending"]>;
};

export type EscrowBookingChange = Partial<
  Pick<
    EscrowBooking,
    | "state"
    | "pending"
    | "reserved"
    | "vendor"
    | "vendorAmount"
    | "markup"
    | "serviceFee"
    | "itineraryHash"
    | "ticketHash"
    | "details"
    | "vendorPaid"
    | "feePaid"
    | "refunded"
    | "returned"
    | "waiting"
  >
> & { transaction?: Omit<StepTransaction, "at"> };

/** Whoever changes one holds the lock of its trip. */
export interface EscrowBookings {
  /** As `reserving`. Undefined: the tenant has a booking with this id that is not `failed`; a failed one is replaced. */
  insert(booking: NewEscrowBooking): Promise<EscrowBooking | undefined>;
  find(tenantId: string, environment: Environment, bookingId: Hex): Promise<EscrowBooking | undefined>;
  change(
    key: Pick<EscrowBooking, "tenantId" | "environment" | "bookingId">,
    change: EscrowBookingChange,
  ): Promise<void>;
  /** Newest first. */
  listOfTrip(environment: Environment, tripId: Hex): Promise<readonly EscrowBooking[]>;
}
