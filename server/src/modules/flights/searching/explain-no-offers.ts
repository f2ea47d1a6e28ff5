import type { CallOptions, FlightSearch, Flights } from "../../../ports/supplier/flights.ts";
import { task as countOffers } from "./count-offers.ts";
import { ADULT_AGE } from "./passenger-types.ts";

interface Relaxed {
  argument: "cabinClass" | "passengers" | "departureDate";
  /** The advice if it helps. */
  hint: string;
  query: FlightSearch;
}

const isAdult = ({ age = ADULT_AGE }: FlightSearch["passengers"][number]): boolean => age >= ADULT_AGE;

const nextDay = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString();

function relaxations(query: FlightSearch): Relaxed[] {
  const { cabinClass, passengers, departureDate, returnDate } = query;
  const later = nextDay(departureDate);
  const dates = { departureDate: later, ...(returnDate === undefined ? {} : { returnDate: nextDay(returnDate) }) };
  return [
    ...(cabinClass === "economy"
      ? []
      : [
          {
            argument: "cabinClass" as const,
            hint: "there are offers in economy",
            query: { ...query, cabinClass: "economy" as const },
          },
        ]),
    ...(passengers.length === 1
      ? []
      : [
          {
            argument: "passengers" as const,
            hint: "there are offers for one passenger: search for fewer at a time",
            query: { ...query, passengers: [passengers.find(isAdult) ?? { loyaltyAccounts: [] }] },
          },
        ]),
    {
      argument: "departureDate" as const,
      hint: `there are offers a day later, on ${later}`,
      query: { ...query, ...dates },
    },
  ];
}

/** Finds the arguments that left a search empty: without them the supplier has offers. */
export async function explainNoOffers(
  flights: Pick<Flights, "digestOffers">,
  query: FlightSearch,
  options: CallOptions,
): Promise<{ detail: string; emptiedBy: string[] }> {
  const tried = await Promise.all(
    relaxations(query).map(async (relaxed) => {
      // A failed search explains nothing.
      const found = await flights.digestOffers(relaxed.query, countOffers, undefined, options).catch(() => 0);
      return found === 0 ? [] : [relaxed];
    }),
  );
  const helped = tried.flat();
  const { origin, destination, departureDate } = query;
  const said = `The supplier has no flights from ${origin} to ${destination} on ${departureDate} that fit everything`;
  if (helped.length === 0) {
    return {
      detail: `${said}, nor in economy, for one passenger or a day later. Try other airports (find_airports_nearby) or dates further away.`,
      emptiedBy: [],
    };
  }
  const hints = helped.map(({ argument, hint }) => `${argument}: ${hint}`).join("; ");
  return { detail: `${said}. ${hints}.`, emptiedBy: helped.map(({ argument }) => argument) };
}
