import { newId, type RandomBytes } from "../../../domain/ids.ts";
import { CabinClass } from "../../../domain/schemas.ts";
import { highestCabin } from "../../../domain/travel/purchase.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import {
  keepsRecords,
  type SaleRates,
  type SeenFlight,
  type SeenOffers,
  seenCarriers,
  seenLegs,
} from "../../bookings/index.ts";

/** The maximum stored per search. */
const MOST_SEEN = 200;

interface See {
  seenOffers: SeenOffers;
  clock: Clock;
  random: RandomBytes;
}

/** Stores the results of a search before they are shown. */
export async function seeSearch(
  { seenOffers, clock, random }: See,
  caller: Caller,
  offers: readonly FlightOffer[],
  rates: SaleRates,
  id: string = newId("sea_", clock.now().epochMilliseconds, random),
): Promise<void> {
  if (!keepsRecords(caller)) return;
  const seen = offers.slice(0, MOST_SEEN).map((offer) => ({ id: offer.id, offer: toSeen(offer, id, rates) }));
  const comparables = seen.flatMap(({ id: offerId, offer: { totalAmount, totalCurrency, legs } }) => {
    const departures = legs.flatMap(({ departingAt }) => departingAt ?? []);
    const cabin = highestCabin(legs.map((leg) => CabinClass.safeParse(leg.cabin).data)) ?? null;
    return totalCurrency === offers[0]?.totalCurrency && departures.length === legs.length
      ? [{ id: offerId, totalAmount, departures, cabin }]
      : [];
  });
  await seenOffers.remember(caller, seen, { id, comparables });
}

/** Offers of an earlier search that are shown now, at current rates. */
export async function seeMore(
  seenOffers: SeenOffers,
  caller: Caller,
  searchId: string,
  offers: readonly FlightOffer[],
  rates: SaleRates,
): Promise<void> {
  const seen = offers.map((offer) => ({ id: offer.id, offer: toSeen(offer, searchId, rates) }));
  await seenOffers.remember(caller, seen);
}

/** An offer shown again remains in its search. */
export async function seeAgain(
  seenOffers: SeenOffers,
  caller: Caller,
  offer: FlightOffer,
  rates: SaleRates,
): Promise<void> {
  if (!keepsRecords(caller)) return;
  const before = await seenOffers.find(caller, offer.id);
  const { searchId, services } = before?.kind === "flight" ? before : { searchId: null, services: undefined };
  const seen = { ...toSeen(offer, searchId, rates), ...(services === undefined ? {} : { services }) };
  await seenOffers.remember(caller, [{ id: offer.id, offer: seen }]);
}

function toSeen(offer: FlightOffer, searchId: string | null, rates: SaleRates): SeenFlight {
  const { totalAmount, totalCurrency, slices, conditions, passengers, totalEmissionsKg } = offer;
  const brands = slices.flatMap(({ fareBrandName }) => fareBrandName ?? []);
  const emissions = Number(totalEmissionsKg ?? Number.NaN) / passengers.length;
  const refund = conditions.refundBeforeDeparture;
  return {
    ...(refund?.allowed === true && refund.penaltyAmount !== null && refund.penaltyCurrency === totalCurrency
      ? { refundPenaltyAmount: refund.penaltyAmount }
      : {}),
    kind: "flight",
    searchId,
    totalAmount,
    totalCurrency,
    passengers: passengers.length,
    expected: passengers.map(({ id: _, ...expected }) => expected),
    rate: rates.get(totalCurrency) ?? null,
    carriers: seenCarriers(slices),
    refundable: conditions.refundBeforeDeparture?.allowed ?? null,
    changeable: conditions.changeBeforeDeparture?.allowed ?? null,
    fareBrands: brands.length === slices.length ? [...new Set(brands)] : null,
    emissionsKgPerPassenger: Number.isFinite(emissions) ? emissions : null,
    legs: seenLegs(slices),
  };
}
