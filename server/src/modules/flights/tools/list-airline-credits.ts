import { z } from "zod";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { defineTool } from "../context.ts";
import { listCredits } from "../list-credits.ts";

export const listAirlineCredits = defineTool({
  name: "list_airline_credits",
  title: "List airline credits",
  summary: "List the airline credits of one traveler or of all, newest first; book_flight takes their ids.",
  advice: "Airlines that refund no money give credits for cancelled orders.",
  area: "flights",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "travelers"],
  input: z.strictObject({
    clerkUserId: z.string().optional().describe("Traveler's user id"),
    tenantId: z.string().optional().describe("The calling tenant"),
    customerUserId: z.string().optional().describe("icu_… from ensure_flight_customer"),
    limit: z.number().int().min(1).max(50).default(20),
  }),
  output: SupplierResult.extend({
    credits: z
      .array(
        z.object({
          id: z.string().describe("For airlineCreditId of book_flight"),
          airlineIataCode: z.string(),
          amount: DecimalAmount,
          currency: z.string(),
          code: z.string().nullable(),
          name: wordsOfOthers().nullable(),
          customerUserId: z.string().nullable(),
          orderId: z.string().nullable().describe("The order that it was issued for"),
          issuedOn: z.string().nullable(),
          expiresAt: z.string().nullable(),
          spentAt: z.string().nullable(),
          invalidatedAt: z.string().nullable(),
          usable: z.boolean(),
        }),
      )
      .readonly(),
  }),
  errors: {
    ...supplierErrors,
    customer_not_found: "You have no such traveler or customer user. ensure_flight_customer gives the id.",
  },
  example: () => ({ limit: 5 }),

  async run(
    { clerkUserId, tenantId, customerUserId, limit },
    { flights, flightServicing, travelers, caller, call, invalid },
  ) {
    if (tenantId !== undefined && tenantId !== caller.tenantId) {
      throw invalid({ path: "tenantId", message: "must be the calling tenant" });
    }
    const query = { userId: clerkUserId, customerUserId, limit };
    const credits = await listCredits({ flightServicing, travelers }, caller, query, { signal: call.signal });
    return { credits, ...flights.provenance(), sandbox: flights.sandbox };
  },
});
