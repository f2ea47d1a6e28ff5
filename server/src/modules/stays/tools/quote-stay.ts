import { z } from "zod";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { saleRates, shownInUsdc } from "../../bookings/index.ts";
import { Beds } from "../accommodation-answer.ts";
import { defineTool } from "../context.ts";
import { sayBookedThere } from "../other-stays.ts";
import { quoteOwnRate } from "../own-quotes.ts";
import { sayBeds } from "../say-guests.ts";
import { seeQuote } from "../see-stays.ts";
import { StayCancellationPolicy } from "../stay-result.ts";

export const quoteStay = defineTool({
  name: "quote_stay",
  title: "Quote stay",
  summary:
    "Ask the accommodation for a rate's binding price, taxes, conditions and cancellation policy before booking.",
  advice: "Next: book_stay with its id before expiresAt, or at once if that is null.",
  area: "stays",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["stays", "stayBookings", "stores", "fx", "clock"],
  input: z.strictObject({ rateId: z.string().describe("rates[].id from search_hotels") }),
  output: SupplierResult.extend({
    id: z.string().describe("For quoteId of book_stay"),
    accommodation: z.object({ id: z.string(), name: wordsOfOthers(), address: wordsOfOthers().nullable() }),
    checkInDate: z.string(),
    checkOutDate: z.string(),
    rooms: z.number(),
    guests: z.number(),
    childAges: z
      .array(z.number())
      .readonly()
      .nullable()
      .describe("Ages of the guests searched as children; the others are adults; null: not known"),
    beds: Beds,
    warnings: z
      .array(z.string())
      .readonly()
      .describe("To settle before booking: too few beds, a stay already booked there"),
    totalAmount: DecimalAmount.describe("What book_stay takes"),
    totalCurrency: z.string(),
    totalUsdc: DecimalAmount.optional().describe(
      "What book_stay takes from the wallet; omitted if totalCurrency is USD",
    ),
    taxAmount: DecimalAmount.nullable(),
    feeAmount: DecimalAmount.nullable(),
    dueAtAccommodationAmount: DecimalAmount.nullable().describe("Paid on site, in addition to totalAmount"),
    dueAtAccommodationCurrency: z.string().nullable(),
    cancellationPolicy: StayCancellationPolicy,
    conditions: z.array(z.object({ title: wordsOfOthers(), description: wordsOfOthers() })).readonly(),
    supportedLoyaltyProgramme: z.string().nullable(),
    negotiatedRateId: z.string().nullable(),
    expiresAt: z.string().nullable().describe("null: the supplier does not say; book soon"),
  }),
  errors: {
    ...supplierErrors,
    rate_not_found: "The rate does not exist. Search again and use a rate id from the result.",
    rate_unavailable: "The rate is sold out or no longer offered. Search again and choose another.",
    price_changed: "The price of the rate has changed. Search again.",
  },
  example: (_today, { rateId }) => ({ rateId }),
  gives: ({ id }) => ({ quoteId: id }),
  remember: ({ rateId }, { id, totalAmount, totalCurrency, checkInDate, checkOutDate }) => ({
    kind: "offer",
    text: `A stay from ${checkInDate} to ${checkOutDate} was quoted at ${totalAmount} ${totalCurrency}.`,
    details: { quoteId: id, rateId, totalAmount, totalCurrency, checkInDate, checkOutDate },
  }),

  async run({ rateId }, { stays, stayBookings, stores, fx, clock, caller, call }) {
    const { negotiatedRates } = stores;
    const quote = await quoteOwnRate({ stayBookings, negotiatedRates }, caller, rateId, { signal: call.signal });
    const rates = await saleRates({ fx, clock }, caller.environment, [quote.totalCurrency]);
    await seeQuote(stores.seenOffers, caller, rateId, quote, rates);
    const warnings = [
      ...(await sayBookedThere(stores, caller, quote)),
      ...sayBeds({ ...quote, childAges: quote.childAges ?? [] }),
    ];
    return { ...quote, warnings, ...shownInUsdc(quote, rates), ...stays.provenance(), sandbox: stays.sandbox };
  },
});
