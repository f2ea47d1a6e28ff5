import type { CallOptions, FlightSearch, Flights } from "../../../ports/supplier/flights.ts";
import { task as countOffers } from "./count-offers.ts";
import { ADULT_AGE } from "./passenger-types.ts";

interface Relaxed {
  argument: "cabinClass" | "passengers" | "departureDate" | "returnDate";
  /** Names the attempt, if none helps. */
  tried: string;
  /** The advice if it helps. */
  hint: string;
  query: FlightSearch;
}

const isAdult = ({ age = ADULT_AGE }: FlightSearch["passengers"][number]): boolean => age >= ADULT_AGE;

const nextDay = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString();

function relaxations(query: FlightSearch): Relaxed[] {
  const { returnDate, ...oneWay } = query;
  const { cabinClass, passengers, departureDate } = query;
  const later = nextDay(departureDate);
  const dates = { departureDate: later, ...(returnDate === undefined ? {} : { returnDate: nextDay(returnDate) }) };
  return [
    ...(cabinClass === "economy"
      ? []
      : [
          {
            argument: "cabinClass" as const,
            tried: "in economy",
            hint: "there are offers in economy",
            query: { ...query, cabinClass: "economy" as const },
          },
        ]),
    ...(passengers.length === 1
      ? []
      : [
          {
            argument: "passengers" as const,
            tried: "for one passenger",
            hint: "there are offers for one passenger: search for fewer at a time",
            query: { ...query, passengers: [passengers.find(isAdult) ?? { loyaltyAccounts: [] }] },
          },
        ]),
    {
      argument: "departureDate" as const,
      tried: "a day later",
      hint: `there are offers a day later, on ${later}`,
      query: { ...query, ...dates },
    },
    ...(returnDate === undefined
      ? []
      : [
          {
            argument: "returnDate" as const,
            tried: "without the return flight",
            hint: `there are flights out, but none back on ${returnDate} to go with them: search with another returnDate, or for each direction alone`,
            query: oneWay,
          },
        ]),
  ];
}

/** Finds the arguments that left a search empty: without them the supplier has offers. */
export async function explainNoOffers(
  flights: Pick<Flights, "digestOffers">,
  query: FlightSearch,
  options: CallOptions,
): Promise<{ detail: string; emptiedBy: string[] }> {
  const relaxed = relaxations(query);
  const tried = await Promise.all(
    relaxed.map(async (one) => {
      // A failed search explains nothing.
      const found = await flights.digestOffers(one.query, countOffers, undefined, options).catch(() => 0);
      return found === 0 ? [] : [one];
    }),
  );
  const helped = tried.flat();
  const { origin, destination, departureDate } = query;
  const said = `The supplier has no flights from ${origin} to ${destination} on ${departureDate} that fit everything`;
  if (helped.length === 0) {
    const others = new Intl.ListFormat("en", { type: "disjunction" }).format(relaxed.map(({ tried }) => tried));
    return {
      detail: `${said}, nor ${others}. Try other airports (find_airports_nearby) or dates further away.`,
      emptiedBy: [],
    };
  }
  const hints = helped.map(({ argument, hint }) => `${argument}: ${hint}`).join("; ");
  return { detail: `${said}. ${hints}.`, emptiedBy: helped.map(({ argument }) => argument) };
}
