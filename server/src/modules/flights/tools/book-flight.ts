import { z } from "zod";
import { type Caller, defineTool, type Ports, Replayed } from "../../../kernel/tool.ts";
import { orderKey } from "../../../kernel/trip-note.ts";
import {
  BookingResult,
  departureOf,
  planBooking,
  rateErrors,
  readChargeHash,
  supplierErrors,
  TimeZones,
  timeZonesOf,
} from "../../bookings/index.ts";
import { sendOutErrors } from "../../treasury/index.ts";
import { bookFlight as book } from "../book-flight.ts";
import { plannedTravelers, refusalByAge } from "../planned-travelers.ts";

type AnsweringPorts = Pick<Ports, "stores" | "submission" | "maps">;

export const bookFlight = defineTool({
  name: "book_flight",
  title: "Book flight",
  summary:
    "Book an offer for the caller and further travelers: holds it, pays from the treasury wallet, returns PNR and order id. Repeating it never books twice.",
  advice:
    "It really buys: show price and conditions first. Answers travelers, flights, conditions, the charge's transaction, itineraryHash for commit_booking and next. To change or cancel it: request_order_change, cancel_order_quote.",
  area: "flights",
  effect: "spend",
  price: 20_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "travelers", "stores", "submission", "maps", "clock", "random", "fx"],
  input: z.strictObject({
    offerId: z.string().describe("off_… of search_flights"),
    services: z
      .array(
        z.strictObject({
          id: z.string().describe("From list_flight_ancillaries"),
          quantity: z.number().int().min(1).max(9).default(1),
        }),
      )
      .refine((services) => new Set(services.map(({ id }) => id)).size === services.length, {
        message: "must name each service once; quantity says how many",
      })
      .optional(),
    additionalCustomerUserIds: z
      .array(z.string())
      .optional()
      .describe("icu_… of ensure_flight_customer. The caller travels, too, unless these fill the offer alone"),
    airlineCreditId: z.string().optional().describe("acd_…; the balance pays the rest"),
  }),
  output: BookingResult.extend({ timeZones: TimeZones }),
  errors: {
    ...supplierErrors,
    outcome_unknown:
      "The supplier has not said whether it booked; the price stays held. Call again with the same offer: you get the result, never a second order.",
    booking_in_progress: "An earlier call is booking this offer. Call again with the same offer to get its result.",
    customer_in_progress: "Another call is making a customer user for this traveler. Call again in a few seconds.",
    offer_not_found: "There is no such offer. Search again.",
    offer_expired: "The offer can no longer be booked. Search again.",
    price_changed: "The supplier asks another price now. Nothing is owed; search again.",
    booking_rejected: "The supplier refused the booking. Nothing is owed; check the travelers or take another offer.",
    hold_not_available: "The offer cannot be booked this way. Take another offer.",
    service_not_available:
      "The offer does not have these services in these quantities. Nothing is owed; call list_flight_ancillaries again.",
    ...rateErrors,
    insufficient_balance:
      "The treasury wallet lacks money; missingUsdc says how much. Add at least that and call again.",
    settlement_stopped: sendOutErrors.settlement_stopped,
    customer_not_found: "You have no such customer user. ensure_flight_customer gives the id.",
    credit_not_found: "You have no such airline credit.",
    credit_not_applicable: "The airline credit cannot pay for this offer.",
    documents_not_supported:
      "The airline wants identity documents of kinds that are no passports, named in documentTypes, and only passports can be given here. Nothing is owed; take another offer.",
    passenger_type_mismatch:
      "The travelers are not of the ages that the offer was searched for. Nothing was booked; search_more_flights searches for ages.",
    traveler_incomplete: "Travelers or fields of their profiles are missing; save_traveler sets them.",
  },
  example: (_today, { offerId }) => ({ offerId }),

  gives: ({ orderId, slices: [first] }) => ({ orderId, ...(first === undefined ? {} : { sliceId: first.id }) }),
  remember: (_input, { orderId, pnr, totalAmount, totalCurrency, ticketing }) => ({
    ...{ kind: "order", key: orderKey(orderId), text: `A flight was booked for ${totalAmount} ${totalCurrency}.` },
    details: { orderId, pnr, totalAmount, totalCurrency, ticketing },
  }),

  plan: (
    { offerId, services = [], additionalCustomerUserIds = [], airlineCreditId },
    { stores, travelers, maps, caller },
  ) =>
    planBooking(
      { stores, caller },
      {
        kind: "flight",
        id: offerId,
        travelerIds: (seen) => plannedTravelers({ travelers, caller }, additionalCustomerUserIds, seen),
        timeZoneOf: (airport) => maps.airport(airport)?.timeZone,
        isPaidInPart: airlineCreditId !== undefined,
        hasMore: services.length > 0,
        refusalFor: (seen) => refusalByAge({ travelers, caller }, additionalCustomerUserIds, seen),
      },
    ),

  complete: answerOf,

  async run(input, { flights, flightServicing, travelers, stores, submission, maps, clock, random, fx, caller, call }) {
    const answer = await book(
      { flights, flightServicing, travelers, stores, clock, fx },
      {
        caller,
        callId: call.id,
        offerId: input.offerId,
        services: input.services ?? [],
        additionalCustomerUserIds: input.additionalCustomerUserIds ?? [],
        airlineCreditId: input.airlineCreditId,
      },
      { random, progress: call.progress, isRepeat: call.isRepeat },
    );
    const result = await answerOf(answer.result, { stores, submission, maps, caller });
    return answer.kind === "replayed" ? new Replayed(result, answer.firstCallId) : result;
  },
});

/** The stored one says neither what the charge's transaction is called by now nor on which clocks its times are. */
async function answerOf(
  stored: unknown,
  { stores, submission, maps, caller: { environment } }: AnsweringPorts & { caller: Pick<Caller, "environment"> },
) {
  const booked = BookingResult.parse(stored);
  // What it cost leaves the wallet at once, and not with the next look at what is to be done.
  const chargeTxHash = await readChargeHash(submission, booked.chargeTransferId);
  const departure = departureOf(booked.slices, maps);
  return {
    ...{ ...booked, chargeTxHash, vendorAddress: (await stores.wallets.ensure(environment, "collection")).address },
    timeZones: timeZonesOf(booked.slices, maps),
    refundableUntil: booked.refundableUntil === null ? null : departure,
    changeableUntil: booked.changeableUntil === null ? null : departure,
  };
}
