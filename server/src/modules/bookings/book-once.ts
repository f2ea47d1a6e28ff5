import { Failure } from "../../domain/errors.ts";
import type { Aggregates } from "../../kernel/stores.ts";
import type { Environment } from "../../ports/identity.ts";
import { executeOnce, type OnceAnswer, type OnceOptions } from "../effects/index.ts";
import { requireMoving } from "../treasury/index.ts";
import {
  type BookingSteps,
  type BookingStorage,
  bookingEffect,
  ledgerReference,
  type NextBookingMove,
} from "./booking-effect.ts";
import type { Booking, NewBooking } from "./bookings.ts";

export interface BookOnceRequest {
  caller: { tenantId: string; environment: Environment };
  callId: string;
  kind: Booking["kind"];
  /** The offer or the quote. */
  offerId: string;
  steps: BookingSteps;
  /** Everything that can be refused before anything is stored or sent. */
  prepare(): Promise<PreparedBooking>;
}

export interface PreparedBooking {
  booking: Omit<NewBooking, "tenantId" | "network" | "callId" | "kind" | "offerId" | "workerId">;
  /** What is sent first for the stored intent. */
  begin(booking: Booking): NextBookingMove;
}

export interface BookOptions extends OnceOptions {
  progress?(step: string): void;
}

const NAMES: Readonly<Record<Booking["kind"], string>> = { flight: "offer", stay: "quote" };

/** Books an offer or a quote once per tenant, whoever asks for it how often. Throws Failure. */
export async function bookOnce(
  { stores, clock }: BookingStorage,
  { caller, callId, kind, offerId, steps, prepare }: BookOnceRequest,
  { progress, ...options }: BookOptions = {},
): Promise<OnceAnswer> {
  const { tenantId, environment: network } = caller;
  const name = NAMES[kind];
  return await executeOnce<Booking, Aggregates>(
    { stores, clock, definition: bookingEffect(steps) },
    {
      callId,
      async findLive() {
        const live = await stores.bookings.findLive(tenantId, network, offerId);
        // A quote is no offer: what the tenant booked as the one is no answer to who asks for the other.
        return live?.kind === kind ? live : undefined;
      },
      async prepare() {
        await requireMoving(stores.chainNetworks, network);
        progress?.(`Checking the ${name}, the travelers and the balance`);
        const { booking, begin } = await prepare();
        const intent = { ...booking, tenantId, network, callId, kind, offerId, workerId: callId };
        return {
          insert: (aggregates) => insertHeld(aggregates, intent),
          begin(stored) {
            progress?.("Ordering and paying at the supplier");
            return begin(stored);
          },
        };
      },
      inProgress: () =>
        new Failure("booking_in_progress", {
          detail: `This ${name} is being booked by an earlier call. Call again with the same ${name} to get its result.`,
          retryAfterSeconds: 5,
        }),
      outcomeUnknown: (cause) => outcomeUnknown(name, cause),
    },
    options,
  );
}

/** The intent, the hold on the balance, and what it takes of limits. Undefined: somebody else was quicker. */
async function insertHeld(aggregates: Aggregates, intent: NewBooking): Promise<Booking | undefined> {
  const { bookings, ledger, callSpends, travelerRecords } = aggregates;
  const travelerIds = intent.travelers.flatMap(({ userId }) => userId ?? []);
  const gone = await travelerRecords.keep(intent.tenantId, intent.network, [intent.userId, ...travelerIds]);
  if (gone.length > 0) {
    throw new Failure("traveler_incomplete", {
      detail: "A traveler of this booking was erased in the meantime. Nothing was booked.",
      extra: { travelers: gone.map((userId) => ({ userId, fields: [] })) },
    });
  }
  const booking = await bookings.insert(intent);
  if (booking === undefined) return undefined;
  const { tenantId, network, amountMicroUsdc } = booking;
  await ledger.hold({ tenantId, network, token: "USDC" }, amountMicroUsdc, ledgerReference(booking));
  await callSpends.price(booking.callId, amountMicroUsdc);
  return booking;
}

function outcomeUnknown(name: string, cause: unknown): Failure {
  return new Failure("outcome_unknown", {
    detail:
      "The supplier has not said whether it booked. It is being found out, and the price stays held until then. " +
      `Call again with the same ${name}: you get the result, never a second order.`,
    retryAfterSeconds: 10,
    ...(cause === undefined ? {} : { cause }),
  });
}
