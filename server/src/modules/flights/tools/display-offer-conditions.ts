import { z } from "zod";
import { DecimalAmount, detailsOfOthers, wordsOfOthers } from "../../../domain/schemas.ts";
import { Conditions, PaymentRequirements, SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { saleRates, shownInUsdc } from "../../bookings/index.ts";
import { defineTool } from "../context.ts";
import { sayCabins } from "../offers/cabins.ts";
import { describeConditions } from "../offers/describe-conditions.ts";
import { getOwnOffer, offerErrors } from "../offers/private-offers.ts";
import { seeAgain } from "../searching/see-offers.ts";

export const displayOfferConditions = defineTool({
  name: "display_offer_conditions",
  title: "Display offer conditions",
  summary: "Show a flight offer's current price, refund and change conditions, expiry, and whether it can be held.",
  advice: "Prices move: ask again shortly before book_flight.",
  area: "flights",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["flights", "stores", "fx", "clock"],
  input: z.strictObject({ offerId: z.string().describe("off_… from search_flights") }),
  output: SupplierResult.extend({
    offerId: z.string(),
    totalAmount: DecimalAmount,
    totalCurrency: z.string(),
    totalUsdc: DecimalAmount.optional().describe("What booking it would charge; omitted if totalCurrency is USD"),
    owner: z.object({ iataCode: z.string(), name: wordsOfOthers() }),
    fareBrands: z.array(wordsOfOthers()),
    summary: z.array(wordsOfOthers()).describe("The conditions in words"),
    conditions: Conditions,
    cabins: z.array(z.string()).describe("Per flight; summary says so if they differ"),
    slices: z
      .array(detailsOfOthers())
      .describe("Each direction separately: origin, destination, changeBeforeDeparture as in conditions or null"),
    paymentRequirements: PaymentRequirements,
    holdPossible: z.boolean().describe("Whether the airline allows it; book_flight always pays at once"),
    identityDocumentsRequired: z.boolean(),
    expiresAt: z.string(),
  }),
  errors: {
    ...supplierErrors,
    ...offerErrors,
  },
  example: (_today, { offerId }) => ({ offerId }),

  async run({ offerId }, { flights, stores, fx, clock, caller, call }) {
    const { privateOffers } = stores;
    const offer = await getOwnOffer({ flights, privateOffers }, caller, offerId, { signal: call.signal });
    const rates = await saleRates({ fx, clock }, caller.environment, [offer.totalCurrency]);
    await seeAgain(stores.seenOffers, caller, offer, rates);
    return {
      offerId: offer.id,
      totalAmount: offer.totalAmount,
      totalCurrency: offer.totalCurrency,
      ...shownInUsdc(offer, rates),
      owner: offer.owner,
      fareBrands: [...new Set(offer.slices.flatMap(({ fareBrandName }) => fareBrandName ?? []))],
      summary: describeConditions(offer),
      conditions: offer.conditions,
      cabins: sayCabins(offer),
      slices: offer.slices.map(({ origin, destination, changeBeforeDeparture }) => {
        return { origin, destination, changeBeforeDeparture };
      }),
      paymentRequirements: offer.paymentRequirements,
      holdPossible: !offer.paymentRequirements.requiresInstantPayment,
      identityDocumentsRequired: offer.identityDocumentsRequired,
      expiresAt: offer.expiresAt,
      ...flights.provenance(),
      sandbox: flights.sandbox,
    };
  },
});
