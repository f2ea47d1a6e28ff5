import { Failure, type Issue, invalidInput } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { StayBookingRequest, StayBookings, StayQuote } from "../../ports/supplier/stay-bookings.ts";
import {
  type AskedBooking,
  type BookedTraveler,
  type BookingStorage,
  type BookOptions,
  bookOnce,
  hashContact,
  inUsdc,
  newSalt,
  type PreparedBooking,
  type RatePorts,
  requireBalance,
  requireRate,
  requireSeenPrice,
} from "../bookings/index.ts";
import type { OnceAnswer } from "../effects/index.ts";
import { chooseLead, customerNotFound, findOwnCustomer, findOwnTraveler, type Travelers } from "../travelers/index.ts";
import type { Stores } from "./context.ts";
import { getOwnQuote } from "./own-quotes.ts";
import { asUsers } from "./planned-guests.ts";
import { StayBookingSteps, type StaySuppliers } from "./stay-booking-steps.ts";

export interface BookStayPorts extends BookingStorage, StaySuppliers, RatePorts {
  stores: Stores;
  stayBookings: StaySuppliers["stayBookings"] & Pick<StayBookings, "getQuote">;
  travelers: Travelers;
}

export interface BookStayRequest {
  caller: Pick<Caller, "tenantId" | "userId" | "travelerId" | "leadTravelerId" | "environment" | "cover">;
  callId: string;
  /** Except the phone number, which is as the caller gave it; by default the profile's is used. */
  stay: Omit<StayBookingRequest, "bookingId" | "phoneNumber" | "guests"> & {
    phoneNumber: string | undefined;
    guests: readonly (StayBookingRequest["guests"][number] & { bornOn?: string })[];
  };
}

/**
 * Books a quote once per tenant, however often it is called. Throws Failure; `stay-booking-steps.ts` describes a booking's
 * states.
 */
export function bookStay(
  ports: BookStayPorts,
  request: BookStayRequest,
  { random = systemRandom, ...options }: BookOptions & { random?: RandomBytes } = {},
): Promise<OnceAnswer> {
  const { caller, callId, stay } = request;
  const steps = new StayBookingSteps(ports);
  const prepare = () => prepareBooking(ports, request, steps, random);
  return bookOnce(ports, { caller, callId, asked: askedStay(stay), steps, prepare }, options);
}

/** Identifies the request, to tell a repetition from another booking of the same quote. */
export function askedStay({
  quoteId: offerId,
  guests,
  customerUserIds,
  ...more
}: BookStayRequest["stay"]): AskedBooking {
  const serializeGuests = (some: readonly Guest[]) =>
    JSON.stringify(
      some
        .map(({ givenName, familyName, customerUserId = null }) => [givenName, familyName, customerUserId])
        .map((guest) => JSON.stringify(guest))
        .toSorted(),
    );
  // A guest may be named by the customer's id or by the userId.
  const ids = new Set(guests.map(({ customerUserId }) => customerUserId));
  const asNamed = (booked: readonly BookedTraveler[]) =>
    booked.map(({ userId, ...guest }) =>
      userId !== undefined && ids.has(userId) ? { ...guest, customerUserId: userId } : guest,
    );
  // Names with the given dates of birth. A booking does not store the dates, and two guests may share a name.
  const born = guests.flatMap(({ givenName, familyName, customerUserId = null, bornOn }) =>
    bornOn === undefined ? [] : [JSON.stringify([givenName, familyName, customerUserId, bornOn])],
  );
  return {
    kind: "stay",
    offerId,
    // Contact details do not make it a different booking.
    particulars: {
      ...(born.length === 0 ? {} : { born: born.toSorted() }),
      loyaltyProgrammeAccountNumber: more.loyaltyProgrammeAccountNumber ?? null,
      specialRequests: more.specialRequests ?? null,
      customerUserIds: customerUserIds.toSorted(),
    },
    // Earlier releases stored only the guests, and the first ones not even these.
    isForSame: ({ travelers }) =>
      Promise.resolve(travelers.length === 0 || serializeGuests(asNamed(travelers)) === serializeGuests(guests)),
    mayBeSame: () => true,
  };
}

interface Guest {
  givenName: string;
  familyName: string;
  customerUserId?: string | undefined;
}

/** Runs all checks before anything is stored or sent; changes nothing. */
async function checkStay(ports: BookStayPorts, { caller, stay }: Omit<BookStayRequest, "callId">) {
  const { stayBookings, stores, travelers, clock } = ports;
  const { negotiatedRates } = stores;
  const quote = await getOwnQuote({ stayBookings, negotiatedRates }, caller, stay.quoteId);
  if (quote.expiresAt !== null && Temporal.Instant.compare(Temporal.Instant.from(quote.expiresAt), clock.now()) <= 0) {
    throw new Failure("quote_expired", { detail: "The quote has expired. Call quote_stay again." });
  }
  const seenRate = await requireSeenPrice(stores.seenOffers, caller, stay.quoteId, quote);
  const guests = stay.guests.map(({ bornOn: _, ...guest }) => guest);
  const specialRequests = withAges(stay, quote);
  const issues = problemsWith(stay, quote);
  if ((specialRequests ?? "").length > LONGEST_REQUESTS) {
    const message = `must leave room for the children's ages, which are sent to the accommodation here: shorten it by ${(specialRequests ?? "").length - LONGEST_REQUESTS} characters`;
    issues.push({ path: "accommodationSpecialRequests", message });
  }
  if (issues.length > 0) throw invalidInput(issues);
  const { totalAmount, totalCurrency } = quote;
  const rate = await requireRate(ports, caller.environment, totalCurrency, seenRate);
  const amountMicroUsdc = inUsdc(totalAmount, totalCurrency, rate);
  if (amountMicroUsdc === undefined) throw new Error(`the quote ${quote.id} asks ${totalAmount}`);
  await requireOwnCustomers(travelers, caller, stay);
  const phoneNumber = stay.phoneNumber ?? (await profilePhoneNumber(travelers, caller));
  return { guests, specialRequests, phoneNumber, price: { amountMicroUsdc, totalAmount, totalCurrency, rate } };
}

/** Checks this, and that the wallet can pay. */
export async function checkPaidStay(ports: BookStayPorts, request: Omit<BookStayRequest, "callId">): Promise<void> {
  const { price } = await checkStay(ports, request);
  await requireBalance(ports.stores, request.caller, price.amountMicroUsdc);
}

async function prepareBooking(
  ports: BookStayPorts,
  { caller, stay }: BookStayRequest,
  steps: StayBookingSteps,
  random: RandomBytes,
): Promise<PreparedBooking> {
  const { travelers, clock } = ports;
  const { guests, specialRequests, phoneNumber, price } = await checkStay(ports, { caller, stay });
  const itinerarySalt = newSalt(random);
  const bookingId = newId("bkg_", clock.now().epochMilliseconds, random);
  const order: StayBookingRequest = {
    ...stay,
    guests: await Promise.all(guests.map((guest) => toCustomer(travelers, caller, guest))),
    phoneNumber,
    bookingId,
    ...(specialRequests === undefined ? {} : { specialRequests }),
  };
  return {
    intent: {
      kind: "new",
      booking: {
        id: bookingId,
        userId: caller.userId,
        // Excludes what is due at the accommodation.
        ...price,
        airlineCreditId: undefined,
        travelers: await toBooked({ travelers, caller }, stay),
        itinerarySalt,
        contactHashes: hashContact({ email: stay.email, phoneNumber }, itinerarySalt),
      },
    },
    begin: () => steps.order(order),
  };
}

/** The supplier's limit. */
const LONGEST_REQUESTS = 1_000;
const ADULT_AGE = 18;

/**
 * Adds to the wishes the ages of children that the quote counts as adults: suppliers take no ages with a booking, and a search
 * for adults gives each a bed and a price that only the accommodation can change.
 */
function withAges({ guests, specialRequests }: BookStayRequest["stay"], quote: StayQuote): string | undefined {
  const known = [...(quote.childAges ?? [])];
  const ages = guests.flatMap(({ bornOn }) => {
    if (bornOn === undefined) return [];
    const age = Temporal.PlainDate.from(bornOn).until(quote.checkInDate, { largestUnit: "years" }).years;
    const place = known.indexOf(age);
    if (place !== -1) known.splice(place, 1);
    return age < ADULT_AGE && place === -1 ? [age] : [];
  });
  if (ages.length === 0) return specialRequests;
  const children = `Children among the guests, ages at check-in: ${ages.join(", ")}.`;
  return specialRequests === undefined ? children : `${specialRequests}\n${children}`;
}

function problemsWith(stay: BookStayRequest["stay"], quote: StayQuote): Issue[] {
  const issues: Issue[] = [];
  if (stay.guests.length > quote.guests) {
    issues.push({ path: "guests", message: `must name at most ${quote.guests}, the number of guests in the quote` });
  }
  for (const [index, { bornOn = "" }] of stay.guests.entries()) {
    if (bornOn > quote.checkInDate) {
      issues.push({ path: `guests.${index}.bornOn`, message: "must not be after the check-in date" });
    }
  }
  if (stay.loyaltyProgrammeAccountNumber !== undefined && quote.supportedLoyaltyProgramme === null) {
    issues.push({ path: "loyaltyProgrammeAccountNumber", message: "the accommodation has no loyalty programme" });
  }
  return issues;
}

async function requireOwnCustomers(
  travelers: Travelers,
  caller: BookStayRequest["caller"],
  { customerUserIds, guests }: BookStayRequest["stay"],
): Promise<void> {
  for (const customerUserId of new Set(customerUserIds)) {
    if ((await findOwnCustomer(travelers, caller, customerUserId)) === undefined)
      throw customerNotFound(customerUserId);
  }
  for (const id of new Set(guests.flatMap(({ customerUserId }) => customerUserId ?? []))) {
    if ((await findOwnTraveler(travelers, caller, id)) === undefined) throw customerNotFound(id);
  }
}

/** Guests who are users of the tenant are recorded as such: lists and an erasure of a person find the booking. */
async function toBooked(
  ports: { travelers: Travelers; caller: BookStayRequest["caller"] },
  { guests, email }: Pick<BookStayRequest["stay"], "guests" | "email">,
): Promise<BookedTraveler[]> {
  const known = await asUsers(ports, { guests, email });
  return await Promise.all(
    known.map(async ({ userId, bornOn: _, ...guest }) => {
      const { customerUserId, ...named } = await toCustomer(ports.travelers, ports.caller, guest);
      return {
        ...named,
        ...(userId === undefined ? {} : { userId }),
        ...(customerUserId === undefined ? {} : { customerUserId }),
        isCaller: false,
      };
    }),
  );
}

/** The supplier knows customers, not our users. */
async function toCustomer(
  travelers: Travelers,
  { tenantId, environment }: BookStayRequest["caller"],
  { customerUserId, ...guest }: Guest,
): Promise<StayBookingRequest["guests"][number]> {
  if (customerUserId === undefined) return guest;
  const isCustomer = (await travelers.findUserByCustomerId(tenantId, customerUserId, environment)) !== undefined;
  const known = isCustomer ? customerUserId : await travelers.findCustomerUserId(tenantId, customerUserId, environment);
  return known === undefined ? guest : { ...guest, customerUserId: known };
}

async function profilePhoneNumber(travelers: Travelers, caller: BookStayRequest["caller"]): Promise<string> {
  const { tenantId, environment } = caller;
  const travelerId = chooseLead(caller);
  const phoneNumber = (await travelers.get(tenantId, travelerId, environment))?.phoneNumber;
  if (phoneNumber !== undefined && phoneNumber.trim() !== "") return phoneNumber;
  throw new Failure("traveler_incomplete", {
    detail: "The accommodation requires a phone number. Give phoneNumber, or add one to the caller's profile.",
    extra: { travelers: [{ userId: travelerId, fields: ["phoneNumber"] }] },
  });
}
