import { Failure } from "../../domain/errors.ts";
import type { Cover } from "../../kernel/plan.ts";
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
import { requireCover } from "./cover.ts";

export interface BookOnceRequest {
  caller: { tenantId: string; environment: Environment; cover?: Cover | undefined };
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
          insert: (aggregates) => insertHeld(aggregates, intent, caller.cover),
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

/** The intent, what pays for it, and what it takes of limits. Undefined: somebody else was quicker. */
async function insertHeld(
  aggregates: Aggregates,
  intent: NewBooking,
  cover: Cover | undefined,
): Promise<Booking | undefined> {
  const { bookings, ledger, callSpends } = aggregates;
  const { tenantId, network, amountMicroUsdc } = intent;
  const escrowBookingId =
    cover && (await requireCover(aggregates, { tenantId, network, amount: amountMicroUsdc }, cover));
  const booking = await bookings.insert({ ...intent, escrowBookingId });
  if (booking === undefined) return undefined;
  if (escrowBookingId === undefined) {
    await ledger.hold({ tenantId, network, token: "USDC" }, amountMicroUsdc, ledgerReference(booking));
  }
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
