import { hash } from "node:crypto";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Place } from "../../ports/maps.ts";
import type { StayQuote } from "../../ports/supplier/stay-bookings.ts";
import type { Accommodation } from "../../ports/supplier/stays.ts";
import { keepsRecords, type SaleRates, type SeenOffers, type SeenStay } from "../bookings/index.ts";

export interface Search {
  place: Pick<Place, "countryCode">;
  /** The time zone of the searched place, if known. */
  timeZone: string | undefined;
  checkInDate: string;
  checkOutDate: string;
  rooms: number;
}

/** Stores the rates of a search before they are shown, since quotes do not name the place. */
export async function seeAccommodations(
  seenOffers: SeenOffers,
  caller: Caller,
  { place, timeZone, checkInDate, checkOutDate, rooms }: Search,
  accommodations: readonly Accommodation[],
  saleRates: SaleRates,
): Promise<void> {
  if (!keepsRecords(caller)) return;
  // The same rates are the same search, even if it is repeated.
  const rateIds = accommodations.flatMap(({ rates }) => rates.map(({ id }) => id));
  const searchId = `sea_${hash("sha256", rateIds.toSorted().join(" "))}`;
  const seen = accommodations.flatMap(({ id: accommodationId, name, latitude, longitude, starRating: stars, rates }) =>
    rates.map(({ id, totalAmount, totalCurrency, cancellationPolicy: { refundable } }) => {
      const where = { latitude, longitude, stars, country: place.countryCode, timeZone: timeZone ?? null };
      const price = { totalAmount, totalCurrency, refundable, rate: saleRates.get(totalCurrency) ?? null };
      const offer: SeenStay = {
        kind: "stay",
        searchId,
        accommodationId,
        name,
        rooms,
        checkInDate,
        checkOutDate,
        ...price,
        place: where,
      };
      return { id, offer };
    }),
  );
  const currency = seen[0]?.offer.totalCurrency;
  const comparables = seen
    .filter(({ offer }) => offer.totalCurrency === currency)
    .map(({ id, offer: { totalAmount } }) => ({ id, totalAmount, departures: [], cabin: null }));
  await seenOffers.remember(caller, seen, { id: searchId, comparables });
}

/** Stores a quote as it is shown; its place comes from the search that found its rate. */
export async function seeQuote(
  seenOffers: SeenOffers,
  caller: Caller,
  rateId: string,
  quote: StayQuote,
  rates: SaleRates,
): Promise<void> {
  if (!keepsRecords(caller)) return;
  const rate = await seenOffers.find(caller, rateId);
  const { id, accommodation, rooms, checkInDate, checkOutDate, totalAmount, totalCurrency, cancellationPolicy } = quote;
  const { dueAtAccommodationAmount: amount, dueAtAccommodationCurrency: currency, guests, childAges, beds } = quote;
  const offer: SeenStay = {
    kind: "stay",
    rateId,
    accommodationId: accommodation.id,
    name: accommodation.name,
    rooms,
    checkInDate,
    checkOutDate,
    totalAmount,
    totalCurrency,
    ...(rate?.kind === "stay" && rate.searchId !== undefined ? { searchId: rate.searchId } : {}),
    rate: rates.get(totalCurrency) ?? null,
    refundable: cancellationPolicy.refundable,
    ...(cancellationPolicy.timeline.every(({ currency }) => currency === totalCurrency)
      ? { refunds: cancellationPolicy.timeline.map(({ before, refundAmount }) => ({ before, refundAmount })) }
      : {}),
    ...(childAges === null ? {} : { childAges: [...childAges] }),
    guests,
    beds: beds.map(({ type, count }) => ({ type, count })),
    ...(amount === null || currency === null ? {} : { due: { amount, currency } }),
    place: rate?.kind === "stay" ? rate.place : null,
  };
  await seenOffers.remember(caller, [{ id, offer }]);
}
