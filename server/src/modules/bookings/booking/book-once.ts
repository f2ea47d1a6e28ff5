import { Failure } from "../../../domain/errors.ts";
import type { Micro } from "../../../domain/money.ts";
import type { Cover } from "../../../kernel/contracts/call-plan.ts";
import type { Environment } from "../../../ports/identity.ts";
import { executeOnce, type OnceAnswer, type OnceOptions } from "../../effects/index.ts";
import { findHomePurse, requireAvailable, requireMoving } from "../../treasury/index.ts";
import type { Aggregates } from "../context.ts";
import { type AskedBooking, asHeld, hashParticulars, requireSame } from "./asked-booking.ts";
import {
  type BookingAggregates,
  type BookingSteps,
  type BookingStorage,
  bookingEffect,
  ledgerReference,
  type NextBookingMove,
} from "./booking-effect.ts";
import type { Booking, HoldPayment, NewBooking } from "./bookings.ts";
import { requireCover } from "./cover.ts";
import { findLiveBooking } from "./find-live-booking.ts";

export interface BookOnceRequest {
  caller: { tenantId: string; environment: Environment; cover?: Cover | undefined };
  callId: string;
  asked: AskedBooking;
  steps: BookingSteps;
  /** Runs all checks before anything is stored or sent. `held` is the order that the call pays for. */
  prepare(held: Booking | undefined): Promise<PreparedBooking>;
}

type Intent<Kind> = Omit<
  Kind,
  "tenantId" | "environment" | "callId" | "kind" | "offerId" | "workerId" | "particularsHash"
>;

export interface PreparedBooking {
  intent: { kind: "new"; booking: Intent<NewBooking> } | { kind: "pay"; held: Intent<HoldPayment> };
  /** A last check, in the transaction that stores the intent: other bookings of the same travelers wait for its end. */
  check?(aggregates: BookingAggregates): Promise<void>;
  /** The first request of the stored intent. */
  begin(booking: Booking): NextBookingMove;
}

export interface BookOptions extends OnceOptions {
  progress?(step: string): void;
}

const NAMES: Readonly<Record<AskedBooking["kind"], string>> = { flight: "offer", stay: "quote" };

/** Books an offer or a quote once per tenant, however many calls ask for it. Throws a Failure. */
export async function bookOnce(
  { stores, clock }: BookingStorage,
  { caller, callId, asked, steps, prepare }: BookOnceRequest,
  { progress, ...options }: BookOptions = {},
): Promise<OnceAnswer> {
  const { tenantId, environment } = caller;
  const { kind, offerId } = asked;
  const name = NAMES[kind];
  let held: Booking | undefined;
  return await executeOnce<Booking, BookingAggregates>(
    { stores, clock, definition: bookingEffect(steps) },
    {
      callId,
      async findLive() {
        const live = await findLiveBooking(stores, caller, offerId);
        held = live?.kind === "flight_hold" ? live : undefined;
        if (held !== undefined) {
          if (held.state !== "on_hold") throw inProgress(name);
          await requireSame(asHeld(asked), held);
        }
        // A quote's id is no offer's: a booking of one kind does not answer a call for the other.
        return live?.kind === kind ? live : undefined;
      },
      requireSame: (live) => requireSame(asked, live),
      async prepare() {
        await requireMoving(stores.boundChains, await stores.boundChains.requireHome(environment));
        progress?.(`Checking the ${name}, the travelers and the balance`);
        const { intent, check, begin } = await prepare(held);
        const by = { tenantId, environment, callId, workerId: callId };
        return {
          async insert(aggregates) {
            const intended = intent.kind === "pay" ? intent.held : intent.booking;
            const isAlone = check !== undefined;
            await requireTravelers(aggregates, caller, { travelers: [], ...intended }, { isAlone });
            await check?.(aggregates);
            const { amountMicroUsdc: amount } = intended;
            const { cover } = caller;
            const escrowBookingId = cover && (await requireCover(aggregates, { tenantId, environment, amount }, cover));
            const { itinerarySalt } = intent.kind === "pay" ? (held ?? {}) : intent.booking;
            if (itinerarySalt === undefined) throw new Error(`the order of offer ${offerId} is not held`);
            const particularsHash = hashParticulars(asked, itinerarySalt);
            if (intent.kind === "pay") {
              const payment = { ...intent.held, ...by, particularsHash, escrowBookingId };
              return payFor(aggregates, await aggregates.bookings.payHeld(payment));
            }
            const { booking } = intent;
            const what = { kind, offerId, particularsHash, escrowBookingId };
            return payFor(aggregates, await aggregates.bookings.insert({ ...booking, ...by, ...what }));
          },
          begin(stored) {
            progress?.("Ordering and paying at the supplier");
            return begin(stored);
          },
        };
      },
      inProgress: () => inProgress(name),
      outcomeUnknown: (cause) => outcomeUnknown(name, cause),
    },
    options,
  );
}

/** For a preview: throws `insufficient_balance` if the hold would fail. A covered call needs no balance. */
export async function requireBalance(
  stores: Pick<Aggregates, "ledger" | "boundChains">,
  caller: BookOnceRequest["caller"],
  amount: Micro,
): Promise<void> {
  if (caller.cover !== undefined) return;
  await requireAvailable(stores.ledger, await findHomePurse(stores, caller), amount);
}

/**
 * Keeps travelers from being erased while the booking is stored, and refuses erased ones. `isAlone`: other transactions
 * that ask for this wait for the end of this one.
 */
export async function requireTravelers(
  { travelerRecords }: Pick<Aggregates, "travelerRecords">,
  { tenantId, environment }: Pick<BookOnceRequest["caller"], "tenantId" | "environment">,
  { userId, travelers }: Pick<NewBooking, "userId" | "travelers">,
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<void> {
  const userIds = [userId, ...travelers.flatMap((traveler) => traveler.userId ?? [])];
  const gone = await travelerRecords.keep(tenantId, environment, userIds, { isAlone });
  if (gone.length === 0) return;
  throw new Failure("traveler_incomplete", {
    detail: "A traveler of this booking was erased in the meantime. Nothing was booked.",
    extra: { travelers: gone.map((id) => ({ userId: id, fields: [] })) },
  });
}

/**
 * Holds the balance for a stored intent, unless a reservation in escrow pays, and counts it against limits. Undefined
 * if another call was first.
 */
async function payFor(aggregates: BookingAggregates, booking: Booking | undefined): Promise<Booking | undefined> {
  if (booking === undefined) return undefined;
  const { amountMicroUsdc, escrowBookingId } = booking;
  if (escrowBookingId === undefined) {
    const purse = await findHomePurse(aggregates, booking);
    await aggregates.ledger.hold(purse, amountMicroUsdc, ledgerReference(booking));
  }
  await aggregates.callSpends.price(booking.callId, amountMicroUsdc);
  return booking;
}

function inProgress(name: string): Failure {
  return new Failure("booking_in_progress", {
    detail: `An earlier call is booking this ${name}. Call again with the same ${name} to get its result.`,
    retryAfterSeconds: 5,
  });
}

function outcomeUnknown(name: string, cause: unknown): Failure {
  return new Failure("outcome_unknown", {
    detail:
      "The supplier has not confirmed the booking yet. Its outcome is being checked, and the price stays held until then. " +
      `Call again with the same ${name}: you get the result, never a second order.`,
    retryAfterSeconds: 10,
    ...(cause === undefined ? {} : { cause }),
  });
}
