import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { OfferedConditions, PaymentRequirements, SearchedSlice } from "../../../domain/travel/offer-schema.ts";
import type { AirlineCredit, FlightOffer, FlightSearch } from "../../../ports/supplier/flights.ts";
import { type SaleRates, shownInUsdc } from "../../bookings/index.ts";
import { isWhollyIn, sayCabins, shareIn } from "./cabins.ts";
import { countBags, describeCabin, Fare, fareName } from "./fares.ts";

/** An offer in the answer of a search: members that are empty for nearly every offer are left out if empty. */
export const OfferAnswer = z.object({
  id: z.string().describe("For offerId of book_flight"),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  totalUsdc: DecimalAmount.optional().describe("What booking it would charge; omitted if totalCurrency is USD"),
  taxAmount: DecimalAmount.nullable(),
  owner: z.object({ iataCode: z.string(), name: wordsOfOthers() }),
  fareName: wordsOfOthers().nullable(),
  checkedBags: z.number(),
  carryOnBags: z.number(),
  cabinClass: z.string(),
  mixedCabins: z
    .object({
      percentAsAskedFor: z.number().describe("Share of flying time in the requested cabin or a higher one"),
      flights: z.array(z.string()).describe("Cabin of each flight"),
    })
    .optional()
    .describe("Present if not all flights are in the requested cabin"),
  slices: z.array(SearchedSlice).readonly(),
  conditions: OfferedConditions,
  paymentRequirements: PaymentRequirements.pick({ requiresInstantPayment: true }),
  fares: z.array(Fare).readonly().describe("Other fares for the same flights, cheapest first"),
  passengers: z
    .array(
      z.object({
        id: z.string(),
        type: z.string().nullable(),
        age: z.number().optional(),
        fareType: wordsOfOthers().optional(),
      }),
    )
    .readonly(),
  identityDocumentsRequired: z.boolean(),
  privateFares: z
    .array(
      z.object({
        type: z.string(),
        corporateCode: wordsOfOthers().optional(),
        tourCode: wordsOfOthers().optional(),
        trackingReference: wordsOfOthers().optional(),
      }),
    )
    .readonly()
    .optional(),
  availableAirlineCreditIds: z.array(z.string()).readonly().optional(),
  airlineCredits: z
    .array(
      z.object({
        airlineCreditId: z.string(),
        amount: DecimalAmount,
        currency: z.string(),
        remains: DecimalAmount.nullable().describe(
          "What remains of the credit after this offer; null: different currencies",
        ),
        toPay: DecimalAmount.nullable().describe("What remains to pay after the credit"),
      }),
    )
    .readonly()
    .optional()
    .describe("The given airline credits that apply to it; book_flight takes one"),
  totalEmissionsKg: z.string().nullable(),
  expiresAt: z.string(),
});

/** `fares` are the other ones of its flights. `cabin` is the requested one. */
export function toOfferAnswer(
  offer: FlightOffer,
  fares: readonly Fare[],
  rates: SaleRates,
  cabin: FlightSearch["cabinClass"],
  credits: readonly AirlineCredit[] = [],
): z.input<typeof OfferAnswer> {
  const { privateFares, availableAirlineCreditIds, passengers, conditions, slices, ...facts } = offer;
  const cabinClass = describeCabin(offer);
  return {
    ...facts,
    ...shownInUsdc(offer, rates),
    fareName: fareName(offer),
    cabinClass,
    ...(isWhollyIn(offer, cabin)
      ? {}
      : {
          mixedCabins: { percentAsAskedFor: Math.floor(100 * shareIn(offer, cabin)), flights: sayCabins(offer) },
        }),
    slices: slices.map((slice) => toSlice(slice, cabinClass)),
    conditions: {
      refundBeforeDeparture: withoutNothing(conditions.refundBeforeDeparture),
      changeBeforeDeparture: withoutNothing(conditions.changeBeforeDeparture),
    },
    checkedBags: countBags(offer, "checked"),
    carryOnBags: countBags(offer, "carry_on"),
    fares,
    passengers: passengers.map(({ fareType, ...passenger }) => ({
      ...passenger,
      ...(fareType === null ? {} : { fareType }),
    })),
    ...(privateFares.length === 0 ? {} : { privateFares }),
    ...(availableAirlineCreditIds.length === 0 ? {} : { availableAirlineCreditIds }),
    ...describeCredits(offer, credits),
  };
}

function describeCredits(offer: FlightOffer, credits: readonly AirlineCredit[]) {
  const fitting = credits.filter(({ id }) => offer.availableAirlineCreditIds.includes(id));
  if (fitting.length === 0) return {};
  return {
    airlineCredits: fitting.map(({ id, amount, currency }) => ({
      airlineCreditId: id,
      amount,
      currency,
      ...redeem({ amount, currency }, offer),
    })),
  };
}

/** The rest of the credit, and of the price. Null: they are in different currencies. */
export function redeem(
  { amount, currency }: Pick<AirlineCredit, "amount" | "currency">,
  offer: Pick<FlightOffer, "totalAmount" | "totalCurrency">,
): { remains: string | null; toPay: string | null } {
  const price = parseDecimal(offer.totalAmount);
  const credit = currency === offer.totalCurrency ? parseDecimal(amount) : undefined;
  const rest = credit === undefined || price === undefined ? undefined : credit - price;
  const say = (left: Micro) => formatDecimal(left > 0n ? left : 0n);
  return { remains: rest === undefined ? null : say(rest), toPay: rest === undefined ? null : say(-rest) };
}

type Condition = FlightOffer["conditions"]["refundBeforeDeparture"];

function withoutNothing(condition: Condition) {
  return condition === null || condition.allowed ? condition : { allowed: false };
}

function toSlice({ segments, ...slice }: FlightOffer["slices"][number], cabinOfOffer: string) {
  return {
    ...slice,
    segments: segments.map(({ operatingCarrier, cabinClass, durationMinutes: _, stops, ...segment }) => ({
      ...segment,
      ...(operatingCarrier === segment.carrier ? {} : { operatingCarrier }),
      ...(cabinClass === cabinOfOffer ? {} : { cabinClass }),
      ...(stops.length === 0 ? {} : { technicalStops: stops.map(({ airport }) => airport) }),
    })),
  };
}
