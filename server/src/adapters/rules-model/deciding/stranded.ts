import { showFlightLines } from "../replies/show-flights.ts";
import type { Speaker } from "../replies/speaker.ts";
import { AirportList, FlightAnswer, FlightOffer, readList } from "../state/results.ts";
import { shownStays } from "../state/shown.ts";
import type { Place, Wish } from "../state/state.ts";
import { listAges } from "./flights.ts";
import { ask, type Call, call, type Deciding, findResult, type Outcome, tell } from "./outcome.ts";
import { findStays } from "./stays.ts";

/** The member states of the European Union, with Iceland, Norway and Switzerland. */
const EUROPE: ReadonlySet<string> = new Set(
  "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS NO CH".split(" "),
);
const FLIGHTS_SHOWN = 5;

/** For whoever waits at an airport in the evening: what the airline owes, hotels near by for the night, and flights tomorrow. */
export function helpStranded(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const { origin, destination } = state.flight;
  if (origin === undefined) return ask("origin", speaker.say("askStranded"));
  const flights = destination === undefined ? undefined : searchFlights(deciding, destination);
  if (flights !== undefined && "pending" in flights) return call(flights.pending);
  const stays = findStays(deciding, wish);
  if (stays.calls !== undefined) return stays;
  const rights = sayRights(speaker, origin);
  const next = flights === undefined ? speaker.say("askNextFlight") : flights.text;
  const isListed = shownStays(state).length > 0;
  const text = [rights, next, stays.text ?? ""].filter((part) => part !== "").join("\n\n");
  if (!isListed && stays.question !== undefined) return { ...stays, text };
  return flights === undefined ? ask("destination", text) : tell(text);
}

function sayRights({ say }: Speaker, { name: place, country = "" }: Place): string {
  if (country === "GB") return say("rightsBritain", { place });
  return EUROPE.has(country) ? say("rightsEurope", { place }) : say("rightsElsewhere");
}

function searchFlights(
  deciding: Deciding,
  destination: Place,
): { readonly pending: Call } | { readonly text: string } | undefined {
  const { state, speaker } = deciding;
  const { origin, departure } = state.flight;
  const target = findCode(deciding, destination);
  if (target === undefined || typeof target === "object") return target;
  if (origin?.code === undefined || departure === undefined) return undefined;
  const route = { origin: origin.code, destination: target, departureDate: departure.toString() };
  const search = {
    name: "search_more_flights",
    args: { ...route, ages: listAges(deciding), order: "departure", limit: FLIGHTS_SHOWN },
  };
  const found = findResult(deciding, search);
  if (found === undefined) return { pending: search };
  const offers = readList(FlightOffer, FlightAnswer.safeParse(found.result).data?.offers ?? []);
  const said = { route: `${origin.name} → ${destination.name}`, date: speaker.day(departure) };
  if (found.outcome !== "ok" || offers.length === 0) return { text: speaker.say("noFlights", said) };
  const lines = showFlightLines(offers.slice(0, FLIGHTS_SHOWN), speaker);
  return { text: [speaker.say("flightsNext", said), ...lines].join("\n") };
}

/** A place that is not known by name is looked up. */
function findCode(deciding: Deciding, { name, code }: Place): string | { readonly pending: Call } | undefined {
  if (code !== undefined) return code;
  const lookUp = { name: "find_airports_nearby", args: { query: name } };
  const found = findResult(deciding, lookUp);
  if (found === undefined) return { pending: lookUp };
  return AirportList.safeParse(found.result).data?.airports[0]?.iataCode;
}
