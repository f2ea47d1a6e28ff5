import type { Times, TimeWindow } from "../reading/limits.ts";
import type { FlightOffer } from "./results.ts";

/** Nobody is asked to leave earlier than this for an arrival on the same day. */
const FIRST_DEPARTURE = 5 * 60;

type Slice = FlightOffer["slices"][number];
type Ends = { readonly departs: Temporal.PlainDateTime; readonly arrives: Temporal.PlainDateTime };

function findEnds({ segments }: Slice): Ends | undefined {
  const [departs, arrives] = [segments[0]?.departingAt, segments.at(-1)?.arrivingAt];
  if (departs === undefined || arrives === undefined) return undefined;
  const read = (local: string) => Temporal.PlainDateTime.from(local.slice(0, "2027-01-12T22:00".length));
  return { departs: read(departs), arrives: read(arrives) };
}

const countMinutes = ({ departs, arrives }: Ends): number => departs.until(arrives).total("minutes");
const isNextDay = ({ departs, arrives }: Ends): boolean => !departs.toPlainDate().equals(arrives.toPlainDate());

/** The tool compares clocks alone: 4:40 of the next day is "by 22:00" for it, and for nobody who wants to be home. */
export function landsInTime(offers: readonly FlightOffer[], times: Times): readonly FlightOffer[] {
  const late = new Set([...findLate(offers, 0, times.arrives), ...findLate(offers, 1, times.returnArrives)]);
  return offers.filter((offer) => !late.has(offer));
}

function findLate(
  offers: readonly FlightOffer[],
  way: 0 | 1,
  { from = 0, until, exact }: TimeWindow = {},
): readonly FlightOffer[] {
  if (until === undefined || exact !== undefined || from > until) return [];
  const ends = offers.flatMap((offer) => {
    const slice = offer.slices[way];
    const found = slice === undefined ? undefined : findEnds(slice);
    return found === undefined ? [] : [{ offer, ...found }];
  });
  const shortest = Math.min(...ends.map(countMinutes));
  // A night over the ocean lands on the next day, whatever the hour.
  if (until - shortest < FIRST_DEPARTURE) return [];
  return ends.filter(isNextDay).map(({ offer }) => offer);
}
