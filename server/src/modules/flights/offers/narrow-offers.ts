import { hash } from "node:crypto";
import { z } from "zod";
import { parseDecimal } from "../../../domain/money.ts";
import type { FlightOffer, FlightSearch } from "../../../ports/supplier/flights.ts";
import { bestOffers, isDirect, journeyMinutes } from "./best-offers.ts";
import { isWhollyIn } from "./cabins.ts";
import { countBags } from "./fares.ts";

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const Time = z.string().refine((text) => TIME.test(text), { error: "must be a time of day, such as 08:30" });
const Window = z.strictObject({ from: Time.optional(), until: Time.optional() }).optional();

/** Requirements of offers, and their order. Times are local at the airport; both ends are included. */
export const Wishes = {
  departs: Window.describe("Local HH:MM, inclusive"),
  arrives: Window,
  returnDeparts: Window,
  returnArrives: Window,
  directOnly: z.boolean().default(false),
  airlines: z
    .array(z.string().regex(/^[A-Za-z0-9]{2}$/, { error: "must be a two-character IATA airline code" }))
    .min(1)
    .max(30)
    .optional()
    .describe("IATA codes; every flight is sold or operated by one of them"),
  refundable: z.boolean().default(false),
  changeable: z.boolean().default(false),
  checkedBags: z.number().int().min(0).max(9).default(0).describe("Minimum included in the fare, per passenger"),
  allInCabin: z.boolean().default(false).describe("Every flight in the requested cabin or a higher one"),
  order: z
    .enum(["best", "price", "duration", "departure", "arrival"])
    .default("best")
    .describe("departure, arrival: of the outbound journey"),
};
const WishesShape = z.object(Wishes);
export type Wishes = z.output<typeof WishesShape>;

type Test = (offer: FlightOffer) => boolean;

/** The tests that a call asks for, by argument name. */
function buildTests(wishes: Wishes, cabin: FlightSearch["cabinClass"]): [name: string, test: Test][] {
  const { airlines, checkedBags } = wishes;
  const codes = new Set(airlines?.map((code) => code.toUpperCase()));
  const tests: [string, boolean, Test][] = [
    ["departs", wishes.departs !== undefined, (offer) => isWithin(findEnds(offer, 0).departs, wishes.departs)],
    ["arrives", wishes.arrives !== undefined, (offer) => isWithin(findEnds(offer, 0).arrives, wishes.arrives)],
    [
      "returnDeparts",
      wishes.returnDeparts !== undefined,
      (offer) => isWithin(findEnds(offer, 1).departs, wishes.returnDeparts),
    ],
    [
      "returnArrives",
      wishes.returnArrives !== undefined,
      (offer) => isWithin(findEnds(offer, 1).arrives, wishes.returnArrives),
    ],
    ["directOnly", wishes.directOnly, isDirect],
    ["airlines", airlines !== undefined, (offer) => isBy(offer, codes)],
    ["refundable", wishes.refundable, ({ conditions }) => conditions.refundBeforeDeparture?.allowed === true],
    ["changeable", wishes.changeable, ({ conditions }) => conditions.changeBeforeDeparture?.allowed === true],
    ["checkedBags", checkedBags > 0, (offer) => countBags(offer, "checked") >= checkedBags],
    ["allInCabin", wishes.allInCabin, (offer) => isWhollyIn(offer, cabin)],
  ];
  return tests.flatMap(([name, isAsked, test]) => (isAsked ? [[name, test]] : []));
}

function findEnds({ slices }: FlightOffer, index: number): { departs: string; arrives: string } {
  const segments = slices[index]?.segments ?? [];
  return { departs: segments[0]?.departingAt ?? "", arrives: segments.at(-1)?.arrivingAt ?? "" };
}

/** A window that ends before it begins spans midnight. */
function isWithin(
  local: string,
  { from = "00:00", until = "23:59" }: { from?: string | undefined; until?: string | undefined } = {},
): boolean {
  const time = local.slice("2027-01-20T".length, "2027-01-20T21:35".length);
  if (!TIME.test(time)) return false;
  return from <= until ? time >= from && time <= until : time >= from || time <= until;
}

function isBy({ slices }: FlightOffer, codes: ReadonlySet<string>): boolean {
  return slices.every(({ segments }) =>
    segments.every(({ carrier, operatingCarrier }) => codes.has(carrier) || codes.has(operatingCarrier)),
  );
}

/** The offers that pass all tests, and, if none does, the arguments that alone exclude all. */
export function narrow(
  offers: readonly FlightOffer[],
  wishes: Wishes,
  cabin: FlightSearch["cabinClass"],
): { matching: readonly FlightOffer[]; emptiedBy: readonly string[] } {
  const tests = buildTests(wishes, cabin);
  const passing = (asked: typeof tests) => offers.filter((offer) => asked.every(([, test]) => test(offer)));
  const matching = passing(tests);
  const emptiedBy =
    matching.length > 0 ? [] : tests.filter((one) => passing(tests.filter((other) => other !== one)).length > 0);
  return { matching, emptiedBy: emptiedBy.map(([name]) => name) };
}

/** One offer per itinerary. */
export function inOrder(
  offers: readonly FlightOffer[],
  order: Wishes["order"],
  cabin: FlightSearch["cabinClass"],
): readonly FlightOffer[] {
  const ranked = bestOffers(offers, cabin);
  const price = ({ totalAmount }: FlightOffer) => Number(parseDecimal(totalAmount) ?? Number.MAX_SAFE_INTEGER);
  const byText = (of: (offer: FlightOffer) => string) => (left: FlightOffer, right: FlightOffer) =>
    of(left) < of(right) ? -1 : of(left) > of(right) ? 1 : price(left) - price(right);
  const compare = {
    best: () => 0,
    price: (left: FlightOffer, right: FlightOffer) => price(left) - price(right),
    duration: (left: FlightOffer, right: FlightOffer) =>
      journeyMinutes(left) - journeyMinutes(right) || price(left) - price(right),
    departure: byText((offer) => findEnds(offer, 0).departs),
    arrival: byText((offer) => findEnds(offer, 0).arrives),
  }[order];
  return ranked.toSorted(compare);
}

const Cursor = z.tuple([z.number().int().min(0), z.string()]);

/** A cursor is a position in the list of a search with these wishes; it is invalid in another list. */
export function writeCursor(offset: number, searchId: string, wishes: Wishes): string {
  return Buffer.from(JSON.stringify([offset, digestSearch(searchId, wishes)])).toString("base64url");
}

/** Undefined if it is of another list, or malformed. */
export function readCursor(cursor: string, searchId: string, wishes: Wishes): number | undefined {
  try {
    const [offset, digest] = Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return digest === digestSearch(searchId, wishes) ? offset : undefined;
  } catch {
    return undefined;
  }
}

function digestSearch(searchId: string, wishes: Wishes): string {
  return hash("sha256", JSON.stringify([searchId, WishesShape.parse(wishes)])).slice(0, 16);
}
