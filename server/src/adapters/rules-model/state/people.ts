import { chooseFlight, chooseStay } from "../deciding/choose.ts";
import { type PersonDetails, readContact } from "../reading/personal.ts";
import type { Choice, Reading } from "../reading/read-message.ts";
import { fillParty } from "./fill-party.ts";
import type { FlightOffer } from "./results.ts";
import { shownFlights, shownStays } from "./shown.ts";
import type { State, Wish } from "./state.ts";

/** The first one without a profile, whose details are asked for. */
export const findUnsaved = ({ strangers, saved }: State): string | undefined =>
  [...strangers].find((name) => !saved.has(name));

/** Keeps who was named without a profile, and what their profiles need. */
export function keepPeople(state: State, reading: Reading): void {
  const { strangers, personal } = reading;
  for (const name of strangers) {
    // "Rosa" is told in full later.
    const short = [...state.strangers].find((known) => known !== name && name.startsWith(`${known} `));
    if (short !== undefined) {
      state.strangers.delete(short);
      state.details.set(name, { ...state.details.get(short), ...state.details.get(name) });
    }
    state.strangers.add(name);
  }
  if (strangers.length > 1 && personal.births.length > 1) {
    keepEach(state, reading);
    return;
  }
  const name = strangers.at(-1) ?? findUnsaved(state) ?? [...state.strangers].at(-1);
  if (name !== undefined) state.details.set(name, { ...state.details.get(name), ...personal.details });
}

/** As long as "my husband is ". */
const LEAD = 20;

/** "Mia Tan, female, born …, and Lena Tan, female, born …": each gets what is theirs, and nothing that may be another's. */
function keepEach(state: State, { strangers, text, personal: { births, sexes } }: Reading): void {
  const position = (name: string): number => text.indexOf(name.split(" ")[0] ?? name);
  const names = strangers.toSorted((one, other) => position(one) - position(other));
  if (births.length !== names.length) return;
  for (const [index, name] of names.entries()) {
    const [start, end] = [position(name), position(names[index + 1] ?? "")];
    const own = text.slice(start, end > start ? end : undefined);
    const bornOn = births[index]?.date;
    const gender = sexes.length === names.length ? sexes[index] : undefined;
    state.details.set(name, {
      ...state.details.get(name),
      ...readContact(own, text.slice(Math.max(0, start - LEAD), start)),
      ...(bornOn === undefined ? {} : { bornOn }),
      ...(gender === undefined ? {} : { gender }),
    });
  }
}

/** Somebody without a profile needs a seat, too. */
export function countParty(state: State, reading: Reading, named: readonly { bornOn?: string }[]): void {
  const day = (state.task === "stay" ? state.stay.checkIn : state.flight.departure)?.toString() ?? "2026-01-01";
  const { strangers, personal } = reading;
  const isAboutThem = strangers.length > 0 || personal.isCallerOut !== undefined;
  const people = [...state.strangers].map((name): { bornOn?: string } => {
    const { bornOn } = state.details.get(name) ?? {};
    return bornOn === undefined ? {} : { bornOn };
  });
  fillParty(state, reading, isAboutThem ? [...named, ...people] : named, day);
}

const OTHER_WISHES = ["cancel", "change", "forget", "more", "nonStop", "cabin", "stay", "no"];

/** "It is for Rosa, not for me", and the birth date that was asked for, after a flight was chosen: the booking goes on. */
export function findPersonWish(state: State, reading: Reading): Wish | undefined {
  const { personal, dates, places, choice, kinds, nights, airlines, cabin, maximum } = reading;
  const isAbout = personal.names.length > 0 || personal.isCallerOut === true || hasDetails(personal.details);
  if (!isAbout || state.lastShown !== "flights") return undefined;
  if (state.picked === undefined && !hasDetails(personal.details)) return undefined;
  const isOther =
    dates.length > 0 ||
    places.length > 0 ||
    airlines.length > 0 ||
    (choice !== undefined && Object.keys(choice).length > 0) ||
    (nights ?? cabin ?? maximum) !== undefined ||
    OTHER_WISHES.some((kind) => kinds.has(kind) && !(kind === "no" && personal.isCallerOut === true));
  if (isOther) return undefined;
  return { kind: state.picked === undefined ? "noted" : "bookFlight", reading };
}

const hasDetails = (details: PersonDetails): boolean => Object.keys(details).length > 0;

/** The same for offers of the same flights, whatever they cost and for how many they are. */
export const nameFlights = ({ slices }: FlightOffer): string =>
  slices
    .flatMap(({ segments }) => segments.map(({ flightNumber, departingAt }) => `${flightNumber} ${departingAt ?? ""}`))
    .join(", ");

/** Keeps which flights were chosen; a new search forgets them. */
export function notePick(state: State, wish: Wish): void {
  if (wish.kind === "findFlights") state.picked = undefined;
  if (wish.kind === "bookStay") notePickedStay(state, wish);
  if (wish.kind !== "bookFlight") return;
  const { reading } = wish;
  const isNamed = wish.choice !== undefined && Object.keys(wish.choice).length > 0;
  const isNew = isNamed || reading.airlines.length > 0 || reading.times.departs !== undefined;
  if (!isNew && state.picked !== undefined) return;
  const wanted = isNew || state.spoken === undefined ? { choice: wish.choice, reading } : state.spoken;
  const offer = chooseFlight(shownFlights(state), wanted, ({ totalAmount }) => Number(totalAmount));
  state.picked = offer === undefined ? undefined : nameFlights(offer);
}

interface ChosenStay {
  readonly choice?: Choice;
  readonly stayId?: string;
  readonly reading: Reading;
}

function notePickedStay(state: State, wish: ChosenStay): void {
  const shown = shownStays(state);
  const chosen =
    chooseStay(shown, { choice: wish.choice, reading: wish.reading }) ??
    (state.spoken === undefined ? undefined : chooseStay(shown, state.spoken));
  state.pickedStay = wish.stayId ?? chosen?.stay.id;
}
