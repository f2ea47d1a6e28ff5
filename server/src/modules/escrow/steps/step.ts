import { keccak256, stringToHex } from "viem";
import { z } from "zod";
import type { Micro } from "../../../domain/money.ts";
import type { StoredHash } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { CallPlan } from "../../../kernel/contracts/call-plan.ts";
import type { TripNote } from "../../../kernel/contracts/trip-note.ts";
import type { Write } from "../../../platform/database/write-together.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Booking } from "../../bookings/index.ts";
import type { NewTripEntry } from "../../trip-record/index.ts";
import type { BookedTrip, EscrowBooking, EscrowBookingChange, Trip, TripChange } from "../../trips/index.ts";
import type { Aggregates, Stores } from "../context.ts";
import type { EscrowCode } from "../errors.ts";
import type { StepEvent } from "./escrow-event.ts";

/**
 * A step is one transaction by which the operator moves a trip or one of its bookings on. Its file holds everything about it;
 * `step-machine/` stores, sends, applies and undoes steps without knowing any of them. Amounts are micro-USDC, times Unix seconds.
 */

/** An entry in the trip's record. The machine adds the name of the step, its booking and its transaction. */
export type StepNote = Pick<TripNote, "text" | "details"> & Partial<Pick<TripNote, "kind">>;

/** Rows store the name and the other members of a step, so neither may change once released. */
type StepFields = z.ZodObject<{ name: z.ZodLiteral<string> }, z.core.$strict>;
type BookingStepFields = z.ZodObject<{ name: z.ZodLiteral<string>; bookingId: typeof StoredHash }, z.core.$strict>;

export interface StepMemories {
  entries: readonly NewTripEntry[];
  /** Stored with the entries. */
  writes: readonly Write[];
}

interface Step {
  /** The call of the contract. */
  encode(tripId: Hex): Hex;
  /** The least gas that is sent with the transaction. */
  gas: bigint;
  /** Any one of these events shows that the contract has taken the step. */
  events: readonly StepEvent[];
  /** Errors that the contract can still raise after our records allowed the step, with the codes that the caller gets for them. */
  refusals?: Readonly<Record<string, EscrowCode>>;
  /** The amount that it takes from the trip's free budget. The trip counts it as promised while the step is under way. */
  takes?: Micro;
  /** A repeated call takes no second step if name and meaning are the same. Defaults to all members. */
  meaning?: object;
}

/** The changes at the end of a step of a whole trip. */
export interface TripStepOutcome extends Pick<Step, "takes"> {
  /** Changes the trip. The caller holds its lock. */
  apply(trip: Trip, transaction: ChainTransaction): TripChange;
  /** Writes other records that belong to that change. */
  alongside?(
    records: Pick<Aggregates, "trips" | "runEvents" | "messages">,
    trip: Trip,
    transactionHash: Hex,
  ): Promise<void>;
  /** Changes the trip if the step had no effect. It stops being pending in any case. */
  undo?: TripChange;
  note(trips: { before: Trip; after: Trip }): StepNote;
  /** Adds what only the end of the step shows to the stored answer. */
  additions?(transaction: ChainTransaction): Record<string, unknown>;
}

/** A step that takes nothing from the free budget excludes other steps of the trip while it is under way. */
interface TripStep extends Step, TripStepOutcome {
  /** Throws if the trip does not allow the step. The machine has checked that it is funded. */
  require?(trip: Trip, ports: { clock: Clock } & Pick<Aggregates, "escrowBookings">): void | Promise<void>;
  plan?(trip: Trip): CallPlan;
}

export interface BookingContext {
  booking: EscrowBooking;
  /** Undefined only in plans: our records do not know the trip. */
  trip: Trip | undefined;
  clock: Clock;
}

interface PlanContext extends BookingContext {
  /** The booking that the reservation pays for, if the step has `coverRules`. */
  covered: Booking | undefined;
}

type PlanStores = Pick<Stores, "bookings" | "orders" | "wallets">;

/** A step of one booking, which takes one step at a time. */
export interface BookingStep extends Step {
  /** Throws if the booking or its trip does not allow the step. The machine has checked the state of the booking. */
  require?(context: BookingContext): void;
  /** Set by steps that change what a reservation pays. `require` throws if an order that the reservation covers would go unpaid. */
  coverRules?: { require?(order: Booking, collectionAddress: Hex): void };
  /** A plan that is no function also applies to a repeated call. Otherwise a repeated call plans nothing. */
  plan?: CallPlan | ((context: PlanContext, stores: PlanStores) => Promise<CallPlan>);
  /** `left` is the part of the reservation that has not left the contract. The caller holds the lock of the trip. */
  apply(context: { booking: EscrowBooking; trip: Trip; left: Micro }): {
    booking: EscrowBookingChange;
    trip?: TripChange;
  };
  note(booking: EscrowBooking): StepNote;
  /** Further entries in the trip's record. */
  remembers?(aggregates: Aggregates, booking: EscrowBooking): Promise<StepMemories>;
  /** Runs after the step is recorded, in the same transaction. */
  afterwards?(aggregates: Aggregates, booking: EscrowBooking, transaction: ChainTransaction): Promise<void>;
  /** Runs after a step without effect was undone, in the same transaction. */
  afterUndoing?(aggregates: Aggregates, transaction: ChainTransaction): Promise<void>;
  /** Adds what only the end of the step shows to the stored answer. */
  additions?(
    stores: Pick<Stores, "orders" | "chainTransactions">,
    booked: BookedTrip,
    transaction: ChainTransaction,
  ): Promise<Record<string, unknown>>;
}

interface BookingStepPlace {
  /** The name in `escrow_step`. Defaults to the name of the step. */
  storedAs: string;
  startsFrom: readonly EscrowBooking["state"][];
}

export interface OfTrip {
  of: "trip";
  /** The name in `escrow_step`. */
  storedAs: string;
}

/** A step with the values of its members. */
export type BoundTripStep = OfTrip & TripStep;
export type BoundBookingStep = { of: "booking" } & BookingStepPlace & BookingStep;
export type BoundStep = BoundTripStep | BoundBookingStep;

export function defineTripStep<Fields extends StepFields>(
  { fields }: { fields: Fields },
  describe: (action: z.output<Fields>) => TripStep,
) {
  return {
    fields,
    bind: (action: z.output<Fields>): BoundTripStep => ({
      of: "trip",
      storedAs: fields.shape.name.value,
      meaning: z.encode(fields, action),
      ...describe(action),
    }),
  };
}

export function defineBookingStep<Fields extends BookingStepFields>(
  {
    fields,
    startsFrom,
    storedAs = fields.shape.name.value,
  }: { fields: Fields } & Pick<BookingStepPlace, "startsFrom"> & Partial<BookingStepPlace>,
  describe: (action: z.output<Fields>) => BookingStep,
) {
  return {
    fields,
    startsFrom,
    storedAs,
    bind: (action: z.output<Fields>): BoundBookingStep => ({
      of: "booking",
      storedAs,
      startsFrom,
      meaning: z.encode(fields, action),
      ...describe(action),
    }),
  };
}

const WORD_BYTES = 32;

/** Pads the text with zeros to 32 bytes. A longer text becomes its hash. */
export function toWord(text: string): Hex {
  const hex = stringToHex(text);
  return hex.length <= 2 + 2 * WORD_BYTES ? stringToHex(text, { size: WORD_BYTES }) : keccak256(hex);
}

/** The contract requires this much before it begins a payment, and a payment that is refused can use it up. */
export const PAYMENT_GAS = 102_000n;
