import { hash } from "node:crypto";
import { z } from "zod";
import { type Coordinates, distanceMeters } from "../../domain/distance.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { FoundStay, StayRate } from "../../ports/supplier/stays.ts";
import { type SaleRates, shownInUsdc } from "../bookings/index.ts";
import { TokenAmount } from "../treasury/index.ts";

/** Requirements of places, and their order. */
export const StayWishes = {
  maxTotalUsdc: TokenAmount.optional().describe("For the whole stay"),
  minStars: z.number().min(1).max(5).optional(),
  minReviewScore: z.number().min(0).max(10).optional(),
  maxDistanceMeters: z.number().int().min(100).max(100_000).optional(),
  name: z.string().min(2).max(100).optional().describe("A part of it"),
  refundable: z.boolean().default(false).describe("Only such rates are shown"),
  order: z.enum(["best", "price", "distance", "stars", "review"]).default("best"),
};
const WishesShape = z.object(StayWishes);
type StayWishes = z.output<typeof WishesShape>;

interface Around {
  center: Coordinates;
  rates: SaleRates;
}

/**
 * The places that pass every test, in order; if none does, the arguments without any one of which some would. A place that lacks
 * what a test looks at does not pass it. Whether a place is refundable is not known before its rates are read.
 */
export function narrowStays(
  found: readonly FoundStay[],
  wishes: StayWishes,
  around: Around,
): { matching: readonly FoundStay[]; emptiedBy: readonly string[] } {
  const tests = buildTests(wishes, around);
  const passing = (asked: typeof tests) => found.filter((stay) => asked.every(([, test]) => test(stay)));
  const matching = passing(tests);
  const emptiedBy =
    matching.length > 0 ? [] : tests.filter((one) => passing(tests.filter((other) => other !== one)).length > 0);
  return { matching: inOrder(matching, wishes.order, around), emptiedBy: emptiedBy.map(([name]) => name) };
}

/** Whether a rate may be shown: a place passes the tests with its cheapest rate, and others of it may cost more. */
export function isWanted(rate: StayRate, { maxTotalUsdc, refundable }: StayWishes, rates: SaleRates): boolean {
  const most = maxTotalUsdc === undefined ? undefined : parseDecimal(maxTotalUsdc);
  return (most === undefined || costs(rate, rates) <= most) && (!refundable || rate.cancellationPolicy.refundable);
}

type Test = (stay: FoundStay) => boolean;

function buildTests(
  { maxTotalUsdc, minStars, minReviewScore, maxDistanceMeters, name }: StayWishes,
  { center, rates }: Around,
): [name: string, test: Test][] {
  const most = maxTotalUsdc === undefined ? undefined : parseDecimal(maxTotalUsdc);
  const part = name?.toLowerCase();
  const atLeast = (value: number | null, least: number | undefined) => least === undefined || (value ?? -1) >= least;
  const tests: [string, boolean, Test][] = [
    ["maxTotalUsdc", most !== undefined, (stay) => most !== undefined && costs(stay.cheapest, rates) <= most],
    ["minStars", minStars !== undefined, ({ starRating }) => atLeast(starRating, minStars)],
    ["minReviewScore", minReviewScore !== undefined, ({ reviewScore }) => atLeast(reviewScore, minReviewScore)],
    [
      "maxDistanceMeters",
      maxDistanceMeters !== undefined,
      (stay) => maxDistanceMeters !== undefined && isFrom(stay, center) <= maxDistanceMeters,
    ],
    ["name", part !== undefined, (stay) => part !== undefined && stay.name.toLowerCase().includes(part)],
  ];
  return tests.flatMap(([argument, isAsked, test]) => (isAsked ? [[argument, test]] : []));
}

function inOrder(stays: readonly FoundStay[], order: StayWishes["order"], { center, rates }: Around) {
  const compare: Record<StayWishes["order"], (left: FoundStay, right: FoundStay) => number> = {
    best: () => 0,
    price: (left, right) => Number(costs(left.cheapest, rates) - costs(right.cheapest, rates)),
    distance: (left, right) => isFrom(left, center) - isFrom(right, center),
    stars: (left, right) => (right.starRating ?? 0) - (left.starRating ?? 0),
    review: (left, right) => (right.reviewScore ?? 0) - (left.reviewScore ?? 0),
  };
  return stays.toSorted(compare[order]);
}

const NEVER = 2n ** 53n - 1n;

/** In micro-USDC; a price that cannot be compared is above all others. */
function costs(price: FoundStay["cheapest"], rates: SaleRates): bigint {
  if (price === null) return NEVER;
  const { totalUsdc } = shownInUsdc(price, rates);
  const usdc = totalUsdc ?? (price.totalCurrency === "USD" ? price.totalAmount : undefined);
  return usdc === undefined ? NEVER : (parseDecimal(usdc) ?? NEVER);
}

function isFrom({ latitude, longitude }: FoundStay, center: Coordinates): number {
  return latitude === null || longitude === null
    ? Number.MAX_SAFE_INTEGER
    : distanceMeters(center, { latitude, longitude });
}

const Cursor = z.tuple([z.number().int().min(0), z.string()]);

/** A cursor is a position in the list of a search with these wishes; it is invalid in another list. */
export function writeCursor(offset: number, searchId: string, wishes: StayWishes): string {
  return Buffer.from(JSON.stringify([offset, digest(searchId, wishes)])).toString("base64url");
}

/** Undefined if it is of another list, or malformed. */
export function readCursor(cursor: string, searchId: string, wishes: StayWishes): number | undefined {
  try {
    const [offset, own] = Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return own === digest(searchId, wishes) ? offset : undefined;
  } catch {
    return undefined;
  }
}

function digest(searchId: string, wishes: StayWishes): string {
  return hash("sha256", JSON.stringify([searchId, WishesShape.parse(wishes)])).slice(0, 16);
}
