import { newId, type RandomBytes } from "../../../domain/ids.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Write } from "../../../platform/database/write-together.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import { keepsRecords, type SaleRates, type SeenFlight, type SeenOffers } from "../../bookings/index.ts";
import { type SeenOne, type SeenSearch, toSeen } from "./see-flight.ts";

interface See {
  seenOffers: SeenOffers;
  clock: Clock;
  random: RandomBytes;
}

/** Stores the results of a search before they are shown, with another write. */
export async function seeSearch(
  { seenOffers, clock, random }: See,
  caller: Caller,
  { offers, comparables }: SeenSearch,
  rates: SaleRates,
  id: string = newId("sea_", clock.now().epochMilliseconds, random),
  alongside?: Write,
): Promise<void> {
  if (!keepsRecords(caller)) return;
  const seen = offers.map((one) => complete(one, id, rates));
  await seenOffers.remember(caller, seen, { id, comparables }, alongside);
}

/** Offers of an earlier search that are shown now, at current rates. */
export async function seeMore(
  seenOffers: SeenOffers,
  caller: Caller,
  searchId: string,
  offers: readonly SeenOne[],
  rates: SaleRates,
): Promise<void> {
  const seen = offers.map((one) => complete(one, searchId, rates));
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
  const { offer: seen } = complete(toSeen(offer), searchId, rates);
  await seenOffers.remember(caller, [
    { id: offer.id, offer: { ...seen, ...(services === undefined ? {} : { services }) } },
  ]);
}

function complete(
  { id, offer }: SeenOne,
  searchId: string | null,
  rates: SaleRates,
): { id: string; offer: SeenFlight } {
  return { id, offer: { ...offer, searchId, rate: rates.get(offer.totalCurrency) ?? null } };
}
