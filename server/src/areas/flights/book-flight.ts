import { setTimeout as delay } from "node:timers/promises";
import { Failure, invalidInput } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { Micro } from "../../domain/money.ts";
import type { Booking } from "../../ports/bookings.ts";
import type { FlightServicing } from "../../ports/flight-servicing.ts";
import type { FlightOffer, OrderRequest, RequestedService } from "../../ports/flights.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Travelers } from "../../ports/travelers.ts";
import { requireMoving } from "../treasury/send-out.ts";
import { BOOKING_CURRENCY, toMicroUsdc } from "./booking-result.ts";
import { type BookingEnd, type BookingPorts, bookingSteps, ledgerReference } from "./booking-steps.ts";
import { ensureCustomer } from "./ensure-customer.ts";
import { missingFields, type Traveler, toOrderPassenger } from "./order-passengers.ts";
import { findOwnCredit, findOwnCustomer } from "./own-records.ts";
import { getOwnOffer } from "./private-offers.ts";

export interface BookFlightPorts extends BookingPorts {
  travelers: Travelers;
  flightServicing: Pick<FlightServicing, "priceServices">;
}

export interface BookFlightRequest {
  caller: { tenantId: string; userId: string; travelerId: string; environment: Environment };
  callId: string;
  offerId: string;
  services: readonly RequestedService[];
  additionalCustomerUserIds: readonly string[];
  airlineCreditId: string | undefined;
}

export interface BookFlightOptions {
  random?: RandomBytes;
  /** How long a call waits for another call that books the same offer. */
  waitMilliseconds?: number;
  /** How long a call waits for its own booking; the booking goes on without it. */
  answerMilliseconds?: number;
  progress?(step: string): void;
}

export type BookFlightAnswer =
  | { kind: "booked"; result: unknown }
  /** An earlier call booked this offer; nothing was done now. */
  | { kind: "replayed"; result: unknown; firstCallId: string };

const WAIT_MILLISECONDS = 10_000;
/** Clients commonly give up on a call after a minute. */
const ANSWER_MILLISECONDS = 50_000;
const POLL_MILLISECONDS = 100;

/** Books an offer once per tenant, whoever asks for it how often. Throws Failure; see `booking-steps.ts` for the way of a booking. */
export async function bookFlight(
  ports: BookFlightPorts,
  request: BookFlightRequest,
  options: BookFlightOptions = {},
): Promise<BookFlightAnswer> {
  const { stores } = ports;
  const { tenantId, environment } = request.caller;
  const deadline = performance.now() + (options.waitMilliseconds ?? WAIT_MILLISECONDS);
  for (;;) {
    const live = await stores.bookings.findLive(tenantId, environment, request.offerId);
    if (live !== undefined) {
      const replayed = await waitForEnd(ports, live, deadline);
      if (replayed !== undefined) return replayed;
      continue;
    }
    await requireMoving(stores.chainNetworks, environment);
    options.progress?.("Checking the offer, the travelers and the balance");
    const prepared = await prepare(ports, request, options.random ?? systemRandom);
    const booking = await storeIntent(ports, request.callId, prepared);
    if (booking === undefined) continue;
    options.progress?.("Ordering and paying at the supplier");
    const end = await pursue(ports, booking, prepared, options.answerMilliseconds ?? ANSWER_MILLISECONDS);
    if (end.kind === "booked") return { kind: "booked", result: end.result };
    if (end.kind === "failed") throw end.failure;
    if (end.kind === "unknown") throw outcomeUnknown(end.cause);
    return await foundByAnother(ports, booking);
  }
}

/** Another worker finished this call's booking, as this one was silent for too long. */
async function foundByAnother({ stores }: BookingPorts, { id }: Booking): Promise<BookFlightAnswer> {
  const booking = await stores.bookings.get(id);
  if (booking?.state === "booked") return { kind: "booked", result: booking.result };
  const cause = new Error(`booking ${id} was taken over and is ${booking?.state}`);
  throw booking?.failureCode === undefined ? outcomeUnknown(cause) : new Failure(booking.failureCode, { cause });
}

/** The earlier booking's answer; undefined when it failed, so that this call may try itself. */
async function waitForEnd(
  { stores }: BookingPorts,
  live: Booking,
  deadline: number,
): Promise<BookFlightAnswer | undefined> {
  let booking: Booking | undefined = live;
  for (;;) {
    if (booking === undefined || booking.state === "failed") return undefined;
    if (booking.state === "booked") {
      return { kind: "replayed", result: booking.result, firstCallId: booking.callId };
    }
    if (performance.now() >= deadline) {
      throw new Failure("booking_in_progress", {
        detail: "This offer is being booked by an earlier call. Call again with the same offer to get its result.",
        retryAfterSeconds: 5,
      });
    }
    await delay(POLL_MILLISECONDS);
    booking = await stores.bookings.get(live.id);
  }
}

interface Prepared {
  order: OrderRequest;
  instant: boolean;
  booking: Parameters<BookingPorts["stores"]["bookings"]["insert"]>[0];
  amount: Micro;
}

/** Everything that can be refused before anything is stored or sent. */
async function prepare(ports: BookFlightPorts, request: BookFlightRequest, random: RandomBytes): Promise<Prepared> {
  const { flights, flightServicing, stores, clock } = ports;
  const { caller, callId, offerId, services, airlineCreditId } = request;
  const { tenantId, environment: network } = caller;
  const offer = await getOwnOffer({ flights, privateOffers: stores.privateOffers }, caller, offerId);
  if (Temporal.Instant.compare(Temporal.Instant.from(offer.expiresAt), clock.now()) <= 0) {
    throw new Failure("offer_expired", { detail: "The offer can no longer be booked. Search again." });
  }
  const hasServices = services.length > 0;
  const { totalAmount, totalCurrency } = hasServices ? await flightServicing.priceServices(offerId, services) : offer;
  const total = totalCurrency === BOOKING_CURRENCY ? toMicroUsdc(totalAmount) : undefined;
  if (total === undefined) {
    throw new Failure("currency_not_supported", {
      detail: `Only offers in ${BOOKING_CURRENCY} can be booked; this one is in ${totalCurrency}.`,
      extra: { currency: totalCurrency },
    });
  }
  const travelers = await findTravelers(ports, request, offer);
  const covered = airlineCreditId === undefined ? 0n : await creditFor(ports, caller, airlineCreditId, offer);
  const passengers = await toPassengers(ports, travelers, offer, { tenantId, network, callId });

  const id = newId("bkg_", clock.now().epochMilliseconds, random);
  const amount = covered >= total ? 0n : total - covered;
  return {
    order: { offerId, passengers, services, bookingId: id, totalAmount, totalCurrency },
    // Suppliers book services only with an order that is paid at once.
    instant: hasServices || airlineCreditId !== undefined || offer.paymentRequirements.requiresInstantPayment,
    amount,
    booking: {
      id,
      tenantId,
      network,
      userId: caller.userId,
      callId,
      kind: "flight",
      offerId,
      amountMicroUsdc: amount,
      totalAmount,
      totalCurrency,
      airlineCreditId,
      // The call is the worker: no two calls share one, and a call that died is recognised by its silence.
      workerId: callId,
    },
  };
}

/** The caller first, then the others; as many as the offer was searched for, each with a complete profile. */
async function findTravelers(
  { travelers }: BookFlightPorts,
  { caller, additionalCustomerUserIds }: BookFlightRequest,
  offer: FlightOffer,
): Promise<Traveler[]> {
  const profileOf = (userId: string) => travelers.get(caller.tenantId, userId);
  const found: Traveler[] = [{ userId: caller.travelerId, profile: await profileOf(caller.travelerId) }];
  for (const [index, customerUserId] of additionalCustomerUserIds.entries()) {
    const userId = await findOwnCustomer(travelers, caller, customerUserId);
    if (userId === undefined) {
      throw new Failure("customer_not_found", {
        detail: "You have no such customer user. ensure_flight_customer gives the id.",
        extra: { customerUserId },
      });
    }
    if (found.some((traveler) => traveler.userId === userId)) {
      const message = "names a traveler who is on the booking already";
      throw invalidInput([{ path: `additionalCustomerUserIds.${index}`, message }]);
    }
    found.push({ userId, customerUserId, profile: await profileOf(userId) });
  }
  const wanted = offer.passengers.length;
  if (found.length > wanted) {
    const message = `must name ${wanted - 1} travelers beside the caller: the offer is for ${wanted}`;
    throw invalidInput([{ path: "additionalCustomerUserIds", message }]);
  }
  const incomplete = found.flatMap((traveler) => {
    const fields = missingFields(traveler, offer);
    const { userId, customerUserId } = traveler;
    return fields.length === 0 ? [] : [{ ...(customerUserId === undefined ? { userId } : { customerUserId }), fields }];
  });
  const missing = wanted - found.length;
  if (incomplete.length === 0 && missing === 0) return found;
  throw new Failure("traveler_incomplete", {
    detail:
      missing === 0
        ? "A traveler's profile lacks the listed fields. PUT /api/travelers/{userId} sets them; then call again."
        : `The offer is for ${wanted} travelers; name ${missing} more in additionalCustomerUserIds.`,
    extra: { travelers: incomplete, missingTravelers: missing },
  });
}

/** What the credit covers of the offer, in micro-USDC. */
async function creditFor(
  ports: BookFlightPorts,
  caller: BookFlightRequest["caller"],
  creditId: string,
  offer: FlightOffer,
): Promise<Micro> {
  const credit = await findOwnCredit(ports, caller, creditId);
  if (credit === undefined) {
    throw new Failure("credit_not_found", {
      detail: "You have no such airline credit.",
      extra: { airlineCreditId: creditId },
    });
  }
  const amount = credit.currency === offer.totalCurrency ? toMicroUsdc(credit.amount) : undefined;
  if (!credit.usable || amount === undefined || credit.airlineIataCode !== offer.owner.iataCode) {
    throw new Failure("credit_not_applicable", {
      detail: "The credit is spent or expired, or it belongs to another airline or currency than the offer.",
      extra: { airlineCreditId: creditId },
    });
  }
  return amount;
}

async function toPassengers(
  { flights, travelers, stores }: BookFlightPorts,
  found: readonly Traveler[],
  offer: FlightOffer,
  who: { tenantId: string; network: Environment; callId: string },
): Promise<OrderRequest["passengers"]> {
  const ports = { flights, travelers, bookings: stores.bookings };
  const passengers = [];
  for (const [index, traveler] of found.entries()) {
    const { givenName = "", familyName = "", email = "", phoneNumber = null } = traveler.profile ?? {};
    const owner = { tenantId: who.tenantId, userId: traveler.userId, network: who.network };
    const details = { givenName, familyName, email, phoneNumber };
    const { customerUserId } = await ensureCustomer(ports, owner, details, who.callId);
    const passenger = toOrderPassenger(offer.passengers[index]?.id ?? "", traveler, offer, customerUserId);
    if (passenger === undefined) throw new Error(`traveler ${traveler.userId} was complete and is not any more`);
    passengers.push(passenger);
  }
  return passengers;
}

/** The intent, the hold on the balance and the open effect, or none of them. Undefined: somebody else was quicker. */
async function storeIntent({ stores }: BookingPorts, callId: string, prepared: Prepared): Promise<Booking | undefined> {
  return await stores.transaction(async ({ bookings, ledger, effects }) => {
    const booking = await bookings.insert(prepared.booking);
    if (booking === undefined) return undefined;
    const { tenantId, network } = booking;
    await ledger.hold({ tenantId, network, token: "USDC" }, prepared.amount, ledgerReference(booking));
    await effects.open(callId);
    return booking;
  });
}

/** Runs the booking to its end, whether or not anybody waits for it that long. */
async function pursue(
  ports: BookingPorts,
  booking: Booking,
  { order, instant, booking: { workerId } }: Prepared,
  answerMilliseconds: number,
): Promise<BookingEnd> {
  const steps = bookingSteps(ports, workerId);
  const stopBeating = steps.beat(booking.id);
  const end = steps
    .order(booking, order, instant)
    // The database went away in the middle, for example: the booking is stored, and the reconciler takes it from there.
    .catch((cause: unknown): BookingEnd => ({ kind: "unknown", cause }))
    .finally(stopBeating);
  const waiting = new AbortController();
  const late = delay(answerMilliseconds, undefined, { signal: waiting.signal }).then(
    (): BookingEnd => ({ kind: "unknown" }),
    (): BookingEnd => ({ kind: "unknown" }),
  );
  try {
    return await Promise.race([end, late]);
  } finally {
    waiting.abort();
  }
}

function outcomeUnknown(cause: unknown): Failure {
  return new Failure("outcome_unknown", {
    detail:
      "The supplier has not said whether it booked. It is being found out, and the price stays held until then. " +
      "Call again with the same offer: you get the result, never a second order.",
    retryAfterSeconds: 10,
    ...(cause === undefined ? {} : { cause }),
  });
}
