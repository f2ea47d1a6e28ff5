import { z } from "zod";
import { parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import type { FlightOffer, FlightSearch, Slice } from "../../../ports/supplier/flights.ts";
import { type chooseOffers, itineraryKey } from "./best-offers.ts";
import { isWhollyIn, sayCabins } from "./cabins.ts";

const MOST_FARES = 6;

const Penalty = DecimalAmount.nullable().optional().describe("In totalCurrency, in addition to the fare difference");

export const Fare = z.object({
  id: z.string().describe("For offerId of book_flight"),
  name: wordsOfOthers().nullable(),
  totalAmount: DecimalAmount,
  refundable: z
    .boolean()
    .nullable()
    .describe("Before departure, as money or airline credit; null: the airline did not say"),
  refundPenaltyAmount: DecimalAmount.nullable().optional().describe("In totalCurrency"),
  changeable: z.boolean().nullable(),
  changePenaltyAmount: Penalty,
  checkedBags: z.number().describe("Included, for each passenger, on every flight"),
  carryOnBags: z.number(),
  cabinClass: z.string().optional().describe("Present if it differs from the offer's"),
});
export type Fare = z.infer<typeof Fare>;

/**
 * The other fares of an offer's flights, cheapest first. Of equal terms, as of code-shares, only the cheaper is shown.
 * If there are too many, the cheapest refundable and the cheapest changeable one are always included.
 */
export function otherFares(offer: FlightOffer, offers: readonly FlightOffer[]): Fare[] {
  const flights = itineraryKey(offer);
  const sameFlights = offers
    .filter((other) => other.id !== offer.id && itineraryKey(other) === flights)
    .sort((left, right) => micro(left) - micro(right));
  const seen = new Set([serializeTerms(toFare(offer, offer))]);
  const fares = sameFlights
    .map((other) => toFare(other, offer))
    .filter((fare) => {
      const terms = serializeTerms(fare);
      return !seen.has(terms) && seen.add(terms);
    });
  const wanted = [fares.find(({ refundable }) => refundable), fares.find(({ changeable }) => changeable), ...fares];
  const shown = new Set(wanted.filter((fare) => fare !== undefined).slice(0, MOST_FARES));
  return fares.filter((fare) => shown.has(fare));
}

function toFare(fare: FlightOffer, shown: FlightOffer): Fare {
  const { refundBeforeDeparture: refund, changeBeforeDeparture: change } = fare.conditions;
  const cabinClass = describeCabin(fare);
  return {
    id: fare.id,
    name: fareName(fare),
    totalAmount: fare.totalAmount,
    refundable: refund?.allowed ?? null,
    ...(refund?.allowed ? { refundPenaltyAmount: refund.penaltyAmount } : {}),
    changeable: change?.allowed ?? null,
    ...(change?.allowed ? { changePenaltyAmount: change.penaltyAmount } : {}),
    checkedBags: countBags(fare, "checked"),
    carryOnBags: countBags(fare, "carry_on"),
    ...(cabinClass === describeCabin(shown) ? {} : { cabinClass }),
  };
}

const serializeTerms = ({ id: _, totalAmount: __, ...terms }: Fare): string => JSON.stringify(terms);

export function fareName({ slices }: FlightOffer): string | null {
  const names = [...new Set(slices.flatMap(({ fareBrandName }) => fareBrandName ?? []))];
  return names.length === 0 ? null : names.join(" / ");
}

export const describeCabin = ({ slices }: FlightOffer): string =>
  [...new Set(slices.flatMap(({ segments }) => segments.map(({ cabinClass }) => cabinClass)))].join(" / ");

/** The number that every flight of the journey includes. */
export function countBags({ slices }: FlightOffer, type: string): number {
  const counts = slices.flatMap(({ segments }) =>
    segments.map(({ baggage }) => baggage.reduce((sum, bag) => sum + (bag.type === type ? bag.quantity : 0), 0)),
  );
  return counts.length === 0 ? 0 : Math.min(...counts);
}

export const Comparison = z.object({
  offers: z.number(),
  itineraries: z.number(),
});

/** A fare among all offers considered, possibly of flights that are not shown. */
const PickedFare = z.object({
  id: z.string().describe("For offerId of book_flight"),
  totalAmount: DecimalAmount,
  flights: z.string().optional().describe("Each direction, in local times, if the offer is not among those shown"),
  cabins: z.array(z.string()).optional().describe("Per flight, if not all are in the requested cabin"),
});
const ChangeableFare = PickedFare.extend({ changePenaltyAmount: Penalty }).nullable();

export const Picks = z
  .object({
    best: z.string(),
    cheapest: z.string(),
    fastest: z.string(),
    cheapestDirect: z.string().nullable().describe("Without a change of planes; null: there are none"),
    notShown: z
      .array(PickedFare)
      .describe("Those of cheapest, fastest and cheapestDirect that are not among the offers shown"),
    cheapestChangeable: ChangeableFare.describe("The lowest price; null: no fare can be changed"),
    cheapestWithOneChange: ChangeableFare.describe("The lowest sum of price and penalty"),
    cheapestRefundable: PickedFare.extend({ refundPenaltyAmount: DecimalAmount.nullable() })
      .nullable()
      .describe("The lowest price; null: no fare is refundable"),
    cheapestWithFreeRefund: PickedFare.nullable().describe("Refundable without a penalty"),
    cheapestInMixedCabins: PickedFare.optional().describe(
      "Cheaper than cheapest, but partly in a lower cabin than requested; see its cabins",
    ),
  })
  .describe(
    "Offer ids; all but best consider every offer found, only those entirely in the requested cabin if there are any",
  );

export const countOffers = (offers: readonly FlightOffer[]): z.infer<typeof Comparison> => ({
  offers: offers.length,
  itineraries: new Set(offers.map(itineraryKey)).size,
});

/** How many offers were considered, and which one is which. */
export function compareOffers(
  { shown, best, cheapest, fastest, cheapestDirect }: NonNullable<ReturnType<typeof chooseOffers>>,
  offers: readonly FlightOffer[],
  cabin: FlightSearch["cabinClass"] = "economy",
): { considered: z.infer<typeof Comparison>; picks: z.infer<typeof Picks> } {
  const shownIds = new Set(shown.flatMap((offer) => [offer.id, ...otherFares(offer, offers).map(({ id }) => id)]));
  const named = new Set([cheapest, fastest, cheapestDirect].filter((offer) => offer !== undefined));
  const wholly = offers.filter((offer) => isWhollyIn(offer, cabin));
  const [mixed] = offers.filter((offer) => !isWhollyIn(offer, cabin)).sort((left, right) => micro(left) - micro(right));
  const isMixedCheaper = mixed !== undefined && wholly.length > 0 && micro(mixed) < micro(cheapest);
  return {
    considered: countOffers(offers),
    picks: {
      best: best.id,
      cheapest: cheapest.id,
      fastest: fastest.id,
      cheapestDirect: cheapestDirect?.id ?? null,
      notShown: [...named].filter((offer) => !shown.includes(offer)).map((offer) => pick(offer, shownIds, cabin)),
      ...pickByTerms(wholly.length === 0 ? offers : wholly, shownIds, cabin),
      ...(isMixedCheaper ? { cheapestInMixedCabins: pick(mixed, shownIds, cabin) } : {}),
    },
  };
}

/** Among all offers whose terms allow it; an unknown penalty counts as the highest. */
function pickByTerms(offers: readonly FlightOffer[], shownIds: ReadonlySet<string>, cabin: FlightSearch["cabinClass"]) {
  const cheapestFirst = offers.toSorted((left, right) => micro(left) - micro(right));
  const changeable = cheapestFirst.filter(({ conditions }) => conditions.changeBeforeDeparture?.allowed === true);
  const allRefundable = cheapestFirst.filter(({ conditions }) => conditions.refundBeforeDeparture?.allowed === true);
  const [refundable] = allRefundable;
  const free = allRefundable.find(
    ({ conditions }) => parseDecimal(conditions.refundBeforeDeparture?.penaltyAmount ?? "") === 0n,
  );
  const withOneChange = lowest(changeable, (offer) => micro(offer) + changePenalty(offer));
  const changed = (offer: FlightOffer | undefined) =>
    offer === undefined
      ? null
      : { ...pick(offer, shownIds, cabin), changePenaltyAmount: offer.conditions.changeBeforeDeparture?.penaltyAmount };
  return {
    cheapestChangeable: changed(changeable[0]),
    cheapestWithOneChange: changed(withOneChange),
    cheapestRefundable:
      refundable === undefined
        ? null
        : {
            ...pick(refundable, shownIds, cabin),
            refundPenaltyAmount: refundable.conditions.refundBeforeDeparture?.penaltyAmount ?? null,
          },
    cheapestWithFreeRefund: free === undefined ? null : pick(free, shownIds, cabin),
  };
}

function pick(
  offer: FlightOffer,
  shownIds: ReadonlySet<string>,
  cabin: FlightSearch["cabinClass"],
): z.infer<typeof PickedFare> {
  const { id, totalAmount, slices } = offer;
  return {
    id,
    totalAmount,
    ...(shownIds.has(id) ? {} : { flights: slices.map(sayWay).join("; ") }),
    ...(isWhollyIn(offer, cabin) ? {} : { cabins: sayCabins(offer) }),
  };
}

/** Such as "KL1246 CDG 2027-01-20T21:35 → AMS 22:45, direct". */
function sayWay({ segments, origin, destination }: Slice): string {
  const toMinutes = (time = "") => time.slice(0, "2027-01-20T21:35".length);
  const departs = toMinutes(segments[0]?.departingAt);
  const arrives = toMinutes(segments.at(-1)?.arrivingAt);
  const [day = "", time = ""] = arrives.split("T");
  const between = segments.flatMap(({ origin: from, stops }, index) => [
    ...(index === 0 ? [] : [from]),
    ...stops.map(({ airport }) => airport),
  ]);
  const flown = segments.map(({ flightNumber }) => flightNumber).join("+");
  const [from, to] = [segments[0]?.origin ?? origin, segments.at(-1)?.destination ?? destination];
  const how = between.length === 0 ? "direct" : `by way of ${between.join(", ")}`;
  return `${flown} ${from} ${departs} → ${to} ${departs.startsWith(day) ? time : arrives}, ${how}`;
}

/** The picked offers with their flights, whether shown or not. */
export function pickedOffers(
  {
    cheapestChangeable,
    cheapestWithOneChange,
    cheapestRefundable,
    cheapestWithFreeRefund,
    cheapestInMixedCabins,
    notShown,
  }: z.infer<typeof Picks>,
  offers: readonly FlightOffer[],
): readonly FlightOffer[] {
  const byTerms = [cheapestChangeable, cheapestWithOneChange, cheapestRefundable, cheapestWithFreeRefund];
  const named = [...byTerms, cheapestInMixedCabins, ...notShown];
  const ids = new Set(named.map((fare) => fare?.id));
  return offers.filter(({ id }) => ids.has(id));
}

/** The first one with the lowest value. */
function lowest(offers: readonly FlightOffer[], measure: (offer: FlightOffer) => number): FlightOffer | undefined {
  const least = Math.min(...offers.map(measure));
  return offers.find((offer) => measure(offer) === least);
}

const changePenalty = ({ conditions }: FlightOffer): number =>
  Number(parseDecimal(conditions.changeBeforeDeparture?.penaltyAmount ?? "") ?? Number.MAX_SAFE_INTEGER / 2);

/** For comparison only. */
const micro = ({ totalAmount }: FlightOffer): number => Number(parseDecimal(totalAmount) ?? Number.MAX_SAFE_INTEGER);
