import { isCityCode, isSameCity, listAirports } from "../reading/city-airports.ts";
import type { DateMention } from "../reading/dates.ts";
import type { PlaceMention } from "../reading/places.ts";
import type { Reading } from "../reading/read-message.ts";
import { nameSight } from "../reading/sights.ts";
import { dropWishes } from "./drop-wishes.ts";
import { fillRate, isWishOfPart } from "./fill-rate.ts";
import { newStay, type Place, type State } from "./state.ts";

/** "nyc" and "palma" are written as names are. */
const writeName = (name: string): string =>
  name !== name.toLowerCase()
    ? name
    : name.length <= 3
      ? name.toUpperCase()
      : name.replaceAll(/(?<=^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase());

const toPlace = ({ name, code, country, isCountry }: PlaceMention): Place => ({
  name: code === undefined ? name : writeName(name),
  ...(code === undefined ? {} : { code }),
  ...(country === undefined ? {} : { country }),
  isCountry,
});

/** Puts what a message says about a flight where it belongs. What it does not speak of stays. */
export function fillFlight(state: State, reading: Reading): void {
  const { flight } = state;
  dropWishes(flight, reading);
  fillRoute(state, reading);
  fillFlightDates(state, reading);
  const { kinds, cabin, airlines, bags, times } = reading;
  if ((kinds.has("oneWay") && !MOVES_ONE_WAY.test(reading.folded)) || (kinds.has("roundTrip") && kinds.has("not"))) {
    flight.isRoundTrip = false;
    delete flight.return;
  } else if (kinds.has("roundTrip") || (kinds.has("back") && flight.return === undefined && saysReturn(reading))) {
    flight.isRoundTrip = true;
  }
  if (cabin !== undefined) flight.cabin = cabin;
  fillMaximum(state, reading, "flight");
  if (kinds.has("nonStop"))
    flight.isNonStop = !reading.marks.isNegated(reading.marks.list.findIndex(({ kind }) => kind === "nonStop"));
  if (isWishOfPart(reading, "refundable", "flight")) flight.isRefundable = true;
  if (isWishOfPart(reading, "changeable", "flight")) flight.isChangeable = true;
  if (bags !== undefined) flight.bags = bags;
  if (airlines.length > 0) flight.airlines = airlines;
  flight.times = { ...flight.times, ...times };
  if (MAY_STOP.test(reading.folded)) flight.isNonStop = false;
  if (BACK_LATER.test(reading.folded)) flight.times = { ...flight.times, returnDeparts: { from: LATE_ENOUGH } };
}

/** "Nur der Hinflug verschiebt sich" keeps the way back. */
const MOVES_ONE_WAY = /\b(?:nur de[rn] hinflug|solo la ida)\b.*\b(?:anders|andert|verschieb\w*|cambia)\b/;
/** "A flight home that isn't so terribly early", "coming back a bit later in the day" */
const BACK_LATER =
  /\b(?:home|back|return\w*)\b[^.!?,]*\b(?:(?:not|isn't|doesn't leave|without)\b[^.!?,]*\bearly|later in the day|a (?:bit|little) later)\b|\b(?:zuruck|ruckflug|heimflug)\b[^.!?,]*\b(?:nicht (?:ganz )?so fruh|etwas spater|spater am tag)\b|\b(?:vuelta|regreso|volver)\b[^.!?,]*\b(?:no (?:sea )?tan temprano|un poco mas tarde)\b/;
const LATE_ENOUGH = 10 * 60;

/** "If there is no direct flight, a stop is fine" */
const MAY_STOP =
  /\bno (?:me|nos) importa[^.!?]*\bescala|\bescalas? (?:tambien )?(?:esta(?:ria)? bien|vale|me vale|me va bien|es aceptable|no es problema)|\btambien (?:me )?vale con (?:una )?escala|\b(?:stops?|a change|connections?) (?:is|are|would be) (?:also )?(?:fine|alright|all right|ok|okay|no problem)|\b(?:don't|do not) mind (?:(?:a|one) stop|stops|changing|a change|connecting)|\b(?:umsteigen|zwischenstopp|stopp?|umstieg) (?:ist|ware|geht) (?:auch )?(?:ok|okay|in ordnung|kein problem)|\bauch mit (?:(?:einem|1) )?(?:umstieg|umsteigen|zwischenstopp|stopp)/;

/** "Return" counts as a wish for a way back only where a flight is described. */
const saysReturn = ({ kinds, places, dates }: Reading): boolean =>
  kinds.has("flight") || places.length > 0 || dates.some(({ role }) => role === "back");

function fillRoute(state: State, reading: Reading): void {
  const { places, kinds } = reading;
  const { flight, question } = state;
  const wanted = places.filter((one) => !one.isNegated && one.role !== "near" && !isOfStay(state, reading, one));
  const unwanted = places.find(({ isNegated }) => isNegated);
  const bare = wanted.filter(({ role }) => role === "bare");
  const hasFrom = wanted.some(({ role }) => role === "from");
  const hasTo = wanted.some(({ role }) => role === "to" || role === "in");
  for (const mention of wanted) {
    const place =
      [flight.origin, flight.destination].find((known) => known?.code !== undefined && known.code === mention.code) ??
      toPlace(mention);
    if (refineAirport(state, mention, wanted)) continue;
    if (mention.role === "from") flight.origin = place;
    else if (mention.role === "to" || mention.role === "in") flight.destination = place;
    else if (unwanted !== undefined && unwanted.code === flight.origin?.code) flight.origin = place;
    else if (bare.length >= 2 && !hasFrom && mention === bare[0]) flight.origin = place;
    else if (hasTo && !hasFrom) flight.origin = place;
    else if (question === "origin" && bare.length === 1) flight.origin = place;
    else if (
      flight.destination !== undefined &&
      flight.origin === undefined &&
      !kinds.has("instead") &&
      question !== "destination"
    ) {
      flight.origin = place;
    } else flight.destination = place;
  }
}

/** "From Bogotá to Lima, and a hotel in Miraflores": where the hotel is, and no end of the flight. */
function isOfStay({ flight }: State, { marks, places, kinds }: Reading, mention: PlaceMention): boolean {
  if (!kinds.has("stay") || mention.role === "from") return false;
  const before = marks.list.findLast(
    ({ kind, start, folded }) =>
      start < mention.start && (/^(?:stay|flight|from|place)$/.test(kind) || folded === "nach"),
  );
  const isTold = places.some((one) => one !== mention && (one.role === "to" || one.role === "bare") && !one.isNegated);
  return before?.kind === "stay" && (isTold || flight.destination !== undefined);
}

/** "Heathrow would be handier", and "back to Heathrow": another airport of a city of the journey, or the way home. */
function refineAirport({ flight }: State, mention: PlaceMention, wanted: readonly PlaceMention[]): boolean {
  const { code, role } = mention;
  if (role === "from" || code === undefined) return false;
  const isOtherRoute = wanted.some((one) => one.role === "from" && !isSameCity(one.code, flight.origin?.code));
  const hasTarget =
    (flight.destination !== undefined && !isSameCity(flight.destination.code, code)) ||
    wanted.some((one) => one.role !== "from" && !isSameCity(one.code, code));
  if (isOtherRoute || !hasTarget || !isSameCity(flight.origin?.code, code)) return false;
  if (!isCityCode(code)) flight.origin = toPlace(mention);
  return true;
}

/** The flight to where a hotel was asked for before it has the hotel's city and days. */
export function takeStaysSlots({ flight, stay }: State, { places, dates, kinds }: Reading): void {
  const isNamed = places.some(({ role }) => role !== "from" && role !== "near");
  if (flight.destination === undefined && !isNamed && stay.city?.isCountry === false) flight.destination = stay.city;
  if (flight.departure !== undefined || dates.length > 0 || stay.checkIn === undefined) return;
  flight.departure = stay.checkIn;
  if (stay.checkOut !== undefined && !kinds.has("oneWay")) flight.return = stay.checkOut;
}

/** "On Saturday or Sunday": two days of which one is meant. */
const EITHER = /\b(?:or|oder|either)\b|\b[ou] (?:el )?(?:lunes|martes|miercoles|jueves|viernes|sabado|domingo|\d)/;

/** Takes the first day for the journey and keeps the other one, to compare them. */
function fillEither({ flight, question }: State, { dates, folded }: Reading): boolean {
  const [first, second] = dates;
  if (dates.length > 0) delete flight.otherDeparture;
  if (dates.length !== 2 || first?.date === undefined || second?.date === undefined || !EITHER.test(folded))
    return false;
  const isPlain = dates.every(({ role, end }) => role !== "back" && end === undefined);
  if (!isPlain || question === "returnDate") return false;
  const isBefore = Temporal.PlainDate.compare(second.date, first.date) < 0 && second.weekday !== undefined;
  flight.departure = first.date;
  flight.otherDeparture = isBefore ? second.date.add({ days: 7 }) : second.date;
  return true;
}

function fillFlightDates(state: State, reading: Reading): void {
  const { dates, nights, duration, kinds } = reading;
  const { flight, question } = state;
  if (fillEither(state, reading)) return;
  const before = flight.departure;
  let isReturnGiven = false;
  let isDepartureGiven = false;
  for (const mention of dates) {
    const isBack: boolean =
      mention.role === "back" || (mention.role === "none" && (question === "returnDate" || isDepartureGiven));
    const date = resolve(mention, { own: isBack ? flight.return : flight.departure, other: flight.departure, isBack });
    if (date === undefined) continue;
    if (isBack) {
      flight.return = date;
      isReturnGiven = true;
    } else {
      flight.departure = date;
      isDepartureGiven = true;
    }
    if (mention.end !== undefined && !isBack && !kinds.has("weekend")) {
      flight.return = mention.end;
      isReturnGiven = true;
    }
  }
  const days = nights ?? duration;
  if (days !== undefined && flight.departure !== undefined && !kinds.has("oneWay") && !isReturnGiven) {
    flight.return = flight.departure.add({ days });
    isReturnGiven = true;
  }
  if (flight.return !== undefined) flight.isRoundTrip = true;
  // A journey that moves keeps its length where it would end before it begins.
  if (!isReturnGiven && flight.return !== undefined && flight.departure !== undefined && before !== undefined) {
    if (Temporal.PlainDate.compare(flight.return, flight.departure) < 0)
      flight.return = flight.departure.add(before.until(flight.return));
  }
}

/** A day of the week is the first one after the journey begins, or the one nearest to the day that it corrects. */
function placeWeekday(
  { date, weekday }: DateMention,
  {
    own,
    other,
    isBack,
  }: { own: Temporal.PlainDate | undefined; other: Temporal.PlainDate | undefined; isBack: boolean },
): Temporal.PlainDate | undefined {
  if (date === undefined || weekday === undefined) return date;
  if (isBack && other !== undefined) return other.add({ days: (weekday - other.dayOfWeek + 7) % 7 || 7 });
  if (isBack || own === undefined || Temporal.PlainDate.compare(own, date) <= 0) return date;
  const days = (weekday - own.dayOfWeek + 7) % 7;
  const nearest = own.add({ days: days > 3 ? days - 7 : days });
  return Temporal.PlainDate.compare(nearest, date) < 0 ? date : nearest;
}

function resolve(
  mention: DateMention,
  {
    own,
    other,
    isBack,
  }: { own: Temporal.PlainDate | undefined; other: Temporal.PlainDate | undefined; isBack: boolean },
): Temporal.PlainDate | undefined {
  const { offset, isShift = false } = mention;
  if (mention.date !== undefined || offset === undefined) return placeWeekday(mention, { own, other, isBack });
  const from = isBack && !(isShift && own !== undefined) ? other : (own ?? other);
  return from?.add({ days: offset });
}

const WHOLE_STAY =
  /\b(?:whole stay|entire stay|for the stay|altogether|insgesamt|gesamt\w*|zusammen|ganzen aufenthalt|en total|toda la estancia|las (?:dos|tres|cuatro|cinco|seis) noches)\b/;

/** A limit by the night is never of a flight. */
function fillMaximum(
  { flight, stay }: State,
  { maximum, isLimitOfStay, kinds, folded }: Reading,
  task: "flight" | "stay",
): void {
  const before = flight.maximum;
  if (isLimitOfStay && before !== undefined) {
    stay.maximum = { ...before, isPerNight: true };
    delete flight.maximum;
  }
  if (maximum === undefined) return;
  // Hotels are priced by the night, unless the whole is spoken of.
  const isPerNight = maximum.isPerNight || !(kinds.has("total") || WHOLE_STAY.test(folded));
  if ((maximum.part ?? task) === "stay") stay.maximum = { ...maximum, isPerNight };
  else flight.maximum = maximum;
}

/** Keeps the wishes for the hotel that follows the flight of the same message. */
export function fillNextStay(state: State, reading: Reading): void {
  const { stay } = state;
  const { places, stars, rooms } = reading;
  keepRequests(state, reading);
  const near = places.findLast(({ role, isNegated }) => role === "near" && !isNegated);
  if (near !== undefined) stay.near = nameSight(near.name);
  fillNextPlace(state, reading);
  if (stars !== undefined) stay.stars = stars;
  if (rooms !== undefined) stay.rooms = rooms;
  fillRate(state, reading);
}

/** "And a hotel in Miraflores" is in the city of the flight, "and a hotel in Cusco" is not. */
function fillNextPlace(state: State, reading: Reading): void {
  const { stay, flight } = state;
  const there = reading.places.findLast((one) => one.role === "in" && !one.isNegated && isOfStay(state, reading, one));
  if (there === undefined) return;
  if (there.code === undefined && !there.isCountry) stay.near = there.name;
  else if (!isSameCity(there.code, flight.destination?.code)) stay.city = toPlace(there);
}

/** "Doch nach Bergen statt nach Oslo, und das Hotel am Hafen": the flight goes elsewhere, and its hotel follows. */
export function movesFlight(state: State, reading: Reading): boolean {
  const { destination } = state.flight;
  const { places, kinds } = reading;
  if (state.task !== "flight" || destination === undefined || !kinds.has("stay")) return false;
  const isLeft = places.some(({ isNegated, code }) => isNegated && isSameCity(code, destination.code));
  return places.some(
    (one) => !one.isNegated && (one.role === "to" || (isLeft && one.role === "bare")) && !isOfStay(state, reading, one),
  );
}

/** The limit and the wishes for a hotel that was put off hold when its turn comes. */
export function startStay({ isStayNext, stay }: State): State["stay"] {
  const { requests, isBoardWanted, isRefundable, isCentral, rooms, maximum, room, stars } = stay;
  return {
    ...newStay(),
    ...(isStayNext ? { requests, isBoardWanted, isRefundable, isCentral, rooms } : {}),
    ...(isStayNext && maximum !== undefined ? { maximum } : {}),
    ...(isStayNext && room !== undefined ? { room } : {}),
    ...(isStayNext && stars !== undefined ? { stars } : {}),
  };
}

function keepRequests({ stay }: State, { requests: { wishes } }: Reading): void {
  stay.requests = [...new Set([...stay.requests, ...wishes])];
}

export function fillStay(state: State, reading: Reading): void {
  const { stay } = state;
  const { kinds, rooms, stars } = reading;
  fillStayPlace(state, reading);
  fillStayDates(state, reading);
  fillMaximum(state, reading, "stay");
  keepRequests(state, reading);
  if (rooms !== undefined) stay.rooms = rooms;
  if (stars !== undefined && !kinds.has("forget")) stay.stars = stars;
  fillRate(state, reading);
}

function fillStayPlace(state: State, { places, kinds, text }: Reading): void {
  const { stay, flight, stays } = state;
  // "In Mitte", after a flight to Berlin.
  const isDistrict = ({ role, code, isCountry }: PlaceMention): boolean =>
    role === "in" &&
    code === undefined &&
    !isCountry &&
    kinds.has("stay") &&
    places.every((one) => one.code === undefined);
  for (const mention of places) {
    if (mention.isNegated) continue;
    const airport = atAirport(mention, text);
    if (airport !== undefined) {
      Object.assign(stay, { city: airport, isCentral: true });
      delete stay.near;
    } else if (mention.role === "near") {
      // "The cathedral" is the one that was named before.
      if (stay.near?.toLowerCase().includes(mention.name.toLowerCase()) === true) continue;
      stay.near = nameSight(mention.name);
      // A city that was named for another sight need not be the city of this one.
      const isAlone = !places.some(({ role, isNegated }) => role !== "near" && !isNegated);
      if (isAlone && kinds.has("stay") && stay.city?.name !== flight.destination?.name) delete stay.city;
    } else if (isDistrict(mention) && flight.destination !== undefined) {
      stay.city = flight.destination;
      stay.isDistrict = true;
      if (!places.some(({ role }) => role === "near")) stay.near = mention.name;
    } else if (mention.role !== "from" || places.length === 1) {
      const isOther = stay.city !== undefined && stay.city.name !== mention.name;
      stay.city = toPlace(mention);
      if (isOther && !places.some(({ role }) => role === "near")) delete stay.near;
    }
  }
  // A sight is in the city of the journey, until hotels were looked for elsewhere.
  const isOpen =
    stay.city === undefined &&
    (stay.near === undefined || stays === undefined || state.orders.some(({ kind }) => kind === "flight"));
  if (isOpen && flight.destination !== undefined) stay.city = flight.destination;
}

/** "Near Dublin airport", "am Flughafen München": the airport is where the hotel is looked for. */
function atAirport(mention: PlaceMention, text: string): Place | undefined {
  const { code, start, end } = mention;
  const around = `${text.slice(Math.max(0, start - 14), start)}|${text.slice(end, end + 10)}`;
  const isAirport =
    /(?:airport of|flughafen|flughafen in|aeropuerto(?: de)?) ?\||\|(?:'s|’s)? ?(?:airport|flughafen)/iu.test(around);
  const [airport] = code === undefined ? [] : listAirports(code);
  return isAirport && airport !== undefined ? { ...toPlace(mention), name: airport } : undefined;
}

function fillStayDates(state: State, { dates, nights, duration, kinds }: Reading): void {
  const { stay, question, flight } = state;
  const length =
    stay.checkIn !== undefined && stay.checkOut !== undefined ? stay.checkIn.until(stay.checkOut).days : undefined;
  let isInGiven = false;
  let isOutGiven = false;
  for (const mention of dates) {
    const isOut: boolean =
      mention.role === "back" || (mention.role === "none" && (question === "checkOutDate" || isInGiven));
    const date = resolve(mention, { own: isOut ? stay.checkOut : stay.checkIn, other: stay.checkIn, isBack: isOut });
    if (date === undefined) continue;
    if (isOut) stay.checkOut = date;
    else stay.checkIn = date;
    isOutGiven ||= isOut;
    isInGiven ||= !isOut;
    if (mention.end !== undefined && !isOut) {
      stay.checkOut = mention.end;
      isOutGiven = true;
    }
  }
  const days = nights ?? duration;
  if (days !== undefined) stay.nights = days;
  if (stay.checkIn === undefined && flight.departure !== undefined && isJourneysStay(state, kinds)) {
    stay.checkIn = flight.departure;
    if (flight.return !== undefined) stay.checkOut = flight.return;
  }
  if (stay.checkIn !== undefined && !isOutGiven) {
    const span = days ?? (isInGiven ? (length ?? stay.nights) : undefined);
    if (span !== undefined) stay.checkOut = stay.checkIn.add({ days: span });
  }
  if (
    stay.checkIn !== undefined &&
    stay.checkOut !== undefined &&
    Temporal.PlainDate.compare(stay.checkOut, stay.checkIn) <= 0
  ) {
    delete stay.checkOut;
  }
}

/** A hotel without days, where the journey of the conversation goes, is for its days: the reply shows them. */
function isJourneysStay({ isStayNext, stay, flight }: State, kinds: ReadonlySet<string>): boolean {
  if (isStayNext || kinds.has("it") || kinds.has("sameDates")) return true;
  const isThere =
    stay.isDistrict === true ||
    (stay.city !== undefined &&
      (stay.city.name === flight.destination?.name ||
        (stay.city.code !== undefined && stay.city.code === flight.destination?.code)));
  return isThere;
}
