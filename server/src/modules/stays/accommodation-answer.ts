import { z } from "zod";
import { type Coordinates, distanceMeters } from "../../domain/distance.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../domain/schemas.ts";
import type { Accommodation, StayRate } from "../../ports/supplier/stays.ts";
import { type SaleRates, shownInUsdc } from "../bookings/index.ts";
import { countSleeping, type Party } from "./say-guests.ts";
import { StayCancellationPolicy } from "./stay-result.ts";

const MOST_RATES = 4;
const MOST_PHOTOS = 2;

/** The supplier's bed list. It does not say how many guests a room takes. */
export const Beds = z
  .array(z.object({ type: wordsOfOthers(), count: z.number() }))
  .readonly()
  .describe("Per room; empty: not known");

const Rate = z.object({
  id: z.string().describe("For rateId of quote_stay"),
  totalAmount: DecimalAmount.describe("For the whole stay and all rooms; paid at booking"),
  perNightAmount: DecimalAmount.describe("totalAmount divided by nights, rounded"),
  totalCurrency: z.string(),
  totalUsdc: DecimalAmount.optional().describe("What booking it would charge; omitted if totalCurrency is USD"),
  boardType: wordsOfOthers().nullable(),
  roomName: wordsOfOthers().nullable(),
  beds: Beds,
  sleeps: z.number().nullable().describe("Guests for whom all rooms have beds; null: not known"),
  refundable: z.boolean(),
  fullRefundUntil: z.string().nullable().describe("null: never in full; quote_stay shows partial refunds"),
  dueAtAccommodation: z
    .object({ amount: DecimalAmount, currency: z.string() })
    .optional()
    .describe("Paid on site, in addition to totalAmount"),
});

export const AccommodationAnswer = z.object({
  id: z.string(),
  searchResultId: z.string(),
  name: wordsOfOthers(),
  distanceMeters: z
    .number()
    .nullable()
    .describe("Distance from the requested place; null: the supplier does not say where it is, so it cannot be mapped"),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  address: wordsOfOthers().nullable(),
  photos: z.array(wordsOfOthers()).readonly(),
  starRating: z.number().nullable(),
  reviewScore: z.number().nullable().describe("0 to 10"),
  reviewCount: z.number().nullable(),
  cheapestRate: Rate.pick({
    id: true,
    totalAmount: true,
    totalCurrency: true,
    totalUsdc: true,
    boardType: true,
    roomName: true,
  }),
  cancellationPolicy: StayCancellationPolicy,
  rates: z.array(Rate).readonly(),
  expiresAt: z.string().nullable(),
});

/** Describes an accommodation found around `center`. */
export function toAccommodationAnswer(
  { rates: all, photos, ...place }: Accommodation,
  { center, nights, saleRates, party }: { center: Coordinates; nights: number; saleRates: SaleRates; party: Party },
): z.input<typeof AccommodationAnswer> {
  // A room that is too small for the party is shown only if there is no other.
  const fitting = all.filter(({ beds }) => countSleeping(beds, party).mayFit);
  const rates = fitting.length === 0 ? all : fitting;
  const [cheapest = all[0]] = rates;
  const { latitude, longitude } = place;
  const { id, totalAmount, totalCurrency, boardType, roomName, cancellationPolicy } = cheapest;
  return {
    ...place,
    distanceMeters: latitude === null || longitude === null ? null : distanceMeters(center, { latitude, longitude }),
    photos: photos.slice(0, MOST_PHOTOS),
    cheapestRate: { id, totalAmount, totalCurrency, ...shownInUsdc(cheapest, saleRates), boardType, roomName },
    cancellationPolicy,
    rates: chooseRates(rates).map((rate) => ({
      ...toRate(rate, BigInt(nights), saleRates),
      sleeps: countSleeping(rate.beds, party).sleeps,
    })),
  };
}

export const AccommodationPicks = z.object({
  best: z.string(),
  cheapest: z.string(),
  nearest: z.string().nullable(),
  whyNoNearest: z.string().optional().describe("Present if nearest is null"),
  cheapestRefundable: z.string().nullable().describe("null: none of the rates shown is fully refundable"),
});

/** Picks the best of the accommodations shown, if there are several. A place that is only partly known has no nearest one. */
export function pickAccommodations(
  shown: readonly z.input<typeof AccommodationAnswer>[],
  { unknownPart }: { unknownPart: string | null },
) {
  const of = (measure: (one: z.input<typeof AccommodationAnswer>) => number): string | null => {
    const least = Math.min(...shown.map(measure));
    return least === Number.POSITIVE_INFINITY ? null : (shown.find((one) => measure(one) === least)?.id ?? null);
  };
  const never = Number.POSITIVE_INFINITY;
  const nearest = unknownPart === null ? of(({ distanceMeters: meters }) => meters ?? never) : null;
  const whyNoNearest =
    unknownPart === null
      ? "The supplier does not say where they are."
      : `"${unknownPart}" is not known: distances are from the center of the larger place. Give a known place or coordinates.`;
  return {
    best: shown[0]?.id ?? "",
    cheapest: of(({ cheapestRate }) => compared(cheapestRate)) ?? "",
    nearest,
    ...(nearest === null ? { whyNoNearest } : {}),
    cheapestRefundable: of(({ rates }) =>
      Math.min(never, ...rates.filter(({ fullRefundUntil }) => fullRefundUntil !== null).map(compared)),
    ),
  };
}

/** Compared in USDC only, as accommodations sell in different currencies. */
const compared = ({ totalUsdc, totalAmount }: { totalUsdc?: string | undefined; totalAmount: string }): number =>
  Number(parseDecimal(totalUsdc ?? totalAmount) ?? Number.MAX_SAFE_INTEGER);

/** The cheapest rate, the cheapest fully refundable one, and the cheapest of other boards and rooms; cheapest first. */
function chooseRates(rates: readonly StayRate[]): StayRate[] {
  const kinds = new Map<string, StayRate>();
  for (const rate of rates) {
    const kind = `${rate.boardType} ${rate.cancellationPolicy.refundable}`;
    if (!kinds.has(kind)) kinds.set(kind, rate);
  }
  const refundable = rates.find(({ cancellationPolicy }) => cancellationPolicy.refundable);
  const wanted = [rates[0], refundable, ...kinds.values(), ...rates].filter((rate) => rate !== undefined);
  const chosen = new Set([...new Set(wanted)].slice(0, MOST_RATES));
  return rates.filter((rate) => chosen.has(rate));
}

function toRate(rate: StayRate, nights: bigint, saleRates: SaleRates): Omit<z.input<typeof Rate>, "sleeps"> {
  const { id, totalAmount, totalCurrency, boardType, roomName, cancellationPolicy } = rate;
  const { refundable, timeline } = cancellationPolicy;
  const inFull = timeline.findLast(({ refundAmount }) => parseDecimal(refundAmount) === parseDecimal(totalAmount));
  const { dueAtAccommodationAmount: amount, dueAtAccommodationCurrency: currency } = rate;
  return {
    id,
    totalAmount,
    perNightAmount: perNight(totalAmount, nights),
    totalCurrency,
    ...shownInUsdc(rate, saleRates),
    boardType,
    roomName,
    beds: rate.beds,
    refundable,
    fullRefundUntil: inFull?.before ?? null,
    ...(amount === null || currency === null ? {} : { dueAtAccommodation: { amount, currency } }),
  };
}

/** Rounded to two decimals, or to none where the total has none, as in yen: for comparison only, never charged. */
function perNight(totalAmount: string, nights: bigint): string {
  const places = totalAmount.includes(".") ? 2 : 0;
  const step = 10n ** BigInt(6 - places);
  const half = (step * nights) / 2n;
  return formatDecimal((((parseDecimal(totalAmount) ?? 0n) + half) / (step * nights)) * step, places);
}
