import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { parseDecimal } from "../../../domain/money.ts";
import type { Environment } from "../../../ports/identity.ts";
import { SeenService } from "../booking/asked-services.ts";
import { BookingRate } from "../booking-rate.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "bookings.seenOffers": SeenOffers;
  }
}

const Price = z.object({
  totalAmount: z.string(),
  totalCurrency: z.string(),
  /** At which it was shown; null: there was none. */
  rate: BookingRate.nullable().default(null),
});

/** Times are local at the airports; null: the supplier did not say. */
export const SeenFlight = Price.extend({
  kind: z.literal("flight"),
  /** The search that it is of; other offers of that search are what it is compared with. */
  searchId: z.string().nullable(),
  carriers: z.array(z.string()),
  passengers: z.number().nullable(),
  /** Whom it is for, by passenger. Left out: not known. */
  expected: z
    .array(z.object({ type: z.string().nullable(), age: z.number().optional(), fareType: z.string().nullable() }))
    .optional(),
  refundable: z.boolean().nullable(),
  /** Left out: not known. */
  refundPenaltyAmount: z.string().optional(),
  changeable: z.boolean().nullable(),
  fareBrands: z.array(z.string()).nullable(),
  emissionsKgPerPassenger: z.number().nullable(),
  /** Of a change: the order that it would change. Left out: it is no change, or not known. */
  orderId: z.string().optional(),
  /** In the offer's currency. Left out: they were not listed. */
  services: z.array(SeenService).optional(),
  legs: z.array(
    z.object({
      origin: z.string(),
      destination: z.string(),
      departingAt: z.string().nullable(),
      arrivingAt: z.string().nullable(),
      durationMinutes: z.number(),
      stops: z.number(),
      /** Left out: not known. */
      flights: z.array(z.string()).optional(),
      cabin: z.string().nullable(),
    }),
  ),
});
export type SeenFlight = z.infer<typeof SeenFlight>;

const SeenPlace = z.object({
  /** null: the supplier does not say where it is. */
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  timeZone: z.string().nullable(),
  stars: z.number().nullable(),
});

/** A rate of a search, and the quote of it. */
export const SeenStay = Price.extend({
  kind: z.literal("stay"),
  /** As of flights. Left out: not known. */
  searchId: z.string().optional(),
  /** Of a quote: the rate that it is of. */
  rateId: z.string().optional(),
  accommodationId: z.string(),
  /** Left out: not known. */
  name: z.string().optional(),
  rooms: z.number(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  refundable: z.boolean(),
  /** What comes back until when. Left out: not known. */
  refunds: z.array(z.object({ before: z.string(), refundAmount: z.string() })).optional(),
  /** Of a quote, as the supplier says; beds are those of each room. Left out: not known. */
  guests: z.number().optional(),
  childAges: z.array(z.number()).optional(),
  beds: z.array(z.object({ type: z.string(), count: z.number() })).optional(),
  /** Of a quote: what is paid at the accommodation. Left out: nothing, or not known. */
  due: z.object({ amount: z.string(), currency: z.string() }).optional(),
  /** null: no search of the tenant's has shown it. */
  place: SeenPlace.nullable(),
});
export type SeenStay = z.infer<typeof SeenStay>;

export const SeenOffer = z.discriminatedUnion("kind", [SeenFlight, SeenStay]);
export type SeenOffer = z.infer<typeof SeenOffer>;

/** What offers of one search are compared by. */
export const SeenComparable = z.object({
  /** Of the offer. Left out: not known. */
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
 * What a tenant was shown that it can book: offers and their changes, rates and quotes, as they were when it saw them last. What a
 * call would buy is judged by this before anything outside is asked.
 */
export interface SeenOffers {
  /** Replaces what was seen before under these ids. `search`: what offers that name it are compared with. */
  remember(
    owner: Owner,
    offers: readonly { id: string; offer: SeenOffer }[],
    search?: { id: string; comparables: readonly SeenComparable[] },
  ): Promise<void>;
  find(owner: Owner, id: string): Promise<SeenOffer | undefined>;
  /** Those that are known of these. */
  findAll(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, SeenOffer>>;
  /** Undefined also of a search that was forgotten. */
  comparables(owner: Owner, searchId: string): Promise<readonly SeenComparable[] | undefined>;
  /** Forgets what was seen before this. */
  prune(before: Temporal.Instant): Promise<void>;
}

/** Whether there is a tenant whose records these are: who pays without a key has none. */
export function keepsRecords({ keyId }: { keyId: string }): boolean {
  return keyId !== "";
}

/** Throws when it costs more now than when the tenant saw it last: nobody has judged or approved that price. The rate is that of then. */
export async function requireSeenPrice(
  seenOffers: Pick<SeenOffers, "find">,
  owner: Owner,
  id: string,
  { totalAmount, totalCurrency }: Pick<z.infer<typeof Price>, "totalAmount" | "totalCurrency">,
): Promise<BookingRate | undefined> {
  const seen = await seenOffers.find(owner, id);
  if (seen === undefined) return undefined;
  const [now, then] = [parseDecimal(totalAmount) ?? 0n, parseDecimal(seen.totalAmount) ?? 0n];
  if (seen.totalCurrency === totalCurrency && now <= then) return seen.rate ?? undefined;
  throw new Failure("price_changed", {
    detail: `It costs ${totalAmount} ${totalCurrency} now, and ${seen.totalAmount} ${seen.totalCurrency} when you saw it last. Nothing is owed; look at it again, then book it or another.`,
    extra: { totalAmount, totalCurrency, seenAmount: seen.totalAmount, seenCurrency: seen.totalCurrency },
  });
}
