import { z } from "zod";
import { type Coordinates, distanceMeters } from "../../../domain/distance.ts";
import { parseDecimal } from "../../../domain/money.ts";
import type { Accommodation, CancellationPolicy, FoundStay, StayRate } from "../../../ports/supplier/stays.ts";
import { Amount, Count, Currency, described, describedList, Instant, Text } from "../wire.ts";

export const WireAddress = described(
  z.object({
    line_one: described(z.string()),
    city_name: described(z.string()),
    region: described(z.string()),
    postal_code: described(z.string()),
    country_code: described(z.string()),
  }),
);

export const WireTimeline = z.array(z.object({ before: Instant, refund_amount: Amount, currency: Currency })).nullish();

export const WireBeds = describedList(z.object({ type: Text, count: Count }));

const WireAccommodation = z.object({
  id: Text,
  name: Text,
  // Some accommodations have none and are sold all the same.
  location: described(
    z.object({
      address: WireAddress,
      geographic_coordinates: described(z.object({ latitude: z.number(), longitude: z.number() })),
    }),
  ),
  rating: described(z.number()),
  review_score: described(z.number()),
  review_count: described(Count),
  photos: describedList(z.object({ url: Text })),
});

/** A search result: it has a price but no rate yet. */
export const WireStay = z.object({
  id: Text,
  cheapest_rate_total_amount: Amount.nullish(),
  cheapest_rate_currency: Currency.nullish(),
  accommodation: WireAccommodation,
});
export type WireStay = z.infer<typeof WireStay>;

const WireRate = z.object({
  id: Text,
  total_amount: Amount,
  total_currency: Currency,
  board_type: described(z.string()),
  available_payment_methods: z.array(z.string()).nullish(),
  cancellation_timeline: described(WireTimeline),
  due_at_accommodation_amount: Amount.nullish(),
  due_at_accommodation_currency: Currency.nullish(),
  expires_at: Instant.nullish(),
});
type WireRate = z.infer<typeof WireRate>;

export const WireStayWithRates = z.object({
  id: Text,
  expires_at: Instant.nullish(),
  accommodation: WireAccommodation.extend({
    rooms: describedList(z.object({ name: described(z.string()), beds: WireBeds, rates: describedList(WireRate) })),
  }),
});
type WireStayWithRates = z.infer<typeof WireStayWithRates>;

function micro(amount: string): bigint {
  return parseDecimal(amount) ?? 0n;
}

/** The rates payable from the balance, cheapest first; a rate without payment types is payable. */
function payableRates(stay: WireStayWithRates): StayRate[] {
  return stay.accommodation.rooms
    .flatMap(({ name: roomName, beds, rates }) => rates.map((rate) => ({ rate, room: { roomName, beds } })))
    .filter(({ rate: { available_payment_methods: methods } }) => !methods?.length || methods.includes("balance"))
    .sort(({ rate: left }, { rate: right }) => Number(micro(left.total_amount) - micro(right.total_amount)))
    .map(({ rate, room }) => toRate(rate, room));
}

function toRate(rate: WireRate, room: Pick<StayRate, "roomName" | "beds">): StayRate {
  const due = amountDue(rate.due_at_accommodation_amount);
  return {
    id: rate.id,
    totalAmount: rate.total_amount,
    totalCurrency: rate.total_currency,
    boardType: rate.board_type,
    ...room,
    cancellationPolicy: toPolicy(rate.cancellation_timeline),
    dueAtAccommodationAmount: due,
    dueAtAccommodationCurrency: due === null ? null : (rate.due_at_accommodation_currency ?? null),
  };
}

/** An amount of zero means that nothing is due there. */
export function amountDue(amount: string | null | undefined): string | null {
  return typeof amount === "string" && parseDecimal(amount) !== 0n ? amount : null;
}

export function addressLine(address: z.infer<typeof WireAddress> | undefined): string | null {
  const lines = [address?.line_one, address?.city_name, address?.region, address?.postal_code, address?.country_code];
  const written = lines.filter((line) => typeof line === "string" && line !== "").join(", ");
  return written === "" ? null : written;
}

export function toPolicy(wire: z.infer<typeof WireTimeline>): CancellationPolicy {
  const timeline = [...(wire ?? [])].sort((a, b) =>
    Temporal.Instant.compare(Temporal.Instant.from(a.before), Temporal.Instant.from(b.before)),
  );
  return {
    refundable: timeline.length > 0,
    timeline: timeline.map(({ before, refund_amount, currency }) => ({
      before,
      refundAmount: refund_amount,
      currency,
    })),
  };
}

export function toFoundStay({ id, accommodation, ...price }: WireStay): FoundStay {
  const position = accommodation.location?.geographic_coordinates ?? null;
  const { cheapest_rate_total_amount: totalAmount, cheapest_rate_currency: totalCurrency } = price;
  return {
    searchResultId: id,
    name: accommodation.name,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    starRating: accommodation.rating,
    reviewScore: accommodation.review_score,
    cheapest: totalAmount && totalCurrency ? { totalAmount, totalCurrency } : null,
  };
}

/** Undefined if no bookable rate is left. */
export function toAccommodation(stay: WireStayWithRates): Accommodation | undefined {
  const [cheapest, ...others] = payableRates(stay);
  if (cheapest === undefined) return undefined;
  const { accommodation } = stay;
  const expiry = accommodation.rooms.flatMap(({ rates }) => rates).find(({ id }) => id === cheapest.id)?.expires_at;
  const position = accommodation.location?.geographic_coordinates ?? null;
  return {
    id: accommodation.id,
    searchResultId: stay.id,
    name: accommodation.name,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    address: addressLine(accommodation.location?.address),
    photos: accommodation.photos.map((photo) => photo.url),
    starRating: accommodation.rating,
    reviewScore: accommodation.review_score,
    reviewCount: accommodation.review_count,
    rates: [cheapest, ...others],
    expiresAt: expiry ?? stay.expires_at ?? null,
  };
}

/** An accommodation without reviews counts as average. */
const SCORE_WITHOUT_REVIEWS = 6;
/** A price of twice the median costs this many points of the review score (0 to 10). */
const POINTS_PER_MEDIAN_PRICE = 3;

/**
 * The order of accommodations: review score (0–10) minus three points per median price that the place costs. A place at half
 * the median price may score 1.5 points less than one at the median and still rank equally. Ties: the cheaper, then the id.
 * Places without a price come last, as the search did not price them.
 */
export function rankStays(stays: readonly WireStay[]): WireStay[] {
  const prices = stays
    .flatMap((stay) => (stay.cheapest_rate_total_amount ? [micro(stay.cheapest_rate_total_amount)] : []))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const median = prices[Math.floor(prices.length / 2)] ?? 0n;
  const worth = (stay: WireStay): number => {
    const price = stay.cheapest_rate_total_amount;
    if (price === null || price === undefined) return Number.NEGATIVE_INFINITY;
    // A ratio for ranking only; the amount itself stays an integer.
    const ratio = median === 0n ? 1 : Number((micro(price) * 1_000n) / median) / 1_000;
    return (stay.accommodation.review_score ?? SCORE_WITHOUT_REVIEWS) - POINTS_PER_MEDIAN_PRICE * ratio;
  };
  const ranked = stays.map((stay) => ({
    stay,
    worth: worth(stay),
    price: micro(stay.cheapest_rate_total_amount ?? "0"),
  }));
  ranked.sort((a, b) => {
    if (a.worth !== b.worth) return b.worth - a.worth;
    if (a.price !== b.price) return a.price < b.price ? -1 : 1;
    return a.stay.id < b.stay.id ? -1 : 1;
  });
  return ranked.map(({ stay }) => stay);
}

/** Moves the best, the cheapest and the nearest to the front, so that they are always shown. */
export function outstandingFirst(ranked: readonly WireStay[], center: Coordinates): WireStay[] {
  const price = ({ cheapest_rate_total_amount: amount }: WireStay) =>
    amount ? Number(micro(amount)) : Number.POSITIVE_INFINITY;
  const distance = ({ accommodation }: WireStay) => {
    const position = accommodation.location?.geographic_coordinates;
    return position ? distanceMeters(center, position) : Number.POSITIVE_INFINITY;
  };
  const [best] = ranked;
  const cheapest = ranked.toSorted((left, right) => price(left) - price(right))[0];
  const nearest = ranked.toSorted((left, right) => distance(left) - distance(right))[0];
  return [...new Set([best, cheapest, nearest, ...ranked])].filter((stay) => stay !== undefined);
}
