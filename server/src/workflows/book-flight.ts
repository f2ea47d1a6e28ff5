import { z } from "zod";
import { CabinClass, IsoDate } from "../domain/schemas.ts";
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
import { costInUsdc, micro, payable, warnOfExpiry } from "./budget.ts";
import { betterFares, FareWishes, type Offer, sayCheapestWished, wishedFares } from "./fare-wishes.ts";
import { itineraryStep, MailItinerary, mailItinerary } from "./mail-itinerary.ts";
import { AcceptOverlap, Overlaps, overlapStep } from "./overlaps.ts";
import { type Answer, type Args, earlierAnswers, required, type Steps } from "./tools.ts";
import { totalCost, undoOrder } from "./undo-order.ts";
import { readTravelers, travelerProfile } from "./who-travels.ts";

const Fields = z.strictObject({
  tripId: z.string().describe("From prefund_trip; must be funded"),
  origin: z.string().length(3).describe("IATA code"),
  destination: z.string().length(3).describe("IATA code"),
  departureDate: IsoDate,
  returnDate: IsoDate.optional(),
  passengers: z.int().min(1).max(9).default(1),
  cabinClass: CabinClass.default("economy"),
  customerUserIds: z
    .array(z.string())
    .max(9)
    .optional()
    .describe(
      "icu_… from ensure_flight_customer: everyone who travels, as many as passengers. Default: the guest who claimed travels first if the trip was prefunded with guestName or guestEmail, otherwise the run's own user",
    ),
  policyId: z
    .string()
    .default("default-corp")
    .describe("Judges the price, and whether the fare must be refundable or changeable"),
  fare: FareWishes.optional(),
  acceptOverlap: AcceptOverlap,
  mailItinerary: MailItinerary,
});
const Input = Fields.superRefine(({ customerUserIds, passengers }, context) => {
  if (customerUserIds === undefined || customerUserIds.length === passengers) return;
  const message = `must name everyone who travels: as many as passengers, which is ${passengers}`;
  context.addIssue({ code: "custom", path: ["customerUserIds"], message });
});
type Trip = z.output<typeof Input>;

const Travelers = z.object({
  status: z.enum(["given", "cancelled"]),
  customerUserIds: z
    .array(z.string())
    .max(9)
    .default([])
    .describe("userId from list_travelers, or icu_…, for all passengers but the first, or for all"),
});
const Ticketing = z.object({ status: z.enum(["ticketed", "failed"]) });

type Segment = Answer<"book_flight">["slices"][number]["segments"][number];

const GONE: ReadonlySet<string> = new Set(["offer_expired", "offer_not_found", "price_changed", "hold_not_available"]);
const NOT_HELD = "hold_not_available";
/** For a hold that was paid and undone since, or that has lapsed. */
const GIVEN_BACK: ReadonlySet<string> = new Set(["already_cancelled", "order_not_found", "order_not_cancellable"]);
const NO_OFFER_LEFT = {
  step: "offer_gone",
  reason: "No offer within the policy and the reserved amount could be booked.",
  code: "no_offer_left",
  detail: "No offer could be booked, and nobody requested another search.",
};
const NO_FARE_AS_WISHED =
  "No offer has a fare that meets the run's input. Nothing was booked; run it again with other requirements or another date.";
const TRAVELER_HOURS = 72;
const TICKETING_HOURS = 72;

export const bookFlight = defineWorkflow<typeof Input, ToolMap>({
  id: "service.book_flight",
  version: 8,
  description:
    "Books a flight for a prefunded trip: the guest claims the trip and travels if the trip was prefunded with guestName or guestEmail (otherwise the run's own user does, and customerUserIds names others), the policy or a person lets the offer through, the escrow covers it, and it is settled once its tickets are issued. What fails is undone, and what was reserved is back in the trip's budget, so that the same trip can be run again. It buys the best offer of search_flights without asking, mostly at the cheapest fare, which often cannot be refunded or changed. With fare it buys only fares that can be refunded or changed, that have checked bags, or that cost no more than the given price; where none does, nothing is booked. The policy of policyId can require the same (a fare that it refuses gives way to the cheapest fare of the same flights that it lets through), and the trip's budget bounds the price. For a fare of your choice use book_flight instead. If a traveler already has an order for the same time, the run asks before it buys. The result says until when it can be refunded or changed.",
  input: Input,
  earlierAnswers,
  steps: [
    { id: "read_trip", description: "The trip is funded." },
    guestClaim,
    {
      id: "travelers",
      description: "The travelers, if there are several passengers.",
      resolvedBy: "caller",
      resolution: Travelers,
    },
    { id: "read_trip_travelers", description: "Who travels, and whether their profiles are complete." },
    travelerProfile,
    { id: "search_flights", description: "Offers for the route and dates." },
    { id: "check_policy", description: "The policy judges the offers in order." },
    { id: "preview_call", description: "The policy judges the booking of an offer by everything known about it." },
    overlapStep,
    {
      id: "hold_flight",
      description:
        "Before a person is asked, the offer is held with the airline if possible. An unpaid hold is cancelled.",
    },
    {
      id: "approval",
      description:
        "A person approves an offer that the policy does not allow: shown has its price, its conditions and the entry requirements for the travelers.",
      resolvedBy: "person",
      resolution: Approval,
    },
    { id: "reserve_booking", description: "The escrow reserves an upper bound of the price." },
    { id: "book_flight", description: "The offer is held, paid and booked." },
    {
      id: NO_OFFER_LEFT.step,
      description: "Whether to search again if no offer could be booked.",
      resolvedBy: "caller",
      resolution: Retry,
    },
    { id: "commit_booking", description: "The escrow commits the price that was paid." },
    {
      id: "ticketing",
      description: "The airline issues the tickets.",
      resolvedBy: "service",
      resolution: Ticketing,
    },
    { id: "confirm_ticketing", description: "The tickets are recorded in escrow." },
    { id: "settle_booking", description: "The escrow pays." },
    { id: "generate_booking_invoice", description: "The booking is invoiced." },
    itineraryStep,
  ],
  searches: (trip) => ({ tool: "search_flights", args: toQuery(trip), airports: ["origin", "destination"] }),
  async run(trip, steps) {
    const { call, keep } = steps;
    const { freeUsdc, expiresAt } = await waitForClaim(steps, trip.tripId);
    const additionalCustomerUserIds = steps.isSince(GUEST_TRAVELS)
      ? await findTravelers(steps, trip)
      : await askForTravelers(steps, trip);
    const zones = new Map<string, string>();
    const overlaps = steps.isSince(OVERLAP_ASKED) ? new Overlaps(steps, { isAccepted: trip.acceptOverlap }) : undefined;
    let warnings: readonly string[] = [];
    const warn = (some: readonly string[]) => {
      warnings = some;
    };
    const budget = {
      tripId: trip.tripId,
      freeUsdc: steps.isSince(COVERED) ? freeUsdc : undefined,
      isReturned: steps.isSince(RETURNED),
      isWithinBudget: steps.isSince(OVERLAP_ASKED),
    };
    const { bookingId, booked } = await reserveAndBook(steps, budget, {
      choose: (means) => chooseOffer(steps, trip, { additionalCustomerUserIds, means, zones, warn, overlaps }),
      booking: (offer) => toBooking(offer, additionalCustomerUserIds),
      book: (offer, cover) =>
        unless(GONE, () =>
          call("book_flight", toBooking(offer, additionalCustomerUserIds).args, { ...judgedBy(steps, trip), cover }),
        ),
      gone: NO_OFFER_LEFT,
    });
    undoOrder(steps, booked);
    await call("commit_booking", {
      bookingId,
      vendorAmountUsdc: totalCost(booked),
      vendorAddress: steps.run.collectionAddress,
      itineraryHash: required(booked.itineraryHash, "itineraryHash"),
    });
    if (booked.ticketing === "pending") await waitForTickets(steps, booked.orderId);
    const order = await call("read_order", { orderId: booked.orderId });
    const ticketOrderHash = required(order.ticketOrderHash, "ticketOrderHash");
    await call("confirm_flight", { bookingId, ticketOrderHash }, { step: "confirm_ticketing" });
    // Tickets are issued and confirmed: from here on the booking stands.
    keep();
    const settled = await call("settle_booking", { bookingId });
    const { orderId, pnr, totalAmount, totalCurrency, conditions, refundableUntil, changeableUntil } = booked;
    return {
      travelers: booked.travelers,
      tripId: trip.tripId,
      bookingId,
      orderId,
      pnr,
      totalAmount,
      totalCurrency,
      conditions,
      refundableUntil,
      changeableUntil,
      warnings: [...warnings, ...warnOfExpiry(expiresAt, trip.returnDate ?? trip.departureDate)],
      flights: booked.slices.flatMap(({ segments }) => segments.map((flight) => withZones(flight, zones))),
      ...describeSettled(settled),
      ...(await invoice(steps, bookingId)),
      ...(await mailItinerary(steps, orderId, trip.mailItinerary)),
    };
  },
});

/** Times are local at the airports. */
function withZones(
  { flightNumber, origin, destination, departingAt, arrivingAt }: Segment,
  zones: ReadonlyMap<string, string>,
) {
  const [departureTimeZone, arrivalTimeZone] = [origin, destination].map((at) => zones.get(at) ?? null);
  return { flightNumber, origin, destination, departingAt, arrivingAt, departureTimeZone, arrivalTimeZone };
}

/** A paid and ticketed booking stands without its invoice, which can be requested again. */
async function invoice({ call, isSince }: Steps, bookingId: string) {
  if (!isSince(2)) return {};
  try {
    const { invoiceNumber, pdfUrl, jsonUrl, totalUsdc } = await call("generate_booking_invoice", { bookingId });
    return { invoice: { invoiceNumber, pdfUrl, jsonUrl, totalUsdc }, invoiceFailure: null };
  } catch (error) {
    if (error instanceof StepFailure) return { invoice: null, invoiceFailure: error.code };
    throw error;
  }
}

/** The customer user ids of all travelers, or of all but the first. */
async function findTravelers(steps: Steps, trip: Trip): Promise<string[]> {
  const { tripId, passengers } = trip;
  for (;;) {
    const customerUserIds = trip.customerUserIds ?? (await askForTravelers(steps, trip));
    const party = { tripId, passengers, customerUserIds };
    const { missingTravelers } = await readTravelers(steps, party, ({ missingForFlights }) => missingForFlights);
    if (missingTravelers === 0) return customerUserIds;
  }
}

async function askForTravelers({ pause, isSince }: Steps, { passengers }: Trip): Promise<string[]> {
  if (passengers === 1) return [];
  const first = isSince(GUEST_TRAVELS)
    ? "the guest if the trip was prefunded with guestName or guestEmail, otherwise the run's own user"
    : "the run's own traveler";
  const { status, customerUserIds } = await pause({
    step: "travelers",
    reason: `The flight is for ${passengers} passengers. Name the user ids or customer user ids of all passengers, or of all but the first, who is ${first}.`,
    resolution: Travelers,
    by: "caller",
    timeoutHours: TRAVELER_HOURS,
    onTimeout: { status: "cancelled" },
    needsOpenTrip: true,
  });
  if (status === "cancelled") throw new StepFailure("travelers_missing", "Nobody named the travelers.");
  return customerUserIds;
}

const toQuery = ({ origin, destination, departureDate, returnDate, passengers, cabinClass }: Trip) => {
  const route = { origin, destination, departureDate, passengers, cabinClass };
  return returnDate === undefined ? route : { ...route, returnDate };
};

/** Undefined if nothing was found within the reserved amount. */
async function chooseOffer(
  steps: Steps,
  trip: Trip,
  {
    additionalCustomerUserIds,
    means: { bound, most, cover },
    zones,
    warn,
    overlaps,
  }: {
    additionalCustomerUserIds: string[];
    means: Means;
    zones: Map<string, string>;
    warn: (warnings: readonly string[]) => void;
    overlaps: Overlaps | undefined;
  },
): Promise<Offer | undefined> {
  const { policyId } = trip;
  const { offers, timeZones } = await steps.call("search_flights", toQuery(trip));
  for (const [airport, timeZone] of Object.entries(timeZones)) zones.set(airport, timeZone);
  const isWithin = (offer: Offer) => most === undefined || micro(costInUsdc(offer)) <= micro(most);
  const toCandidate = ({ offer, terms }: { offer: Offer; terms?: object }) => ({
    choice: offer,
    shown: { ...shownOffer(offer), ...terms },
    offer: {
      kind: "flight" as const,
      priceUsd: Number(costInUsdc(offer)),
      carrierIata: offer.slices[0]?.segments[0]?.carrier ?? "",
      durationHours: Math.max(...offer.slices.map(({ durationMinutes }) => durationMinutes)) / 60,
      cabin: trip.cabinClass,
    },
    prepare: async () => ({ bookable: offer, booking: toBooking(offer, additionalCustomerUserIds) }),
    hold: steps.isSince(COVERED)
      ? () => holdOffer(steps, toBooking(offer, additionalCustomerUserIds).args, overlaps)
      : undefined,
  });
  const wished = trip.fare === undefined ? undefined : offers.flatMap(wishedFares(trip.fare));
  if (wished?.length === 0) {
    throw new StepFailure("no_fare_as_wished", [NO_FARE_AS_WISHED, ...sayCheapestWished(trip.fare, offers)].join(" "));
  }
  const asFound = () =>
    offers.map(({ fares, ...offer }) => ({
      ...toCandidate({ offer }),
      alternatives: steps.isSince(WITH_FARES)
        ? betterFares({ fares, ...offer })
            .filter((fare) => isWithin(fare.offer))
            .map(toCandidate)
        : [],
    }));
  const candidates = wished?.map((fare) => ({ ...toCandidate(fare), alternatives: [] })) ?? asFound();
  const within = payable(candidates, ({ choice }) => costInUsdc(choice), { bound, most });
  if (within.length === 0) return undefined;
  return steps.isSince(JUDGED_BY_BOOKING)
    ? await chooseWithinPolicy(steps, policyId, within, { isReserved: bound !== undefined, cover, warn, overlaps })
    : await chooseByVerdict(steps, policyId, within);
}

/**
 * The airline holds the offer during the decision, at no cost. If it does not, the approval also covers the same
 * flights and fare found again. False if the offer is gone.
 */
async function holdOffer(
  { call, undo }: Steps,
  args: Args<"hold_flight">,
  overlaps: Overlaps | undefined,
): Promise<boolean> {
  try {
    const { orderId } = await call("hold_flight", args);
    overlaps?.ignore(orderId);
    undo(() => unless(GIVEN_BACK, () => giveBack(call, orderId)));
    return true;
  } catch (error) {
    if (!(error instanceof StepFailure) || (error.code !== NOT_HELD && !GONE.has(error.code))) throw error;
    return error.code === NOT_HELD;
  }
}

async function giveBack(call: Steps["call"], orderId: string): Promise<undefined> {
  const { cancellationId } = await call("cancel_order_quote", { orderId });
  await call("confirm_cancel_order", { cancellationId });
  return undefined;
}

/** An offer as shown to an approver; times are local. */
function shownOffer({ id, totalAmount, totalUsdc, totalCurrency, fareName, conditions, slices }: Offer) {
  const shownSlices = slices.map(({ durationMinutes, segments }) => ({
    durationMinutes,
    segments: segments.map(({ carrier, flightNumber, origin, destination, departingAt, arrivingAt }) => {
      return { carrier, flightNumber, origin, destination, departingAt, arrivingAt };
    }),
  }));
  return { id, totalAmount, totalUsdc, totalCurrency, fareName, conditions, slices: shownSlices };
}

const toBooking = ({ id: offerId }: Offer, additionalCustomerUserIds: string[]) => ({
  tool: "book_flight",
  args: { offerId, additionalCustomerUserIds },
});

/** From these versions on the run's policy judges the booking itself, and other fares of the same flights are tried. */
const JUDGED_BY_BOOKING = 3;
const WITH_FARES = 4;
/** From this version on the guest of a trip travels, and profiles are completed before the search. */
const GUEST_TRAVELS = 5;
/** From this version on the reservation pays for the order, and the wallet is not charged until the settlement. */
const COVERED = 5;
/** From this version on a failed run's reservation goes back to the trip. */
const RETURNED = 6;
/**
 * From this version on a run asks before it buys for a time for which a traveler already has an order, and asks nobody about an
 * offer that the trip cannot pay for.
 */
const OVERLAP_ASKED = 8;
const judgedBy = ({ isSince }: Steps, { policyId }: Trip) => (isSince(JUDGED_BY_BOOKING) ? { policyId } : {});

async function waitForTickets({ pause }: Steps, orderId: string): Promise<void> {
  const { status } = await pause({
    step: "ticketing",
    reason: "The airline has not issued the tickets yet.",
    resolution: Ticketing,
    by: "service",
    shown: { orderId },
    event: { name: "order_ticketing", subject: orderId },
    timeoutHours: TICKETING_HOURS,
    onTimeout: { status: "failed" },
  });
  if (status === "failed") throw new StepFailure("ticketing_failed", "The airline did not issue the tickets.");
}
