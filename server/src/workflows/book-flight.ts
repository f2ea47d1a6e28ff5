import { z } from "zod";
import { formatDecimal, parseDecimal } from "../domain/money.ts";
import { CabinClass, IsoDate } from "../domain/schemas.ts";
import { defineWorkflow, StepFailure, type Steps } from "../kernel/workflow.ts";
import {
  Approval,
  chooseByVerdict,
  chooseWithinPolicy,
  FlightOffer,
  guestClaim,
  type Means,
  Retry,
  reserveAndBook,
  Settled,
  sayLeft,
  unless,
  usdcOf,
  waitForClaim,
} from "./booking-parts.ts";
import { costOf, undoOrder } from "./undo-order.ts";
import { readTravelers, TravelerNames, travelerProfile } from "./who-travels.ts";

const Fields = z.strictObject({
  tripId: z.string().describe("Of prefund_trip, funded"),
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
      "icu_… of ensure_flight_customer: all who travel, as many as passengers. Left out: the guest who claimed travels first if the trip was prefunded with guestName or guestEmail, otherwise the run's own user",
    ),
  policyId: z
    .string()
    .default("default-corp")
    .describe("Decides on the price, and on whether the fare must be refundable or changeable"),
});
const Input = Fields.superRefine(({ customerUserIds, passengers }, context) => {
  if (customerUserIds === undefined || customerUserIds.length === passengers) return;
  const message = `must name all who travel: as many as passengers, which is ${passengers}`;
  context.addIssue({ code: "custom", path: ["customerUserIds"], message });
});
type Trip = z.output<typeof Input>;

const Travelers = z.object({
  status: z.enum(["given", "cancelled"]),
  customerUserIds: z
    .array(z.string())
    .max(9)
    .default([])
    .describe("icu_… of ensure_flight_customer, for all passengers but the first, or for all"),
});
const Ticketing = z.object({ status: z.enum(["ticketed", "failed"]) });

const Fare = z.object({
  ...{ id: z.string(), name: z.string().nullable(), totalAmount: z.string(), cabinClass: z.string().optional() },
  ...{ refundable: z.boolean().nullable(), refundPenaltyAmount: z.string().nullish() },
  ...{ changeable: z.boolean().nullable(), changePenaltyAmount: z.string().nullish() },
});
const Found = z.object({
  offers: z.array(FlightOffer.extend({ fares: z.array(Fare).default([]) })),
  timeZones: z.record(z.string(), z.string()).default({}),
});
type FoundOffer = z.infer<typeof Found>["offers"][number];
const Flight = z.object({
  ...{ flightNumber: z.string(), origin: z.string(), destination: z.string() },
  ...{ departingAt: z.string(), arrivingAt: z.string() },
});
const Booked = z.object({
  orderId: z.string(),
  pnr: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  chargedUsdc: z.string(),
  coveredUsdc: z.string().default("0"),
  itineraryHash: z.string(),
  ticketing: z.enum(["pending", "ticketed"]),
  conditions: z.unknown().optional(),
  ...{ refundableUntil: z.string().nullish(), changeableUntil: z.string().nullish() },
  slices: z.array(z.object({ segments: z.array(Flight).default([]) })).default([]),
  travelers: TravelerNames,
});
const Order = z.object({ ticketOrderHash: z.string() });
const Invoiced = z.object({
  invoiceNumber: z.string(),
  pdfUrl: z.string(),
  jsonUrl: z.string(),
  totalUsdc: z.string(),
});

const GONE: ReadonlySet<string> = new Set(["offer_expired", "offer_not_found", "price_changed", "hold_not_available"]);
const NOT_HELD = "hold_not_available";
/** Of a hold that was paid for and undone since, or that has lapsed. */
const GIVEN_BACK: ReadonlySet<string> = new Set(["already_cancelled", "order_not_found", "order_not_cancellable"]);
const Held = z.object({ orderId: z.string() });
const NO_OFFER_LEFT = {
  step: "offer_gone",
  reason: "No offer within the policy and the reserved amount could be booked.",
  code: "no_offer_left",
  detail: "No offer could be booked, and nobody asked for another search.",
};
const TRAVELER_HOURS = 72;
const TICKETING_HOURS = 72;

export const bookFlight = defineWorkflow({
  id: "service.book_flight",
  version: 6,
  description:
    "Books a flight for a prefunded trip: the guest claims the trip and travels if the trip was prefunded with guestName or guestEmail (otherwise the run's own user does, and customerUserIds names others), the policy or a person lets the offer through, the escrow covers it, and it is settled once its tickets are issued. What fails is undone, and what was reserved is back in the trip's budget, so that the same trip can be run again. It buys the best offer of search_flights without asking, mostly at the cheapest fare, which often cannot be refunded or changed. The input has no wish for other terms or for a most price: the policy of policyId has them (a fare that it refuses gives way to the cheapest fare of the same flights that it lets through), and the trip's budget bounds the price. For a fare of your choice use book_flight instead. The result says until when it can be refunded or changed.",
  input: Input,
  steps: [
    { id: "read_trip", description: "The trip is funded." },
    guestClaim,
    {
      id: "travelers",
      description: "Who travels, where there are several passengers.",
      ...{ resolvedBy: "caller", resolution: Travelers },
    },
    { id: "read_trip_travelers", description: "Who travels, and whether their profiles are complete." },
    travelerProfile,
    { id: "search_flights", description: "Offers for the route and dates." },
    { id: "check_policy", description: "The policy judges the offers in their order." },
    { id: "preview_call", description: "The policy judges the booking of an offer by all that is known of it." },
    {
      id: "hold_flight",
      description:
        "Before a person is asked: the airline holds the offer, where it does that. What is not paid is given back.",
    },
    {
      id: "approval",
      description:
        "A person approves an offer that the policy does not let through: shown has its price and its conditions, and what travelers would meet at borders.",
      ...{ resolvedBy: "person", resolution: Approval },
    },
    { id: "reserve_booking", description: "The escrow reserves an upper bound of the price." },
    { id: "book_flight", description: "The offer is held, paid and booked." },
    {
      id: NO_OFFER_LEFT.step,
      description: "Whether to search again, where no offer could be booked.",
      ...{ resolvedBy: "caller", resolution: Retry },
    },
    { id: "commit_booking", description: "The escrow commits the price that was paid." },
    {
      id: "ticketing",
      description: "The airline issues the tickets.",
      ...{ resolvedBy: "service", resolution: Ticketing },
    },
    { id: "confirm_ticketing", description: "The escrow learns of the tickets." },
    { id: "settle_booking", description: "The escrow pays." },
    { id: "generate_booking_invoice", description: "The booking is invoiced." },
  ],
  searches: (trip) => ({ tool: "search_flights", args: queryOf(trip), airports: ["origin", "destination"] }),
  async run(trip, steps) {
    const { call, keep } = steps;
    const { freeUsdc } = await waitForClaim(steps, trip.tripId);
    const additionalCustomerUserIds = steps.isSince(GUEST_TRAVELS)
      ? await findTravelers(steps, trip)
      : await askForTravelers(steps, trip);
    const zones = new Map<string, string>();
    let warnings: readonly string[] = [];
    const warn = (some: readonly string[]) => {
      warnings = some;
    };
    const budget = {
      tripId: trip.tripId,
      freeUsdc: steps.isSince(COVERED) ? freeUsdc : undefined,
      isReturned: steps.isSince(RETURNED),
    };
    const { bookingId, booked } = await reserveAndBook(steps, budget, {
      choose: (means) => chooseOffer(steps, trip, { additionalCustomerUserIds, means, zones, warn }),
      booking: (offer) => bookingOf(offer, additionalCustomerUserIds),
      book: ({ tool, args }, cover) =>
        unless(GONE, () => call(tool, args, Booked, { ...judgedBy(steps, trip), cover })),
      gone: NO_OFFER_LEFT,
    });
    undoOrder(steps, booked);
    await call(
      "commit_booking",
      {
        ...{ bookingId, vendorAmountUsdc: costOf(booked), itineraryHash: booked.itineraryHash },
        vendorAddress: steps.run.collectionAddress,
      },
      z.unknown(),
    );
    if (booked.ticketing === "pending") await waitForTickets(steps, booked.orderId);
    const { ticketOrderHash } = await call("read_order", { orderId: booked.orderId }, Order);
    await call("confirm_flight", { bookingId, ticketOrderHash }, z.unknown(), { step: "confirm_ticketing" });
    // Tickets are issued and confirmed: from here on the booking stands.
    keep();
    const settled = await call("settle_booking", { bookingId }, Settled);
    const { orderId, pnr, totalAmount, totalCurrency, conditions, refundableUntil, changeableUntil } = booked;
    return {
      travelers: booked.travelers,
      ...{ tripId: trip.tripId, bookingId, orderId, pnr, totalAmount, totalCurrency },
      ...{ conditions, refundableUntil, changeableUntil, warnings },
      flights: booked.slices.flatMap(({ segments }) => segments.map((flight) => withZones(flight, zones))),
      settled,
      ...sayLeft(settled),
      ...(await invoice(steps, bookingId)),
    };
  },
});

/** Times are local at the airports. */
function withZones(flight: z.infer<typeof Flight>, zones: ReadonlyMap<string, string>) {
  const [departureTimeZone, arrivalTimeZone] = [flight.origin, flight.destination].map((at) => zones.get(at) ?? null);
  return { ...flight, departureTimeZone, arrivalTimeZone };
}

/** What is paid and ticketed stands also without its invoice, which can be asked for again. */
async function invoice({ call, isSince }: Steps, bookingId: string) {
  if (!isSince(2)) return {};
  try {
    return { invoice: await call("generate_booking_invoice", { bookingId }, Invoiced), invoiceFailure: null };
  } catch (error) {
    if (error instanceof StepFailure) return { invoice: null, invoiceFailure: error.code };
    throw error;
  }
}

/** The customer user ids of all who travel, or of all but the first. */
async function findTravelers(steps: Steps, trip: Trip): Promise<readonly string[]> {
  const { tripId, passengers } = trip;
  for (;;) {
    const customerUserIds = trip.customerUserIds ?? (await askForTravelers(steps, trip));
    const party = { tripId, passengers, customerUserIds };
    const { missingTravelers } = await readTravelers(steps, party, ({ missingForFlights }) => missingForFlights);
    if (missingTravelers === 0) return customerUserIds;
  }
}

async function askForTravelers({ pause, isSince }: Steps, { passengers }: Trip): Promise<readonly string[]> {
  if (passengers === 1) return [];
  const first = isSince(GUEST_TRAVELS)
    ? "the guest of a trip that was prefunded with guestName or guestEmail, and otherwise the run's own user"
    : "the run's own traveler";
  const { status, customerUserIds } = await pause({
    step: "travelers",
    reason: `The flight is for ${passengers} passengers. Name the customer user ids of all but the first, who is ${first}, or of all.`,
    ...{ resolution: Travelers, by: "caller", timeoutHours: TRAVELER_HOURS },
    ...{ onTimeout: { status: "cancelled" }, needsOpenTrip: true },
  });
  if (status === "cancelled") throw new StepFailure("travelers_missing", "Nobody said who travels.");
  return customerUserIds;
}

const queryOf = ({ tripId: _, customerUserIds: __, policyId: ___, returnDate, ...route }: Trip) =>
  returnDate === undefined ? route : { ...route, returnDate };

/** Undefined: nothing within the reserved amount was found. */
async function chooseOffer(
  steps: Steps,
  trip: Trip,
  {
    additionalCustomerUserIds,
    means: { bound, cover },
    zones,
    warn,
  }: {
    additionalCustomerUserIds: readonly string[];
    means: Means;
    zones: Map<string, string>;
    warn: (warnings: readonly string[]) => void;
  },
): Promise<FlightOffer | undefined> {
  const { policyId } = trip;
  const { offers, timeZones } = await steps.call("search_flights", queryOf(trip), Found);
  for (const [airport, timeZone] of Object.entries(timeZones)) zones.set(airport, timeZone);
  const isWithin = (offer: FlightOffer) => bound === undefined || Number(usdcOf(offer)) <= Number(bound);
  const toCandidate = ({ offer, terms }: { offer: FlightOffer; terms?: object }) => ({
    choice: offer,
    shown: { ...offer, ...terms },
    offer: {
      kind: "flight" as const,
      priceUsd: Number(usdcOf(offer)),
      carrierIata: offer.slices[0]?.segments[0]?.carrier ?? "",
      durationHours: Math.max(...offer.slices.map(({ durationMinutes }) => durationMinutes)) / 60,
      cabin: trip.cabinClass,
    },
    prepare: async () => ({ bookable: offer, booking: bookingOf(offer, additionalCustomerUserIds) }),
    hold: steps.isSince(COVERED) ? ({ args }: { args: object }) => holdOffer(steps, args) : undefined,
  });
  const candidates = offers.map(({ fares, ...offer }) => ({
    ...toCandidate({ offer }),
    alternatives: steps.isSince(WITH_FARES)
      ? betterFares({ fares, ...offer })
          .filter((fare) => isWithin(fare.offer))
          .map(toCandidate)
      : [],
  }));
  const within = candidates.filter(({ choice }) => isWithin(choice));
  if (within.length === 0) return undefined;
  return steps.isSince(JUDGED_BY_BOOKING)
    ? await chooseWithinPolicy(steps, policyId, within, { isReserved: bound !== undefined, cover, warn })
    : await chooseByVerdict(steps, policyId, within);
}

/**
 * The airline keeps the offer for who decides about it, at no cost. Where it does not, the approval also covers the same flights and
 * fare found again. False: the offer is gone.
 */
async function holdOffer({ call, undo }: Steps, args: object): Promise<boolean> {
  try {
    const { orderId } = await call("hold_flight", args, Held);
    undo(() => unless(GIVEN_BACK, () => giveBack(call, orderId)));
    return true;
  } catch (error) {
    if (!(error instanceof StepFailure) || (error.code !== NOT_HELD && !GONE.has(error.code))) throw error;
    return error.code === NOT_HELD;
  }
}

async function giveBack(call: Steps["call"], orderId: string): Promise<undefined> {
  const { cancellationId } = await call("cancel_order_quote", { orderId }, z.object({ cancellationId: z.string() }));
  await call("confirm_cancel_order", { cancellationId }, z.unknown());
  return undefined;
}

/** Of the same flights and cabin, those that can be refunded or changed where the offer cannot. */
function betterFares({ fares, ...offer }: FoundOffer): { offer: FlightOffer; terms: object }[] {
  const own = OwnTerms.safeParse(offer.conditions).data;
  return fares
    .filter(
      ({ refundable, changeable, cabinClass }) =>
        cabinClass === undefined &&
        ((refundable === true && own?.refundBeforeDeparture?.allowed !== true) ||
          (changeable === true && own?.changeBeforeDeparture?.allowed !== true)),
    )
    .map(({ id, name, totalAmount, cabinClass: _, ...terms }) => ({
      offer: { ...offer, id, totalAmount, ...inUsdc(offer, totalAmount), fareName: name, conditions: undefined },
      terms,
    }));
}

const OwnTerms = z.object({
  refundBeforeDeparture: z.object({ allowed: z.boolean() }).nullable(),
  changeBeforeDeparture: z.object({ allowed: z.boolean() }).nullable(),
});

/** At the rate at which the search showed the offer, upwards. */
function inUsdc(offer: FlightOffer, amount: string): { totalUsdc?: string } {
  const [shown, total, wanted] = [offer.totalUsdc, offer.totalAmount, amount].map((text) => parseDecimal(text ?? ""));
  if (shown === undefined || !total || wanted === undefined) return {};
  return { totalUsdc: formatDecimal((wanted * shown + total - 1n) / total) };
}

const bookingOf = ({ id: offerId }: FlightOffer, additionalCustomerUserIds: readonly string[]) => ({
  tool: "book_flight",
  args: { offerId, additionalCustomerUserIds },
});

/** From these versions on the run's policy judges the booking itself, and other fares of the same flights are tried. */
const JUDGED_BY_BOOKING = 3;
const WITH_FARES = 4;
/** From this version on the guest of a trip travels, and profiles are complete before anything is searched. */
const GUEST_TRAVELS = 5;
/** From this version on what is reserved pays for the order, and the wallet is not charged until the settlement. */
const COVERED = 5;
/** From this version on what a run that fails had reserved goes back to the trip. */
const RETURNED = 6;
const judgedBy = ({ isSince }: Steps, { policyId }: Trip) => (isSince(JUDGED_BY_BOOKING) ? { policyId } : {});

async function waitForTickets({ pause }: Steps, orderId: string): Promise<void> {
  const { status } = await pause({
    ...{
      step: "ticketing",
      reason: "The airline has not issued the tickets yet.",
      resolution: Ticketing,
      by: "service",
    },
    ...{ shown: { orderId }, event: { name: "order_ticketing", subject: orderId } },
    ...{ timeoutHours: TICKETING_HOURS, onTimeout: { status: "failed" } },
  });
  if (status === "failed") throw new StepFailure("ticketing_failed", "The airline did not issue the tickets.");
}
