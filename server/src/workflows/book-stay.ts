import { z } from "zod";
import { parseDecimal } from "../domain/money.ts";
import { Email, IsoDate, PhoneNumber } from "../domain/schemas.ts";
import { defineWorkflow, StepFailure } from "../kernel/contracts/workflow.ts";
import type { ToolMap } from "../modules/index.ts";
import {
  Approval,
  chooseByVerdict,
  chooseWithinPolicy,
  describeSettled,
  guestClaim,
  type Means,
  Retry,
  reserveAndBook,
  unless,
  waitForClaim,
} from "./booking-parts.ts";
import { costInUsdc, payable, warnOfExpiry } from "./budget.ts";
import { itineraryStep, MailItinerary, mailItinerary } from "./mail-itinerary.ts";
import { AcceptOverlap, Overlaps, overlapStep } from "./overlaps.ts";
import { type Answer, type Args, earlierAnswers, required, type Steps } from "./tools.ts";
import { totalCost, undoOrder } from "./undo-order.ts";
import { readTravelers, travelerProfile } from "./who-travels.ts";

const Guest = z.strictObject({ givenName: z.string(), familyName: z.string() });

const Fields = z.strictObject({
  tripId: z.string().describe("From prefund_trip; must be funded"),
  location: z.string().min(1).max(200).describe("City, neighborhood, sight or airport code"),
  checkInDate: IsoDate,
  checkOutDate: IsoDate,
  guests: z.int().min(1).max(9).default(1),
  rooms: z.int().min(1).max(9).default(1),
  refundableOnly: z.boolean().default(false).describe("Only rates that are fully refundable until some date"),
  email: Email.describe("Email address for the accommodation's messages"),
  phoneNumber: PhoneNumber.optional().describe(
    "E.164; default: from the profile of the first guest, or else of the run's own traveler",
  ),
  guestNames: z
    .array(Guest)
    .min(1)
    .max(9)
    .optional()
    .describe(
      "Everyone who stays. Default, without customerUserIds: the guest who claimed stays if the trip was prefunded with guestName or guestEmail, and a pause asks for everyone else",
    ),
  customerUserIds: z
    .array(z.string())
    .min(1)
    .max(9)
    .optional()
    .describe("icu_… from ensure_flight_customer: everyone who stays, instead of guestNames"),
  policyId: z.string().default("default-corp"),
  acceptOverlap: AcceptOverlap,
  mailItinerary: MailItinerary,
});
const Input = Fields.superRefine(({ guestNames, customerUserIds, guests }, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", path: ["customerUserIds"], message });
  if (customerUserIds === undefined) return;
  if (guestNames !== undefined) say("must be omitted if guestNames says who stays");
  if (customerUserIds.length > guests) say(`must name at most ${guests}, the number of guests`);
});
type Stay = z.output<typeof Input>;
interface NamedGuest extends z.infer<typeof Guest> {
  customerUserId?: string;
}
type Guests = NamedGuest[];

const Guests = z.object({
  status: z.enum(["given", "cancelled"]),
  guests: z
    .array(Guest)
    .max(9)
    .default([])
    .describe("At most the number of guests; at least one, unless the trip's guest stays"),
});

const Place = z.object({
  status: z.enum(["confirmed", "changed", "cancelled"]),
  location: z.string().min(1).max(200).optional().describe("With changed: the place to search instead, or coordinates"),
});

type Found = Answer<"search_hotels">;
type Rate = Found["accommodations"][number]["rates"][number];

const GONE: ReadonlySet<string> = new Set([
  ...["rate_not_found", "rate_unavailable", "price_changed"],
  ...["quote_not_found", "quote_expired"],
]);
const GUESTS_HOURS = 72;
const PLACE_HOURS = 72;
const NO_RATE_LEFT = {
  step: "rate_gone",
  reason: "No rate within the policy and the reserved amount could be booked.",
  code: "no_rate_left",
  detail: "No rate could be booked, and nobody requested another search.",
};

export const bookStay = defineWorkflow<typeof Input, ToolMap>({
  id: "service.book_stay",
  version: 7,
  description:
    "Books a hotel for a prefunded trip: the guest claims the trip and stays if the trip was prefunded with guestName or guestEmail, unless the input names who stays, the policy or a person lets the rate through, the escrow covers it, and it is settled with the accommodation's confirmation. What fails is undone, and what was reserved is back in the trip's budget, so that the same trip can be run again. If a guest already has a stay for one of the nights, the run asks before it buys.",
  input: Input,
  earlierAnswers,
  steps: [
    { id: "read_trip", description: "The trip is funded." },
    guestClaim,
    {
      id: "guests",
      description: "The guests, if the input does not name them.",
      resolvedBy: "caller",
      resolution: Guests,
    },
    { id: "read_trip_travelers", description: "The trip's guest, or the people named in customerUserIds." },
    travelerProfile,
    { id: "search_hotels", description: "Hotels at the place and dates." },
    {
      id: "place",
      description: "Whether the place is the one meant, if only part of it was found or its name has other meanings.",
      resolvedBy: "caller",
      resolution: Place,
    },
    { id: "check_policy", description: "The policy judges the rates in order." },
    { id: "quote_stay", description: "The accommodation's binding price." },
    { id: "preview_call", description: "The policy judges the booking of a quote by everything known about it." },
    overlapStep,
    {
      id: "approval",
      description: "A person approves a rate that the policy does not allow.",
      resolvedBy: "person",
      resolution: Approval,
    },
    { id: "reserve_booking", description: "The escrow reserves an upper bound of the price." },
    { id: "book_stay", description: "The quote is booked and paid." },
    {
      id: NO_RATE_LEFT.step,
      description: "Whether to search again if no rate could be booked.",
      resolvedBy: "caller",
      resolution: Retry,
    },
    { id: "commit_booking", description: "The escrow commits the price that was paid." },
    { id: "confirm_stay", description: "The accommodation's confirmation is recorded in escrow." },
    { id: "settle_booking", description: "The escrow pays." },
    itineraryStep,
  ],
  searches: (stay) => ({ tool: "search_hotels", args: toQuery(stay) }),
  async run(stay, steps) {
    const { call, keep, isSince } = steps;
    const { freeUsdc, expiresAt } = await waitForClaim(steps, stay.tripId);
    const guests =
      stay.guestNames ?? (isSince(GUEST_STAYS) ? await findGuests(steps, stay) : await askForGuests(steps, stay));
    if (guests.length === 0 || guests.length > stay.guests) {
      throw new StepFailure(
        "guests_mismatch",
        `Only ${guests.length} of ${stay.guests} guests are named. Start it again.`,
      );
    }
    const { email, phoneNumber, policyId } = stay;
    const judgedBy = isSince(JUDGED_BY_BOOKING) ? { policyId } : {};
    const contact = phoneNumber === undefined ? { email } : { email, phoneNumber };
    const overlaps = isSince(OVERLAP_ASKED) ? new Overlaps(steps, { isAccepted: stay.acceptOverlap }) : undefined;
    let quoted: Answer<"quote_stay"> | undefined;
    const search = isSince(PLACE_ASKED) ? searchConfirmed(steps, stay) : () => call("search_hotels", toQuery(stay));
    const budget = {
      tripId: stay.tripId,
      freeUsdc: isSince(COVERED) ? freeUsdc : undefined,
      isReturned: isSince(RETURNED),
      isWithinBudget: isSince(OVERLAP_ASKED),
    };
    const { bookingId, booked } = await reserveAndBook(steps, budget, {
      async choose(means) {
        quoted = await unless(GONE, () =>
          quoteChosen(steps, stay, { means, search, booking: { guests, ...contact }, overlaps }),
        );
        return quoted;
      },
      booking: ({ id: quoteId }) => ({ tool: "book_stay", args: { quoteId, guests, ...contact } }),
      book: ({ id: quoteId }, cover) =>
        unless(GONE, () => call("book_stay", { quoteId, guests, ...contact }, { ...judgedBy, cover })),
      gone: NO_RATE_LEFT,
    });
    undoOrder(steps, booked);
    const itineraryHash = required(booked.itineraryHash, "itineraryHash");
    const ticketOrderHash = required(booked.ticketOrderHash, "ticketOrderHash");
    await call("commit_booking", {
      bookingId,
      vendorAmountUsdc: totalCost(booked),
      vendorAddress: steps.run.collectionAddress,
      itineraryHash,
    });
    await call("confirm_flight", { bookingId, ticketOrderHash }, { step: "confirm_stay" });
    // The accommodation expects the guests, and the escrow has it on record: from here on the booking stands.
    keep();
    const settled = await call("settle_booking", { bookingId });
    const { orderId, reference, accommodationName, totalAmount, totalCurrency } = booked;
    return {
      tripId: stay.tripId,
      bookingId,
      orderId,
      reference,
      accommodationName,
      totalAmount,
      totalCurrency,
      accommodationAddress: quoted?.accommodation?.address ?? null,
      cancellationPolicy: describePolicy(booked.cancellationPolicy),
      fullRefundUntil: fullRefundUntil(booked),
      travelers: booked.travelers,
      warnings: warnOfExpiry(expiresAt, stay.checkOutDate),
      ...describeSettled(settled),
      ...(await mailItinerary(steps, orderId, stay.mailItinerary)),
    };
  },
});

/** Undefined in bookings of early releases. */
function describePolicy(policy: Answer<"book_stay">["cancellationPolicy"] | undefined) {
  if (policy === undefined) return undefined;
  const { refundable, timeline } = policy;
  return { refundable, timeline: timeline.map(({ before, refundAmount }) => ({ before, refundAmount })) };
}

/** Null if there is none, or it is unknown. */
function fullRefundUntil({ cancellationPolicy, totalAmount }: Answer<"book_stay">): string | null {
  const inFull = cancellationPolicy?.timeline.findLast(
    ({ refundAmount }) => parseDecimal(refundAmount) === parseDecimal(totalAmount),
  );
  return inFull?.before ?? null;
}

/** The guest of the trip first, with those that a pause names; the pause asks for guests if neither the input nor the trip names them. */
async function findGuests(steps: Steps, stay: Stay): Promise<Guests> {
  const { tripId, customerUserIds = [] } = stay;
  const party = { tripId, passengers: Math.max(customerUserIds.length, 1), customerUserIds };
  const { travelers } = await readTravelers(steps, party, (traveler, index) => {
    if (!isMeant(traveler)) return [];
    const needsPhone = index === 0 && stay.phoneNumber === undefined;
    const needed = ["givenName", "familyName", ...(needsPhone ? ["phoneNumber"] : [])];
    return traveler.missingForFlights.filter((field) => needed.includes(field));
  });
  const named = travelers.filter(isMeant).flatMap(({ givenName, familyName, customerUserId }) => {
    if (givenName === null || familyName === null) return [];
    return [{ givenName, familyName, ...(customerUserId === null ? {} : { customerUserId }) }];
  });
  const isKnown = named.length === travelers.length;
  if (isKnown && (customerUserIds.length > 0 || stay.guests === 1)) return named;
  const others = await askForGuests(steps, stay, isKnown);
  return isKnown && others.length < stay.guests ? [...named, ...others] : others;
}

/** The run's own user stays only if named. */
const isMeant = ({ isGuest, customerUserId }: { isGuest: boolean; customerUserId: string | null }) =>
  isGuest || customerUserId !== null;

/** `besideGuest`: the guest of the trip stays, and the pause asks for the others. */
async function askForGuests({ pause }: Steps, { guests: count }: Stay, besideGuest = false): Promise<Guests> {
  const whom = besideGuest
    ? "Say who stays in addition to the trip's guest, or name everyone who stays"
    : "Say who stays";
  const { status, guests } = await pause({
    step: "guests",
    reason: `The stay is for ${count === 1 ? "one guest" : `${count} guests`}. ${whom}, with names as in their passports.`,
    resolution: Guests,
    by: "caller",
    timeoutHours: GUESTS_HOURS,
    onTimeout: { status: "cancelled" },
    needsOpenTrip: true,
  });
  if (status === "cancelled") throw new StepFailure("guests_missing", "Nobody said who stays.");
  return guests;
}

/** From this version on the run's policy judges the booking itself. */
const JUDGED_BY_BOOKING = 2;
/** From this version on the guest of a trip stays. */
const GUEST_STAYS = 3;
/** From this version on the reservation pays for the stay, and the wallet is not charged until the settlement. */
const COVERED = 3;
/** From this version on a failed run's reservation goes back to the trip. */
const RETURNED = 4;
/** From this version on a place that was found in part, or has other meanings, is asked about before anything is booked. */
const PLACE_ASKED = 6;

/**
 * From this version on a run asks before it buys for nights for which a guest already has a stay, and asks nobody about a rate
 * that the trip cannot pay for.
 */
const OVERLAP_ASKED = 7;

interface Wanted {
  means: Means;
  search(): Promise<Found>;
  /** The booking's arguments besides the quote. */
  booking: Omit<Args<"book_stay">, "quoteId">;
  overlaps: Overlaps | undefined;
}

/** Undefined if nothing was found within the reserved amount, or the accommodation asks more than was judged. */
async function quoteChosen(
  steps: Steps,
  stay: Stay,
  { means: { bound, most, cover }, search, booking, overlaps }: Wanted,
) {
  const fitting = findRates(await search(), stay, { bound, most });
  if (fitting.length === 0) return undefined;
  const { policyId, checkInDate, checkOutDate, guests, rooms } = stay;
  const candidates = fitting.map(({ place, rate }) => ({
    choice: rate,
    shown: { ...place, rate: shownRate(rate), checkInDate, checkOutDate, guests, rooms },
    offer: {
      kind: "hotel" as const,
      priceUsd: Number(costInUsdc(rate)),
      // The policy limits the price of one room.
      pricePerNightUsd: perNightUsd(rate, stay),
      supplierId: place.id,
    },
    async prepare() {
      const quote = await quoteRate(steps, rate);
      if (quote === undefined) return undefined;
      return { bookable: quote, booking: { tool: "book_stay", args: { quoteId: quote.id, ...booking } } };
    },
  }));
  if (steps.isSince(JUDGED_BY_BOOKING))
    return await chooseWithinPolicy(steps, policyId, candidates, { isReserved: bound !== undefined, cover, overlaps });
  return await quoteRate(steps, await chooseByVerdict(steps, policyId, candidates));
}

/** A rate as shown to an approver. */
function shownRate(rate: Rate) {
  const { id, totalAmount, totalUsdc, perNightAmount, totalCurrency, boardType, roomName, fullRefundUntil } = rate;
  return { id, totalAmount, totalUsdc, perNightAmount, totalCurrency, boardType, roomName, fullRefundUntil };
}

async function quoteRate({ call }: Steps, rate: Rate) {
  const quote = await call("quote_stay", { rateId: rate.id });
  return Number(quote.totalAmount) > Number(rate.totalAmount) ? undefined : quote;
}

const toQuery = ({ location, checkInDate, checkOutDate, guests, rooms }: Stay) => ({
  location,
  checkInDate,
  checkOutDate,
  guests,
  rooms,
});

/** A search that goes on only at a place that is certain or was confirmed. */
function searchConfirmed({ call, pause }: Steps, stay: Stay): () => Promise<Found> {
  let asked = stay.location;
  let confirmed: string | undefined;
  return async () => {
    for (;;) {
      const found = await call("search_hotels", { ...toQuery(stay), location: asked });
      const doubt = doubtOfPlace(asked, found.location);
      if (doubt === undefined || asked === confirmed) return found;
      const { latitude, longitude, label, otherPlaces } = found.location;
      const { status, location } = await pause({
        step: "place",
        reason: doubt,
        resolution: Place,
        by: "caller",
        shown: { label, latitude, longitude, otherPlaces },
        timeoutHours: PLACE_HOURS,
        onTimeout: { status: "cancelled" },
        needsOpenTrip: true,
      });
      if (status === "cancelled") throw new StepFailure("place_not_confirmed", "Nobody said which place is meant.");
      if (status === "changed" && location !== undefined) asked = location;
      else confirmed = asked;
    }
  };
}

/** The question before a hotel there is booked. Undefined: the place is certain. */
function doubtOfPlace(asked: string, { label, unknownPart, otherPlaces }: Found["location"]): string | undefined {
  const how = `Confirm ${label}, or answer with changed and another location, such as coordinates.`;
  if (unknownPart !== null) return `"${unknownPart}" was not found, so the hotels are those around ${label}. ${how}`;
  if (otherPlaces.length === 0) return undefined;
  return `"${asked}" was taken as ${label}. It could also be ${otherPlaces.join("; ")}. ${how}`;
}

function findRates({ accommodations }: Found, { refundableOnly }: Stay, means: Pick<Means, "bound" | "most">) {
  // The cheapest fitting rate of each place, as rates are ordered by price.
  const fitting = accommodations.flatMap(({ id, name, rates }) => {
    const rate = rates.find((one) => !refundableOnly || one.fullRefundUntil !== null);
    return rate === undefined ? [] : [{ place: { id, name }, rate }];
  });
  return payable(fitting, ({ rate }) => costInUsdc(rate), means);
}

/** For one room, in whole cents. */
function perNightUsd(rate: Rate, { rooms, checkInDate, checkOutDate }: Stay): number {
  const nights = Temporal.PlainDate.from(checkInDate).until(checkOutDate).days;
  return Math.round((Number(costInUsdc(rate)) * 100) / nights / rooms) / 100;
}
