import { Failure, invalidInput } from "../../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../../domain/ids.ts";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { FlightOffer, OrderRequest } from "../../../ports/supplier/flights.ts";
import {
  type BookedTraveler,
  type Booking,
  type BookOptions,
  bookOnce,
  findLiveBooking,
  inUsdc,
  newSalt,
  type PreparedBooking,
  priceOfServices,
  requireBalance,
  requireRate,
  requireSeenPrice,
} from "../../bookings/index.ts";
import type { OnceAnswer } from "../../effects/index.ts";
import { chooseLead, customerNotFound, findOwnCredit, findOwnTraveler, type Travelers } from "../../travelers/index.ts";
import { getSearchedOffer, offerErrors } from "../offers/private-offers.ts";
import { findTravelDay, inPlaces, isAdult, isInfant } from "../searching/passenger-types.ts";
import { toAskedServices } from "../services/asked-services.ts";
import { requireSeenServices } from "../services/see-services.ts";
import { type AskedFlight, askedFlight, type FlightCaller } from "./asked-flight.ts";
import { refuseSecondTicket, tellOfTicket } from "./booked-twice.ts";
import { FlightBookingSteps } from "./booking-steps.ts";
import { checkPayment, type PaymentPorts } from "./check-payment.ts";
import { ensureCustomer, isEmailTaken } from "./ensure-customer.ts";
import { missingFields, requirePassportsOnly, type Traveler, toOrderPassenger } from "./order-passengers.ts";
import { asNamed, getProfile } from "./planned-travelers.ts";

export interface BookFlightPorts extends PaymentPorts {
  travelers: Travelers;
}

export interface BookFlightRequest extends AskedFlight {
  caller: FlightCaller;
  callId: string;
}

/** Books an offer once per tenant, however many calls ask for it. Throws a Failure; see `booking-steps.ts` for the states of a booking. */
export function bookFlight(
  ports: BookFlightPorts,
  request: BookFlightRequest,
  { random = systemRandom, ...options }: BookOptions & { random?: RandomBytes } = {},
): Promise<OnceAnswer> {
  const { caller, callId } = request;
  const steps = new FlightBookingSteps(ports.flights);
  const asked = askedFlight(ports.travelers, caller, request);
  const prepare = (held: Booking | undefined) =>
    held === undefined ? prepareBooking(ports, request, steps, random) : preparePayment(ports, request, steps, held);
  return tellOfTicket(ports.stores.bookings, bookOnce(ports, { caller, callId, asked, steps, prepare }, options));
}

/** Runs all checks before anything is stored or sent. */
async function prepareBooking(
  ports: BookFlightPorts,
  request: BookFlightRequest,
  steps: FlightBookingSteps,
  random: RandomBytes,
): Promise<PreparedBooking> {
  const { booking, order, offer } = await prepareOrder(ports, request, random);
  // Suppliers accept services only with an order paid at once; then all of it or nothing is booked.
  const instant =
    order.services.length > 0 ||
    request.airlineCreditId !== undefined ||
    offer.paymentRequirements.requiresInstantPayment;
  return {
    intent: { kind: "new", booking },
    check: ({ bookings }) => refuseSecond({ bookings, caller: request.caller }, offer, booking.travelers),
    begin: (intent) => steps.order(intent, order, instant),
  };
}

/** The same for an order held by an earlier call. */
async function preparePayment(
  ports: BookFlightPorts,
  request: BookFlightRequest,
  steps: FlightBookingSteps,
  held: Booking,
): Promise<PreparedBooking> {
  const paid = await checkPayment(ports, request, held);
  return {
    intent: { kind: "pay", held: { id: held.id, userId: request.caller.userId, ...paid } },
    begin: (intent) => steps.lookUp(intent),
  };
}

export interface PreparedOrder {
  booking: Extract<PreparedBooking["intent"], { kind: "new" }>["booking"];
  order: OrderRequest & { mostFromBalance: string };
  offer: FlightOffer;
}

/** Runs all checks before anything is stored or sent; changes nothing. */
async function checkOrder(ports: BookFlightPorts, request: Omit<BookFlightRequest, "callId">) {
  const { flights, flightServicing, stores, clock } = ports;
  const { caller, offerId, services, airlineCreditId } = request;
  const { privateOffers } = stores;
  const { offer, searchedAccounts } = await getSearchedOffer({ flights, privateOffers }, caller, offerId);
  if (Temporal.Instant.compare(Temporal.Instant.from(offer.expiresAt), clock.now()) <= 0) {
    throw new Failure("offer_expired", { detail: offerErrors.offer_expired });
  }
  requirePassportsOnly(offer);
  const seenRate = await requireSeenPrice(stores.seenOffers, caller, offerId, offer);
  const hasServices = services.length > 0;
  const priced = hasServices ? await flightServicing.priceServices(offerId, services) : undefined;
  const { totalAmount, totalCurrency } = priced ?? offer;
  const askedServices = toAskedServices(offer.slices, priced?.services ?? []);
  if (hasServices) {
    const seen = await stores.seenOffers.find(caller, offerId);
    requireSeenServices(seen, services, { servicesMicro: priceOfServices(askedServices), currency: totalCurrency });
  }
  const rate = await requireRate(ports, caller.environment, totalCurrency, seenRate);
  const total = parseDecimal(totalAmount);
  if (total === undefined) throw new Error(`the offer ${offerId} asks ${totalAmount}`);
  const travelers = await findTravelers(ports, request, offer);
  const covered = airlineCreditId === undefined ? 0n : await creditFor(ports, caller, airlineCreditId, offer);
  // The amount that the balance pays, and its conversion.
  const open = formatDecimal(covered >= total ? 0n : total - covered);
  const amountMicroUsdc = inUsdc(open, totalCurrency, rate) ?? 0n;
  return { offer, searchedAccounts, travelers, rate, open, amountMicroUsdc, totalAmount, totalCurrency, askedServices };
}

/** The checks with which `bookFlight` begins, for a held or a new order, and that the wallet can pay. */
export async function checkFlight(ports: BookFlightPorts, request: Omit<BookFlightRequest, "callId">): Promise<void> {
  const { caller, offerId } = request;
  const live = await findLiveBooking(ports.stores, caller, offerId);
  const held = live?.kind === "flight_hold" ? live : undefined;
  const { amountMicroUsdc } = await (held === undefined
    ? checkPurchase(ports, request)
    : checkPayment(ports, request, held));
  await requireBalance(ports.stores, caller, amountMicroUsdc);
}

/** `checkOrder`, and that nobody buys a second ticket by mistake. */
async function checkPurchase(ports: BookFlightPorts, request: Omit<BookFlightRequest, "callId">) {
  const { bookings } = ports.stores;
  const checked = await checkOrder(ports, request);
  await tellOfTicket(bookings, refuseSecond({ bookings, caller: request.caller }, checked.offer, checked.travelers));
  return checked;
}

/** A run asks a person instead, in its overlap pause. */
async function refuseSecond(
  by: Parameters<typeof refuseSecondTicket>[0] & { caller: FlightCaller },
  { id: offerId, slices }: FlightOffer,
  travelers: readonly { userId?: string }[],
): Promise<void> {
  if (by.caller.cover !== undefined) return;
  const userIds = travelers.flatMap(({ userId }) => userId ?? []);
  await refuseSecondTicket(by, { offerId, slices, userIds });
}

/** The checks with which `holdFlight` begins. */
export async function checkHold(ports: BookFlightPorts, request: Omit<BookFlightRequest, "callId">): Promise<void> {
  const { caller, offerId } = request;
  const live = await findLiveBooking(ports.stores, caller, offerId);
  // The earlier hold is the answer.
  if (live !== undefined) return;
  const { offer } = await checkOrder(ports, request);
  requireHoldableOffer(offer);
}

/** Throws `hold_not_available` if the airline requires payment at once. */
export function requireHoldableOffer({ paymentRequirements }: FlightOffer): void {
  if (paymentRequirements.requiresInstantPayment) throw notHeld("The airline does not allow this fare to be held.");
}

export function notHeld(why: string): Failure {
  return new Failure("hold_not_available", {
    detail: `${why} Nothing was ordered. Book it now with book_flight, or hold another offer.`,
  });
}

/** Prepares the order at the supplier, and its booking. */
export async function prepareOrder(
  ports: BookFlightPorts,
  request: BookFlightRequest,
  random: RandomBytes,
): Promise<PreparedOrder> {
  const { clock } = ports;
  const { caller, callId, offerId, services, airlineCreditId } = request;
  const { tenantId, environment } = caller;
  const checked = await checkOrder(ports, request);
  const { offer, travelers, rate, open, amountMicroUsdc, totalAmount, totalCurrency, askedServices } = checked;
  const passengers = await toPassengers(ports, checked, { tenantId, environment, callId });

  const id = newId("bkg_", clock.now().epochMilliseconds, random);
  return {
    offer,
    order: { offerId, passengers, services, bookingId: id, totalAmount, totalCurrency, mostFromBalance: open },
    booking: {
      id,
      userId: caller.userId,
      amountMicroUsdc,
      totalAmount,
      totalCurrency,
      rate,
      airlineCreditId,
      askedServices,
      travelers: toBooked(travelers, passengers, caller),
      askedSlices: offer.slices.map(({ segments }) => ({
        segments: segments.map(({ flightNumber, departingAt }) => ({ flightNumber, departingAt })),
      })),
      itinerarySalt: newSalt(random),
    },
  };
}

/**
 * The caller first, then the named travelers; as many as the offer was searched for, each with a complete profile. The
 * caller does not travel if the others fill the offer, as when an agent books for its clients.
 */
async function findTravelers(
  ports: BookFlightPorts,
  { caller, additionalCustomerUserIds }: Omit<BookFlightRequest, "callId">,
  offer: FlightOffer,
): Promise<Traveler[]> {
  const wanted = offer.passengers.length;
  const named = await findNamed(ports.travelers, caller, additionalCustomerUserIds);
  if (named.length > wanted) {
    const message = `must name at most ${wanted} travelers, or ${wanted - 1} beside the caller: the offer is for ${wanted}`;
    throw invalidInput([{ path: "additionalCustomerUserIds", message }]);
  }
  const isCallerLeftOut = named.length === wanted;
  if (!isCallerLeftOut) refuseTwice(chooseLead(caller), named);
  const found = isCallerLeftOut ? named : [await leadTraveler(ports.travelers, caller), ...named];
  const incomplete = found.flatMap((traveler) => {
    const fields = missingFields(traveler, offer);
    const { userId, customerUserId } = traveler;
    return fields.length === 0 ? [] : [{ userId, ...(customerUserId === undefined ? {} : { customerUserId }), fields }];
  });
  const missing = wanted - found.length;
  const aged = found.flatMap((traveler) => {
    const bornOn = traveler.profile?.bornOn;
    return bornOn === undefined ? [] : [{ ...traveler, bornOn }];
  });
  const day = findTravelDay(offer.slices.map(({ segments }) => segments[0]?.departingAt));
  const isForAges = offer.passengers.some(({ age }) => age !== undefined);
  if (incomplete.length === 0 && day !== undefined && (missing === 0 || isForAges)) {
    return inPlaces(aged, offer.passengers, day);
  }
  throw new Failure("traveler_incomplete", {
    detail:
      missing === 0
        ? "A traveler's profile lacks the listed fields: pass them to save_traveler with the listed userId, then call again."
        : `The offer is for ${wanted} travelers; name ${missing} more in additionalCustomerUserIds. For a new person, call save_traveler and use the userId that it returns.`,
    extra: { travelers: incomplete, missingTravelers: missing },
  });
}

async function leadTraveler(travelers: Travelers, caller: BookFlightRequest["caller"]): Promise<Traveler> {
  const userId = chooseLead(caller);
  return { userId, profile: await getProfile(travelers, caller, userId) };
}

async function findNamed(
  travelers: Travelers,
  caller: BookFlightRequest["caller"],
  customerUserIds: readonly string[],
): Promise<Traveler[]> {
  const found: Traveler[] = [];
  for (const customerUserId of customerUserIds) {
    const userId = await findOwnTraveler(travelers, caller, customerUserId);
    if (userId === undefined) throw customerNotFound(customerUserId);
    refuseTwice(userId, found, found.length);
    found.push({ ...asNamed(userId, customerUserId), profile: await getProfile(travelers, caller, userId) });
  }
  return found;
}

/** `index` is that of the argument that names the traveler; left out for an earlier argument. */
function refuseTwice(userId: string, others: readonly Traveler[], index?: number): void {
  const known = others.findIndex((traveler) => traveler.userId === userId);
  if (known === -1) return;
  const message = "names a traveler who is already on the booking";
  throw invalidInput([{ path: `additionalCustomerUserIds.${index ?? known}`, message }]);
}

/** The part of the offer covered by the credit, in micro-units of its currency. */
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
  const amount = credit.currency === offer.totalCurrency ? parseDecimal(credit.amount) : undefined;
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
  { offer, searchedAccounts: searched, travelers: found }: Awaited<ReturnType<typeof checkOrder>>,
  who: { tenantId: string; environment: Environment; callId: string },
): Promise<OrderRequest["passengers"]> {
  const ports = { flights, travelers, bookings: stores.bookings };
  const passengers = [];
  const infants = offer.passengers.filter(isInfant).map(({ id }) => id);
  const day = findTravelDay(offer.slices.map(({ segments }) => segments[0]?.departingAt)) ?? "";
  for (const [index, traveler] of found.entries()) {
    const { bornOn = "" } = traveler.profile ?? {};
    const infantPassengerId = isAdult({ userId: traveler.userId, bornOn }, day) ? infants.shift() : undefined;
    const { givenName = "", familyName = "", email = "", phoneNumber = null } = traveler.profile ?? {};
    const owner = { tenantId: who.tenantId, userId: traveler.userId, environment: who.environment };
    const details = { givenName, familyName, email, phoneNumber };
    // A flight needs no customer: a traveler who cannot have one flies without.
    const { customerUserId } = await ensureCustomer(ports, owner, details, who.callId).catch((error: unknown) => {
      if (!isEmailTaken(error)) throw error;
      return { customerUserId: undefined };
    });
    const more = { customerUserId, searchedAccounts: searched[index] ?? [], infantPassengerId };
    const passenger = toOrderPassenger(offer.passengers[index]?.id ?? "", traveler, offer, more);
    if (passenger === undefined) throw new Error(`traveler ${traveler.userId} was complete and is not any more`);
    passengers.push(passenger);
  }
  return passengers;
}

function toBooked(
  found: readonly Traveler[],
  passengers: OrderRequest["passengers"],
  { travelerId }: BookFlightRequest["caller"],
): BookedTraveler[] {
  return passengers.map(({ givenName, familyName, customerUserId }, index) => {
    const userId = found[index]?.userId ?? "";
    const known = customerUserId === undefined ? {} : { customerUserId };
    return { givenName, familyName, userId, ...known, isCaller: userId === travelerId };
  });
}
