import { toCountryAlpha2 } from "../../../domain/countries.ts";
import { toNationality } from "../reading/nationality.ts";
import type { Reading } from "../reading/read-message.ts";
import type { State, Wish } from "./state.ts";

/** Keeps what a question about the world says, for the ones that go on from it. */
export function noteTopic(state: State, wish: Wish): void {
  const { reading } = wish;
  if (wish.kind === "visa") noteJourney(state, reading);
  if (wish.kind === "transfer") noteWay(state, reading);
  const named = reading.places.filter(({ isNegated, isCountry }) => !isNegated && !isCountry);
  const city = named.findLast(({ role, code }) => role !== "near" && code !== undefined);
  if (city !== undefined) state.lastCity = city;
  const sight = named.find(({ role }) => role === "near");
  if (wish.kind === "restaurant" && named.length > 0) {
    const around = city ?? (sight?.code === undefined ? state.lastCity : undefined);
    state.lastArea = [sight, around].flatMap((place) => (place === undefined ? [] : [place.name])).join(", ");
  }
}

/** "And with the German one?", after a question about entry. */
export const findDemonym = ({ folded }: Reading): string | undefined =>
  folded.length > 60
    ? undefined
    : folded
        .split(/[^\p{L}]+/u)
        .flatMap((word) => (word.length >= 4 ? (toNationality(word) ?? []) : []))
        .at(-1);

function noteJourney({ visa }: State, reading: Reading): void {
  const { places, dates, kinds, cabin } = reading;
  const nationality = reading.nationality ?? (visa.country === undefined ? undefined : findDemonym(reading));
  if (nationality !== undefined) visa.nationality = nationality;
  const countries = places.filter(
    ({ isNegated, role, country }) => !isNegated && role !== "from" && country !== undefined,
  );
  // "Soy india, ¿puedo entrar en Japón?" names two countries.
  const others = countries.filter(
    ({ country }) => nationality === undefined || toCountryAlpha2(nationality) !== country,
  );
  const place = others.at(-1) ?? (visa.country === undefined ? countries.at(-1) : undefined);
  if (place?.country !== undefined) visa.country = place.country;
  const [first, second] = dates;
  if (first?.date !== undefined) visa.date = first.date;
  else if (reading.month !== undefined) visa.date = reading.month;
  const days = reading.nights ?? reading.duration;
  const end = first?.end ?? second?.date ?? (days === undefined ? undefined : visa.date?.add({ days }));
  if (end !== undefined) visa.end = end;
  // "Not on holiday" and "not for business" say the opposite.
  const isBusiness = kinds.has("business") || cabin === "business";
  if (isBusiness) visa.isBusiness = true;
  else if (kinds.has("leisure")) visa.isBusiness = false;
}

/** The airport and the address of the text; what it does not name is as before. */
function noteWay(state: State, { places, text, kinds }: Reading): void {
  const named = places.filter(({ isNegated }) => !isNegated);
  const from =
    named.find(({ role }) => role === "from") ?? named.find(({ role, code }) => code !== undefined && role !== "to");
  const others = named.filter((place) => place !== from);
  const to = others.find(({ role }) => role === "to" || role === "near") ?? others[0];
  const written =
    to === undefined ? undefined : text.slice(to.start).split(/[?!;]|,? (?:and|und|y) |, (?:en|by|mit|per) /)[0];
  const isNew = kinds.has("transfer") && state.topic?.kind !== "transfer";
  const stay = state.stay.near ?? state.orders.findLast(({ kind }) => kind === "stay")?.what ?? undefined;
  state.way = {
    airport:
      from ?? (isNew ? (state.flight.destination ?? state.lastPlace) : (state.way.airport ?? state.flight.destination)),
    target: written?.replace(/[.,\s]+$/, "") ?? (isNew ? stay : state.way.target),
  };
}
