import { isSameCity, listAirports } from "../reading/city-airports.ts";
import type { Reading } from "../reading/read-message.ts";
import { countParty } from "./people.ts";
import { newFlight, newStay, type Place, type State } from "./state.ts";

/** A bed near the airport for this night, the nearest first, and a flight tomorrow. */
export function startStranded(state: State, reading: Reading, today: Temporal.PlainDate): void {
  const named = reading.places.filter(({ isNegated, isCountry }) => !isNegated && !isCountry);
  const to = named.find(({ role }) => role === "to");
  const here: Place | undefined = named.find((one) => one !== to && one.code !== undefined) ?? state.flight.origin;
  const before = isSameCity(here?.code, state.flight.origin?.code) ? state.flight.destination : undefined;
  const tomorrow = today.add({ days: 1 });
  const destination = to ?? before;
  state.flight = {
    ...newFlight(),
    ...(here === undefined ? {} : { origin: here }),
    ...(destination === undefined ? {} : { destination }),
    departure: tomorrow,
  };
  const { code } = here ?? {};
  state.stay = {
    ...newStay(),
    ...(here === undefined
      ? {}
      : { city: { ...here, name: (code === undefined ? undefined : listAirports(code)[0]) ?? here.name } }),
    ...{ checkIn: today, checkOut: tomorrow, sort: "distance" },
  };
  state.task = "stay";
  state.isStayNext = false;
  state.lastShown = undefined;
  countParty(state, reading, []);
}
