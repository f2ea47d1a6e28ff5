import { findFirstDeparture } from "../../../domain/travel/first-departure.ts";
import { findTimeZones, TimeZones } from "../../../domain/travel/time-zones.ts";
import { type Caller, Replayed } from "../../../kernel/contracts/tool.ts";
import { orderKey } from "../../../kernel/contracts/trip-note.ts";
import { coverErrors, planBooking, readChargeHash } from "../../bookings/index.ts";
import { sayNotAdmitted } from "../../eligibility/index.ts";
import { SinceBooked } from "../../orders/index.ts";
import { findVendorAddress, payingErrors } from "../../treasury/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { askedFlight } from "../ordering/asked-flight.ts";
import { bookFlight as book, checkFlight } from "../ordering/book-flight.ts";
import { asOfNow } from "../ordering/booked-now.ts";
import { findTwiceOfOffer, findTwiceOfOrder } from "../ordering/booked-twice.ts";
import { BookFlightInput, bookErrors, toAskedFlight } from "../ordering/booking-input.ts";
import {
  namedTravelers,
  peekProfile,
  plannedTravelers,
  refusalByAge,
  takeBookedProfile,
} from "../ordering/planned-travelers.ts";
import { FlightResult, sayMissing } from "../services/ancillaries.ts";
import { priceSeen } from "../services/see-services.ts";

type AnsweringPorts = Pick<Ports, "stores" | "submission" | "maps" | "clock" | "eligibility" | "travelers">;

export const bookFlight = defineTool({
  name: "book_flight",
  title: "Book flight",
  titles: {
    en: "Book this flight",
    de: "Diesen Flug buchen",
    fr: "Réserver ce vol",
    es: "Reservar este vuelo",
    pt: "Reservar este voo",
    "pt-BR": "Reservar este voo",
    ja: "このフライトを予約",
  },
  summary:
    "Book an offer, or pay for one held by hold_flight, for the caller and other travelers, from the treasury wallet; returns PNR and order id. Repeating it never books twice.",
  advice:
    "A real purchase: show preview_call's warnings, price and conditions first. Returns itineraryHash for commit_booking. To change or cancel it: request_order_change, cancel_order_quote.",
  area: "flights",
  effect: "spend",
  price: 20_000n,
  payableWithoutKey: false,
  uses: [
    ...(["flights", "flightServicing", "travelers", "eligibility", "stores"] as const),
    ...(["submission", "maps", "clock", "random", "fx"] as const),
  ],
  input: BookFlightInput,
  output: FlightResult.extend({ ...SinceBooked, timeZones: TimeZones }),
  errors: {
    ...bookErrors,
    outcome_unknown:
      "The supplier has not confirmed the booking yet; the price stays held. Call again with the same offer: you get the result, never a second order.",
    booking_in_progress: "An earlier call is booking this offer. Call again with the same offer to get its result.",
    ...coverErrors,
    ...payingErrors,
  },
  example: (_today, { offerId }) => ({ offerId }),

  gives: ({ orderId, slices: [first] }) => ({ orderId, ...(first === undefined ? {} : { sliceId: first.id }) }),
  remember: (_input, { orderId, pnr, totalAmount, totalCurrency, ticketing }) => ({
    kind: "order",
    key: orderKey(orderId),
    text: `A flight was booked for ${totalAmount} ${totalCurrency}.`,
    details: { orderId, pnr, totalAmount, totalCurrency, ticketing },
  }),

  plan(input, { stores, travelers, maps, caller }) {
    const asked = toAskedFlight(input);
    return planBooking(
      { stores, caller },
      {
        asked: askedFlight(travelers, caller, asked),
        travelerIds: (seen) => plannedTravelers({ travelers, caller }, asked.additionalCustomerUserIds, seen),
        namedIds: (seen) => namedTravelers({ travelers, caller }, asked.additionalCustomerUserIds, seen),
        findTimeZone: (airport) => maps.airport(airport)?.timeZone,
        readProfile: (userId) => peekProfile(travelers, caller, userId),
        isPaidInPart: asked.airlineCreditId !== undefined,
        hasMore: asked.services.length > 0,
        priceOfMore: (seen) => priceSeen(seen, asked.services),
        overlapsWith: (seen, userIds) =>
          findTwiceOfOffer({ stores, maps, caller }, { offerId: asked.offerId, userIds, seen }),
        refusalFor: (seen) => refusalByAge({ travelers, caller }, asked.additionalCustomerUserIds, seen),
      },
    );
  },

  async probe(input, { flights, flightServicing, travelers, stores, clock, fx, caller }) {
    await checkFlight({ flights, flightServicing, travelers, stores, clock, fx }, { ...toAskedFlight(input), caller });
  },

  complete: buildAnswer,

  async run(input, { caller, call, ...ports }) {
    const { flights, flightServicing, travelers, stores, clock, random, fx } = ports;
    const answer = await book(
      { flights, flightServicing, travelers, stores, clock, fx },
      { ...toAskedFlight(input), caller, callId: call.id },
      { random, progress: call.progress, isRepeat: call.isRepeat },
    );
    const result = await buildAnswer(answer.result, { ...ports, caller });
    return answer.kind === "replayed" ? new Replayed(result, answer.firstCallId) : result;
  },
});

/** The supplier takes no such request. */
const ASSISTANCE =
  "If a traveler needs assistance, such as a wheelchair, or a special meal, tell the airline by pnr at least 48 hours before departure: neither can be ordered here.";

/** The stored answer lacks the charge's transaction hash, the time zones, and the order's current state. */
async function buildAnswer(
  stored: unknown,
  { caller, ...ports }: AnsweringPorts & { caller: Pick<Caller, "tenantId" | "environment"> },
) {
  const { stores, submission, maps, clock } = ports;
  const { ancillaries, ...flight } = FlightResult.parse(stored);
  const { booked, flights } = await asOfNow({ stores, clock, caller }, flight);
  // The charge leaves the wallet at once, without waiting for the submitter's next turn.
  const chargeTxHash = await readChargeHash(submission, booked.chargeTransferId);
  const departure = findFirstDeparture(booked.slices, maps);
  const isOver = booked.status === "cancelled";
  const twice = isOver ? [] : await findTwiceOfOrder({ stores, maps, caller }, booked, flights);
  const userIds = booked.travelers.flatMap(({ userId }) => userId ?? []);
  const { slices } = booked;
  const readProfile = (userId: string) => takeBookedProfile(ports.travelers, caller, userId);
  const refused = isOver ? [] : await sayNotAdmitted(ports, caller, { userIds, slices, readProfile });
  return {
    ...booked,
    chargeTxHash,
    vendorAddress: await findVendorAddress(stores, caller.environment),
    timeZones: findTimeZones(booked.slices, maps),
    ancillaries,
    next: [
      ...refused,
      ...twice.map(({ warning }) => warning),
      ...sayMissing(ancillaries, booked),
      booked.next,
      ...(isOver ? [] : [ASSISTANCE]),
    ].join(" "),
    refundableUntil: booked.refundableUntil === null ? null : departure,
    changeableUntil: booked.changeableUntil === null ? null : departure,
  };
}
