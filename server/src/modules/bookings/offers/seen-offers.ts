import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { parseDecimal } from "../../../domain/money.ts";
import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import type { Write } from "../../../platform/database/write-together.ts";
import type { Environment } from "../../../ports/identity.ts";
import { SeenService } from "../booking/asked-services.ts";
import type { Booking } from "../booking/bookings.ts";
import { BookingRate } from "../booking-rate.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "bookings.seenOffers": SeenOffers;
  }
}

const Price = z.object({
  totalAmount: z.string(),
  totalCurrency: z.string(),
  /** The rate at which it was shown; null if there was none. */
  rate: BookingRate.nullable().default(null),
});

/** Times are local at the airports; null if the supplier does not say. */
export const SeenFlight = Price.extend({
  kind: z.literal("flight"),
  /** Its search; the other offers of that search are its comparables. */
  searchId: z.string().nullable(),
  carriers: z.array(z.string()),
  /** Their names by code, as far as the supplier says. Left out if unknown. */
  airlines: z.record(z.string(), z.string()).optional(),
  passengers: z.number().nullable(),
  /** The passengers that it is for. Left out if unknown. */
  expected: z
    .array(z.object({ type: z.string().nullable(), age: z.number().optional(), fareType: z.string().nullable() }))
    .optional(),
  refundable: z.boolean().nullable(),
  /** Left out if unknown. */
  refundPenaltyAmount: z.string().optional(),
  changeable: z.boolean().nullable(),
  fareBrands: z.array(z.string()).nullable(),
  emissionsKgPerPassenger: z.number().nullable(),
  /** For a change: the order that it would change. Left out if it is no change, or unknown. */
  orderId: z.string().optional(),
  /** In the offer's currency. Left out if they were not listed. */
  services: z.array(SeenService).optional(),
  legs: z.array(
    z.object({
      origin: z.string(),
      destination: z.string(),
      departingAt: z.string().nullable(),
      arrivingAt: z.string().nullable(),
      durationMinutes: z.number(),
      stops: z.number(),
      /** Left out if unknown. */
      flights: z.array(z.string()).optional(),
      cabin: z.string().nullable(),
    }),
  ),
});
export type SeenFlight = z.infer<typeof SeenFlight>;

const SeenPlace = z.object({
  /** Null if the supplier does not give it. */
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  timeZone: z.string().nullable(),
  stars: z.number().nullable(),
});

/** A rate of a search, or a quote of one. */
export const SeenStay = Price.extend({
  kind: z.literal("stay"),
  /** As for flights. Left out if unknown. */
  searchId: z.string().optional(),
  /** For a quote: its rate. */
  rateId: z.string().optional(),
  accommodationId: z.string(),
  /** Left out if unknown. */
  name: z.string().optional(),
  rooms: z.number(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  refundable: z.boolean(),
  /** The refund schedule. Left out if unknown. */
  refunds: z.array(z.object({ before: z.string(), refundAmount: z.string() })).optional(),
  /** For a quote, as the supplier says; beds are per room. Left out if unknown. */
  guests: z.number().optional(),
  childAges: z.array(z.number()).optional(),
  beds: z.array(z.object({ type: z.string(), count: z.number() })).optional(),
  /** For a quote: the amount due at the accommodation. Left out if there is none, or it is unknown. */
  due: z.object({ amount: z.string(), currency: z.string() }).optional(),
  /** Null if no search of the tenant has shown it. */
  place: SeenPlace.nullable(),
});
export type SeenStay = z.infer<typeof SeenStay>;

export const SeenOffer = z.discriminatedUnion("kind", [SeenFlight, SeenStay]);
export type SeenOffer = z.infer<typeof SeenOffer>;

/** The members by which offers of one search are compared. */
export const SeenComparable = z.object({
  /** The offer's id. Left out if unknown. */
  id: z.string().optional(),
  totalAmount: z.string(),
  departures: z.array(z.string()),
  cabin: z.string().nullable(),
});
export type SeenComparable = z.infer<typeof SeenComparable>;

interface Owner {
  tenantId: string;
  environment: Environment;
}

/**
 * Bookable items that a tenant was shown: offers and their changes, rates and quotes, as last seen. A purchase is
 * judged by them before anything outside is asked.
 */
export interface SeenOffers {
  /** Replaces earlier ones under these ids. `search` holds the comparables of offers that name it; `alongside` is stored with them. */
  remember(
    owner: Owner,
    offers: readonly { id: string; offer: SeenOffer }[],
    search?: { id: string; comparables: readonly SeenComparable[] },
    alongside?: Write,
  ): Promise<void>;
  find(owner: Owner, id: string): Promise<SeenOffer | undefined>;
  /** Returns the known ones of these. */
  findAll(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, SeenOffer>>;
  /** For a plan: with the other offers of its search, if they are still known, and its booking that has not failed. */
  findForPlan(
    owner: Owner,
    offerId: string,
  ): Promise<{
    offer: SeenOffer | undefined;
    comparables: readonly SeenComparable[] | undefined;
    live: Booking | undefined;
  }>;
  /** Deletes offers seen before this. */
  prune(before: Temporal.Instant): Promise<void>;
}

/** Whether a tenant owns the records: a caller that pays without a key has none. */
export function keepsRecords({ keyId }: { keyId: string }): boolean {
  return keyId !== "";
}

/** The offers by which plans were judged. */
export const plannedOffers = new PlanReads<SeenOffer | undefined>();

/** Throws if the price has risen since the tenant last saw it: nobody has judged or approved that price. Returns the rate of then. */
export async function requireSeenPrice(
  seenOffers: Pick<SeenOffers, "find">,
  owner: Owner,
  id: string,
  { totalAmount, totalCurrency }: Pick<z.infer<typeof Price>, "totalAmount" | "totalCurrency">,
): Promise<BookingRate | undefined> {
  const seen = await plannedOffers.take(owner, id, () => seenOffers.find(owner, id));
  if (seen === undefined) return undefined;
  const [now, then] = [parseDecimal(totalAmount) ?? 0n, parseDecimal(seen.totalAmount) ?? 0n];
  if (seen.totalCurrency === totalCurrency && now <= then) return seen.rate ?? undefined;
  throw new Failure("price_changed", {
    detail: `It now costs ${totalAmount} ${totalCurrency}; it was ${seen.totalAmount} ${seen.totalCurrency} when you last saw it. Nothing is owed; look at it again, then book it or another offer.`,
    extra: { totalAmount, totalCurrency, seenAmount: seen.totalAmount, seenCurrency: seen.totalCurrency },
  });
}
