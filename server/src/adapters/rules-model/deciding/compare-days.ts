import { FlightAnswer, FlightOffer, readList } from "../state/results.ts";
import { type Call, call, type Deciding, findResult, type Outcome } from "./outcome.ts";

/** "Saturday or Sunday, whichever is cheaper": both days are searched in the same way. Undefined: both are known. */
export function searchBothDays(
  { state, ...deciding }: Deciding,
  makeSearch: (departureDate: string) => Call,
): Outcome | undefined {
  const { departure, otherDeparture } = state.flight;
  if (departure === undefined || otherDeparture === undefined) return undefined;
  const searches = [departure, otherDeparture]
    .toSorted(Temporal.PlainDate.compare)
    .map((day) => makeSearch(day.toString()));
  const pending = searches.filter((search) => findResult({ state, ...deciding }, search) === undefined);
  return pending.length === 0 ? undefined : call(...pending);
}

/** "Sat: from $120. Sun: from $90. Cheaper: Sun." */
export function sayCheaperDay({ state, speaker }: Deciding): string {
  const { departure, otherDeparture } = state.flight;
  if (departure === undefined || otherDeparture === undefined || state.dayPrices.size !== 2) return "";
  const [first, second] = [...state.dayPrices].toSorted(([one], [other]) => one.localeCompare(other));
  if (first === undefined || second === undefined) return "";
  const price = ({ totalAmount, totalCurrency }: FlightOffer): string => speaker.money(totalAmount, totalCurrency);
  return speaker.say("cheaperDay", {
    ...{ first: speaker.day(first[0]), firstPrice: price(first[1]) },
    ...{ second: speaker.day(second[0]), secondPrice: price(second[1]) },
    cheaper: speaker.day(departure),
  });
}

/** Whether the search of that day has found flights. */
export const hasFlights = (deciding: Deciding, search: Call): boolean => {
  const found = findResult(deciding, search);
  return (
    found?.outcome === "ok" && readList(FlightOffer, FlightAnswer.safeParse(found.result).data?.offers ?? []).length > 0
  );
};
