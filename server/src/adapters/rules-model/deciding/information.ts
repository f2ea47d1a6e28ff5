import { z } from "zod";
import type { Reading } from "../reading/read-message.ts";
import { AirportList, Candidates, OrderDetails } from "../state/results.ts";
import type { Place, Wish } from "../state/state.ts";
import { ask, type Deciding, failureCode, findResult, need, type Outcome, tell } from "./outcome.ts";

/** The place that is asked about: named now, or spoken of before. */
function findPlace({ state }: Deciding, { places, text }: Reading): Place | undefined {
  const named = places.findLast(({ isNegated }) => !isNegated);
  const spoken = state.lastPlace ?? state.flight.destination ?? state.stay.city;
  if (named !== undefined) return named;
  // The answer to "Which place is it for?" may be a name that nothing here knows.
  const isAnswer = state.pending !== undefined && text.length <= 60 && spoken === undefined;
  return isAnswer ? { name: text.replace(/[.!?]+$/, "").trim(), isCountry: false } : spoken;
}

/** Coordinates of a place, or what has to be asked or called first. */
function locate(deciding: Deciding, reading: Reading) {
  const { speaker } = deciding;
  const place = findPlace(deciding, reading);
  if (place === undefined) return { outcome: ask("place", speaker.say("askWhere")) };
  const lookUp = { name: "geocode_trip_stop", args: { address: place.name } };
  const found = need(deciding, lookUp);
  if ("outcome" in found) {
    const isUnknown = failureCode(findResult(deciding, lookUp)) === "location_not_found";
    return isUnknown
      ? { outcome: ask("place", speaker.say("unknownPlace", { place: place.name })) }
      : { outcome: found.outcome };
  }
  const [best] = Candidates.safeParse(found.result).data?.candidates ?? [];
  if (best === undefined) return { outcome: ask("place", speaker.say("unknownPlace", { place: place.name })) };
  return { place, latitude: best.latitude, longitude: best.longitude, label: nameLabel(deciding, place, best.label) };
}

/** Labels are in English: a place that is known by name keeps the traveler's own word. */
const nameLabel = ({ speaker }: Deciding, { name }: Place, label: string | null | undefined): string =>
  label == null || (speaker.words.language !== "en" && /^\p{Lu}/u.test(name)) ? name : label;

const Weather = z.looseObject({
  available: z.boolean(),
  days: z
    .array(
      z.looseObject({
        date: z.string(),
        minimum: z.number().nullish(),
        maximum: z.number().nullish(),
        summary: z.string().nullish(),
      }),
    )
    .nullish(),
  summary: z.string().nullish(),
  sun: z
    .array(
      z.looseObject({
        date: z.string().nullish(),
        sunriseLocal: z.string().nullish(),
        sunsetLocal: z.string().nullish(),
      }),
    )
    .nullish(),
});

export function tellWeather(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker } = deciding;
  const at = locate(deciding, reading);
  if ("outcome" in at) return at.outcome;
  const args = { latitude: at.latitude, longitude: at.longitude, languageCode: speaker.words.language };
  const found = need(deciding, { name: "trip_weather_brief", args });
  if ("outcome" in found) return found.outcome;
  const weather = Weather.safeParse(found.result).data;
  const day = reading.dates[0]?.date ?? reading.month;
  const sun = findSun(weather?.sun ?? [], day ?? deciding.today);
  if (weather?.available === true)
    return tell(`${speaker.say("forecast", { place: at.label })}\n${weather.summary ?? ""}`.trim());
  const time = (iso: string | null | undefined) => (iso == null ? "–" : speaker.time(iso));
  const times = { place: at.label, sunrise: time(sun?.sunriseLocal), sunset: time(sun?.sunsetLocal) };
  const said = speaker.say("noForecast", times);
  // Beyond a week the tool knows the first day of each month.
  return tell(day === undefined || sun?.date == null ? said : `${said} (${speaker.day(sun.date)})`);
}

/** The times of the day that is asked about, or of the nearest day that is known. */
function findSun<Sun extends { readonly date?: string | null | undefined }>(
  sun: readonly Sun[],
  day: Temporal.PlainDate,
): Sun | undefined {
  const distance = ({ date }: Sun): number =>
    date == null ? Infinity : Math.abs(Temporal.PlainDate.from(date).until(day).days);
  return sun.toSorted((one, other) => distance(one) - distance(other))[0];
}

const Zone = z.looseObject({ timeZone: z.string(), localTime: z.string() });

export function tellTime(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker, request } = deciding;
  if (asksForOwnTime(reading)) {
    const { now, timeZone } = request;
    const time = speaker.time(now.toZonedDateTimeISO(timeZone).toPlainDateTime().toString());
    return tell(speaker.say("ownTime", { time, zone: timeZone }));
  }
  const at = locate(deciding, reading);
  if ("outcome" in at) return at.outcome;
  const args = { latitude: at.latitude, longitude: at.longitude };
  const found = need(deciding, { name: "timezone_brief", args });
  if ("outcome" in found) return found.outcome;
  const zone = Zone.safeParse(found.result).data;
  if (zone === undefined) return tell(speaker.say("unknown"));
  return tell(speaker.say("localTime", { place: at.label, time: speaker.time(zone.localTime), zone: zone.timeZone }));
}

/** "What time is it?", of no place. */
const asksForOwnTime = ({ places, folded }: Reading): boolean =>
  places.length === 0 &&
  /\b(?:what time is it|what's the time|time is it|wie spat|wie ?viel uhr|que hora)\b/.test(folded) &&
  !/\b(?:there|local|destination|dort|da druben|vor ort|am ziel|alli|alla|ahi)\b/.test(folded);

const Emergency = z.looseObject({
  emergency: z.looseObject({
    general: z.array(z.string()).nullish(),
    police: z.string().nullish(),
    ambulance: z.string().nullish(),
    fire: z.string().nullish(),
    whatToDo: z.string().nullish(),
  }),
});

/** The numbers to call in an emergency. */
export function tellEmergency(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker } = deciding;
  const at = locate(deciding, reading);
  if ("outcome" in at) return at.outcome;
  const args = { latitude: at.latitude, longitude: at.longitude, languageCode: speaker.words.language };
  const found = need(deciding, { name: "travel_safety_aid", args });
  if ("outcome" in found) return found.outcome;
  const numbers = Emergency.safeParse(found.result).data?.emergency;
  const { police, ambulance, fire } = numbers ?? {};
  const general = numbers?.general ?? [];
  const own = [
    general.length > 0 ? speaker.say("anyEmergency", { number: general.join(" / ") }) : "",
    police == null ? "" : speaker.say("police", { number: police }),
    ambulance == null ? "" : speaker.say("ambulance", { number: ambulance }),
    fire == null ? "" : speaker.say("fireBrigade", { number: fire }),
  ].filter((part) => part !== "");
  if (own.length === 0) return tell(speaker.say("noEmergency", { place: at.label }));
  // The tool advises in English, and its first sentence repeats the numbers.
  const advice = speaker.words.language === "en" ? (numbers?.whatToDo ?? "").split(". ").slice(1).join(". ") : "";
  return tell([speaker.say("emergency", { place: at.label, numbers: own.join(", ") }), advice].join(" ").trim());
}

const Restaurants = z.looseObject({
  available: z.boolean(),
  place: z.looseObject({ label: z.string().nullish() }).nullish(),
  links: z.looseObject({ google: z.string().nullish(), openStreetMap: z.string().nullish() }).nullish(),
  restaurants: z
    .array(z.looseObject({ name: z.string(), distanceMeters: z.number().nullish(), address: z.string().nullish() }))
    .nullish(),
});

export function tellRestaurants(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker } = deciding;
  const location = deciding.state.lastArea ?? findPlace(deciding, reading)?.name;
  if (location === undefined) return ask("place", speaker.say("askWhere"));
  const kitchen = reading.marks.list.findLast(({ kind }) => kind === "cuisine")?.value;
  const { adults } = reading.party;
  const args = {
    location,
    ...(kitchen === undefined ? {} : { cuisine: kitchen }),
    ...(adults === undefined ? {} : { partySize: adults }),
    languageCode: speaker.words.language,
  };
  const found = need(deciding, { name: "recommend_restaurants", args });
  if ("outcome" in found) return found.outcome;
  const answer = Restaurants.safeParse(found.result).data;
  const label = answer?.place?.label ?? location;
  const list = answer?.restaurants ?? [];
  if (list.length === 0)
    return tell(
      speaker.say("noRestaurants", { place: label, link: answer?.links?.openStreetMap ?? answer?.links?.google ?? "" }),
    );
  const lines = list.map(({ name, address, distanceMeters }, index) => {
    const distance = distanceMeters == null ? "" : ` · ${speaker.words.number(Math.round(distanceMeters))} m`;
    return `${index + 1}. ${name}${address == null ? "" : ` · ${address}`}${distance}`;
  });
  return tell([speaker.say("restaurants", { place: label }), ...lines].join("\n"));
}

const Way = z.looseObject({
  airport: z.looseObject({ label: z.string() }),
  destination: z.looseObject({ label: z.string().nullish(), takenAs: z.string().nullish() }),
  way: z
    .looseObject({
      roadKilometers: z.number().nullish(),
      minutes: z.looseObject({ fewest: z.number(), likely: z.number(), most: z.number() }),
    })
    .nullish(),
});

/** From the airport of arrival to an address, the hotel or the middle of the city. */
export function tellTransfer(deciding: Deciding, { reading }: Wish): Outcome {
  const { state, speaker } = deciding;
  const { way } = state;
  if (way.airport === undefined) return ask("origin", speaker.say("askAirport"));
  const near = need(deciding, { name: "find_airports_nearby", args: { query: way.airport.name } });
  if ("outcome" in near) return near.outcome;
  const airports = AirportList.safeParse(near.result).data?.airports ?? [];
  const airport = airports.find(({ iataCode }) => iataCode === way.airport?.code) ?? airports[0];
  if (airport === undefined) return ask("origin", speaker.say("askAirport"));
  const city = airport.cityName ?? way.airport.name;
  const address = way.target === undefined ? city : /,/.test(way.target) ? way.target : `${way.target}, ${city}`;
  const mode = reading.marks.list.findLast(({ kind }) => kind === "mode")?.value;
  const args = {
    airport: airport.iataCode,
    destinationAddress: address,
    ...(mode === undefined ? {} : { mode }),
    languageCode: speaker.words.language,
  };
  const found = need(deciding, { name: "airport_transfer_coordinator", args });
  if ("outcome" in found) return found.outcome;
  const planned = Way.safeParse(found.result).data;
  if (planned?.way == null) return tell(speaker.say("unknown"));
  const { fewest, likely, most } = planned.way.minutes;
  return tell(
    speaker.say("transfer", {
      airport: planned.airport.label,
      destination: planned.destination.takenAs ?? planned.destination.label ?? address,
      minutes: likely,
      fewest,
      most,
      distance: speaker.words.number(planned.way.roadKilometers ?? 0, { maximumFractionDigits: 0 }),
    }),
  );
}

const Reminder = z.looseObject({ icsUrl: z.string().nullish() });

/** For the flight that was booked last. */
export function remind(deciding: Deciding): Outcome {
  const { state, speaker } = deciding;
  const flight = state.orders.findLast(({ kind, status }) => kind === "flight" && status === "confirmed");
  if (flight === undefined) {
    const list = need(deciding, { name: "list_orders", args: { limit: 20 } });
    return "outcome" in list ? list.outcome : tell(speaker.say("noOrders"));
  }
  const read = need(deciding, { name: "read_order", args: { orderId: flight.orderId } });
  if ("outcome" in read) return read.outcome;
  const order = OrderDetails.safeParse(read.result).data;
  const segment = order?.flight?.slices?.[0]?.segments[0];
  const zone = segment === undefined ? undefined : order?.flight?.timeZones?.[segment.origin];
  if (segment === undefined || zone === undefined) return tell(speaker.say("noOrders"));
  const departure = Temporal.PlainDateTime.from(segment.departingAt.slice(0, 19))
    .toZonedDateTime(zone)
    .toInstant()
    .toString();
  const args = {
    origin: segment.origin,
    destination: segment.destination,
    flightNumber: segment.flightNumber,
    departureDateTimeIso: departure,
    ...(order?.pnr == null ? {} : { pnr: order.pnr }),
    language: speaker.words.language,
  };
  const found = need(deciding, { name: "trip_checkin_reminder", args });
  if ("outcome" in found) return found.outcome;
  return tell(speaker.say("reminder", { link: Reminder.safeParse(found.result).data?.icsUrl ?? "" }));
}
