import { z } from "zod";
import { newId } from "../../domain/ids.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { FoundStay } from "../../ports/supplier/stays.ts";
import { keepsRecords } from "../bookings/index.ts";
import type { Ports } from "./context.ts";

/** A supplier's search results can be asked for their rates about as long. */
const KEPT_MINUTES = 30;
/** More than suppliers list at a place; it bounds what is stored. */
const MOST_KEPT = 1_000;

const Coordinate = z.number().nullable();

/** A search as it is stored: what it was for, and every place that it found. */
export const KeptSearch = z.object({
  place: z.object({ latitude: z.number(), longitude: z.number(), countryCode: z.string(), label: z.string() }),
  timeZone: z.string().nullable(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  guests: z.number(),
  childAges: z.array(z.number()),
  rooms: z.number(),
  found: z.array(
    z.object({
      searchResultId: z.string(),
      name: z.string(),
      latitude: Coordinate,
      longitude: Coordinate,
      starRating: z.number().nullable(),
      reviewScore: z.number().nullable(),
      cheapest: z.object({ totalAmount: z.string(), totalCurrency: z.string() }).nullable(),
    }),
  ),
});
export type KeptSearch = z.output<typeof KeptSearch>;

interface Search extends Pick<KeptSearch, "place" | "checkInDate" | "checkOutDate" | "guests" | "rooms"> {
  timeZone: string | undefined;
  childAges: readonly number[];
}

/** Stores what a search has found for `search_more_stays`. Null: nothing is kept for this caller. */
export async function keepSearch(
  { stores, clock, random }: Pick<Ports, "stores" | "clock" | "random">,
  caller: Caller,
  { place, timeZone, childAges, ...search }: Search,
  found: readonly FoundStay[],
): Promise<string | null> {
  if (!keepsRecords(caller)) return null;
  const now = clock.now();
  const searchId = newId("sea_", now.epochMilliseconds, random);
  const { latitude, longitude, countryCode, label } = place;
  const { checkInDate, checkOutDate, guests, rooms } = search;
  const kept: KeptSearch = {
    place: { latitude, longitude, countryCode, label },
    timeZone: timeZone ?? null,
    checkInDate,
    checkOutDate,
    guests,
    childAges: [...childAges],
    rooms,
    found: found.slice(0, MOST_KEPT),
  };
  await stores.foundStays.keep(caller, searchId, kept, now.add({ minutes: KEPT_MINUTES }));
  return searchId;
}
