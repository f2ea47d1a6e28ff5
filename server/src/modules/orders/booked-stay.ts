import { z } from "zod";
import { hasScope } from "../../domain/scopes.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Position } from "../../ports/maps.ts";
import type { Stores } from "./context.ts";

/** The answer of a stay's booking, valid until the stay is cancelled. */
export const BookedStay = z.object({
  orderId: z.string(),
  quoteId: z.string(),
  accommodationName: z.string(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  cancellationPolicy: z.object({
    refundable: z.boolean(),
    timeline: z.array(z.object({ before: z.string(), refundAmount: z.string(), currency: z.string() })),
  }),
});
export type BookedStay = z.output<typeof BookedStay>;

export interface OwnStay {
  stay: BookedStay;
  /** Undefined: the supplier did not say where it is, or it was booked before that was kept. */
  position: Position | undefined;
}

/** The stays that a user has booked for one of the nights between these days; none if the caller may not read stays. */
export async function findOwnStays(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment, scopes }: Pick<Caller, "tenantId" | "environment" | "scopes">,
  userId: string,
  days: { from: string; to: string },
): Promise<readonly OwnStay[]> {
  return hasScope(scopes, "stays:read") ? await orders.staysDuring(tenantId, environment, userId, days) : [];
}
