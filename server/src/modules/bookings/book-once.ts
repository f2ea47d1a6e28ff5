import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Environment } from "../../ports/identity.ts";
import { requireMoving } from "../treasury/send-out.ts";
import { type BookingEnd, ledgerReference } from "./booking-moves.ts";
import type { Booking, NewBooking } from "./bookings.ts";

export interface BookOnceRequest {
  caller: { tenantId: string; environment: Environment };
  callId: string;
  kind: Booking["kind"];
  /** The offer or the quote. */
  offerId: string;
  /** Everything that can be refused before anything is stored or sent. */
  prepare(): Promise<PreparedBooking>;
}

export interface PreparedBooking {
  booking: Omit<NewBooking, "tenantId" | "network" | "callId" | "kind" | "offerId" | "workerId">;
  /** Sends the order of the stored intent and everything after it, as the worker `callId`. */
  pursue(booking: Booking): Promise<BookingEnd>;
}

export interface BookOptions {
  /** How long a call waits for another call that books the same offer. */
  waitMilliseconds?: number;
  /** How long a call waits for its own booking; the booking goes on without it. */
  answerMilliseconds?: number;
  progress?(step: string): void;
}

export type BookAnswer =
  | { kind: "booked"; result: unknown }
  /** An earlier call booked this offer; nothing was done now. */
  | { kind: "replayed"; result: unknown; firstCallId: string };

const WAIT_MILLISECONDS = 10_000;
/** Clients commonly give up on a call after a minute. */
const ANSWER_MILLISECONDS = 50_000;
const POLL_MILLISECONDS = 100;
const NAMES: Readonly<Record<Booking["kind"], string>> = { flight: "offer", stay: "quote" };

/** Books an offer or a quote once per tenant, whoever asks for it how often. Throws Failure. */
export async function bookOnce(
  ports: { stores: Stores },
  request: BookOnceRequest,
  options: BookOptions = {},
): Promise<BookAnswer> {
  const { stores } = ports;
  const { tenantId, environment } = request.caller;
  const deadline = performance.now() + (options.waitMilliseconds ?? WAIT_MILLISECONDS);
  for (;;) {
    const live = await stores.bookings.findLive(tenantId, environment, request.offerId);
    // A quote is no offer: what the tenant booked as the one is no answer to who asks for the other.
    if (live?.kind === request.kind) {
      const replayed = await waitForEnd(stores, live, deadline);
      if (replayed !== undefined) return replayed;
      continue;
    }
    await requireMoving(stores.chainNetworks, environment);
    options.progress?.(`Checking the ${NAMES[request.kind]}, the travelers and the balance`);
    const prepared = await request.prepare();
    const booking = await storeIntent(stores, request, prepared);
    if (booking === undefined) continue;
    options.progress?.("Ordering and paying at the supplier");
    const end = await waitAtMost(prepared.pursue(booking), options.answerMilliseconds ?? ANSWER_MILLISECONDS);
    if (end.kind === "booked") return { kind: "booked", result: end.result };
    if (end.kind === "failed") throw end.failure;
    if (end.kind === "unknown") throw outcomeUnknown(booking, end.cause);
    return await foundByAnother(stores, booking);
  }
}

/** Another worker finished this call's booking, as this one was silent for too long. */
async function foundByAnother(stores: Stores, started: Booking): Promise<BookAnswer> {
  const booking = await stores.bookings.get(started.id);
  if (booking?.state === "booked") return { kind: "booked", result: booking.result };
  const cause = new Error(`booking ${started.id} was taken over and is ${booking?.state}`);
  throw booking?.failureCode === undefined
    ? outcomeUnknown(started, cause)
    : new Failure(booking.failureCode, { cause });
}

/** The earlier booking's answer; undefined when it failed, so that this call may try itself. */
async function waitForEnd(stores: Stores, live: Booking, deadline: number): Promise<BookAnswer | undefined> {
  const name = NAMES[live.kind];
  let booking: Booking | undefined = live;
  for (;;) {
    if (booking === undefined || booking.state === "failed") return undefined;
    if (booking.state === "booked") {
      return { kind: "replayed", result: booking.result, firstCallId: booking.callId };
    }
    if (performance.now() >= deadline) {
      throw new Failure("booking_in_progress", {
        detail: `This ${name} is being booked by an earlier call. Call again with the same ${name} to get its result.`,
        retryAfterSeconds: 5,
      });
    }
    await delay(POLL_MILLISECONDS);
    booking = await stores.bookings.get(live.id);
  }
}

/** The intent, the hold on the balance and the open effect, or none of them. Undefined: somebody else was quicker. */
async function storeIntent(
  stores: Stores,
  { caller, callId, kind, offerId }: BookOnceRequest,
  prepared: PreparedBooking,
): Promise<Booking | undefined> {
  return await stores.transaction(async ({ bookings, ledger, effects }) => {
    const booking = await bookings.insert({
      ...prepared.booking,
      tenantId: caller.tenantId,
      network: caller.environment,
      callId,
      kind,
      offerId,
      // The call is the worker: no two calls share one, and a call that died is recognised by its silence.
      workerId: callId,
    });
    if (booking === undefined) return undefined;
    const { tenantId, network, amountMicroUsdc } = booking;
    await ledger.hold({ tenantId, network, token: "USDC" }, amountMicroUsdc, ledgerReference(booking));
    await effects.open(callId);
    return booking;
  });
}

/** The booking runs to its end, whether or not anybody waits for it that long. */
async function waitAtMost(pursued: Promise<BookingEnd>, milliseconds: number): Promise<BookingEnd> {
  // The database went away in the middle, for example: the booking is stored, and the reconciler takes it from there.
  const end = pursued.catch((cause: unknown): BookingEnd => ({ kind: "unknown", cause }));
  const waiting = new AbortController();
  const late = delay(milliseconds, undefined, { signal: waiting.signal }).then(
    (): BookingEnd => ({ kind: "unknown" }),
    (): BookingEnd => ({ kind: "unknown" }),
  );
  try {
    return await Promise.race([end, late]);
  } finally {
    waiting.abort();
  }
}

function outcomeUnknown({ kind }: Booking, cause: unknown): Failure {
  return new Failure("outcome_unknown", {
    detail:
      "The supplier has not said whether it booked. It is being found out, and the price stays held until then. " +
      `Call again with the same ${NAMES[kind]}: you get the result, never a second order.`,
    retryAfterSeconds: 10,
    ...(cause === undefined ? {} : { cause }),
  });
}
