import { z } from "zod";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { defineTool } from "../context.ts";
import { getOwnOffer, offerErrors } from "../offers/private-offers.ts";
import { chooseSeats } from "../services/choose-seats.ts";
import { seeServices } from "../services/see-services.ts";

const NO_MEALS =
  "Only bags and seats can be ordered here, no meals and no assistance: after the booking, the airline takes such wishes by pnr, mostly until 48 hours before departure.";

export const listFlightAncillaries = defineTool({
  name: "list_flight_ancillaries",
  title: "List flight ancillaries",
  summary:
    "List the bags and seats that can be booked with an offer, with prices; book_flight takes their ids. Each is for one flight and passenger, on top of the fare.",
  advice: "Booked with the flight; for a held order, book_flight adds only bags. Later only the airline can add them.",
  area: "flights",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["flights", "flightServicing", "stores"],
  input: z.strictObject({
    offerId: z.string().describe("off_… from search_flights"),
    maxSeats: z.number().int().min(1).max(48).default(24),
  }),
  output: SupplierResult.extend({
    offerId: z.string(),
    bags: z
      .array(
        z.object({
          id: z.string().describe("For services of book_flight"),
          kind: z.enum(["checked", "carry_on", "other"]),
          maximumQuantity: z.number(),
          maximumWeightKilograms: z.number().nullable(),
          passengerIds: z
            .array(z.string())
            .readonly()
            .describe(
              "The offer's passengers, in whose order book_flight takes its travelers, the caller first if they travel",
            ),
          segmentIds: z.array(z.string()).readonly(),
          totalAmount: DecimalAmount.describe("For one piece"),
          totalCurrency: z.string(),
        }),
      )
      .readonly(),
    seats: z
      .array(
        z.object({
          id: z.string().describe("For services of book_flight, quantity 1"),
          passengerId: z.string(),
          segmentId: z.string(),
          designator: wordsOfOthers(),
          position: z.enum(["window", "middle", "aisle"]).nullable(),
          isExitRow: z.boolean(),
          airlineSays: z.array(wordsOfOthers()).readonly().describe("The seat's restrictions and advantages"),
          totalAmount: DecimalAmount,
          totalCurrency: z.string(),
        }),
      )
      .readonly()
      .describe("By flight, passenger and position; within each, cheapest first, some of each kind"),
    seatsAvailable: z.number().describe("Including those not listed"),
    note: z.string(),
    hasSeatMap: z.boolean().describe("false: the airline offers none for this offer"),
  }),
  errors: {
    ...supplierErrors,
    ...offerErrors,
  },
  example: (_today, { offerId }) => ({ offerId, maxSeats: 6 }),

  async run({ offerId, maxSeats }, { flights, flightServicing, stores, caller, call }) {
    const { privateOffers, seenOffers } = stores;
    const offer = await getOwnOffer({ flights, privateOffers }, caller, offerId, { signal: call.signal });
    const { bags, seats, hasSeatMap } = await flightServicing.listAncillaries(offerId, { signal: call.signal });
    const shown = chooseSeats(seats, maxSeats);
    await seeServices(seenOffers, caller, offer, { bags, seats: shown });
    return {
      offerId,
      bags,
      seats: shown,
      seatsAvailable: seats.length,
      note: NO_MEALS,
      hasSeatMap,
      ...flights.provenance(),
      sandbox: flights.sandbox,
    };
  },
});
