import { z } from "zod";
import { toCountryAlpha3 } from "../../../domain/countries.ts";
import type { Reading } from "../reading/read-message.ts";
import { AirportList, Candidates, OrderDetails, TravelerList } from "../state/results.ts";
import type { Place, Wish } from "../state/state.ts";
import {
  ask,
  type Call,
  call,
  type Deciding,
  failureCode,
  findResult,
  need,
  type Outcome,
  sayFailure,
  tell,
} from "./outcome.ts";

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
  return { place, latitude: best.latitude, longitude: best.longitude, label: best.label ?? place.name };
}

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
  sun: z.array(z.looseObject({ sunriseLocal: z.string().nullish(), sunsetLocal: z.string().nullish() })).nullish(),
});

export function tellWeather(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker } = deciding;
  const at = locate(deciding, reading);
  if ("outcome" in at) return at.outcome;
  const args = { latitude: at.latitude, longitude: at.longitude, languageCode: speaker.words.language };
  const found = need(deciding, { name: "trip_weather_brief", args });
  if ("outcome" in found) return found.outcome;
  const weather = Weather.safeParse(found.result).data;
  const [sun] = weather?.sun ?? [];
  if (weather?.available === true)
    return tell(`${speaker.say("forecast", { place: at.label })}\n${weather.summary ?? ""}`.trim());
  const time = (iso: string | null | undefined) => (iso == null ? "–" : speaker.time(iso));
  return tell(
    speaker.say("noForecast", { place: at.label, sunrise: time(sun?.sunriseLocal), sunset: time(sun?.sunsetLocal) }),
  );
}

const Zone = z.looseObject({ timeZone: z.string(), localTime: z.string() });

export function tellTime(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker } = deciding;
  const at = locate(deciding, reading);
  if ("outcome" in at) return at.outcome;
  const args = { latitude: at.latitude, longitude: at.longitude };
  const found = need(deciding, { name: "timezone_brief", args });
  if ("outcome" in found) return found.outcome;
  const zone = Zone.safeParse(found.result).data;
  if (zone === undefined) return tell(speaker.say("unknown"));
  return tell(speaker.say("localTime", { place: at.label, time: speaker.time(zone.localTime), zone: zone.timeZone }));
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

const Verdict = z.looseObject({ verdict: z.string(), summary: z.string().nullish() });
const VERDICTS: Readonly<Record<string, "eligible" | "needsAuthorization" | "notEligible">> = {
  eligible: "eligible",
  eligible_with_authorization: "needsAuthorization",
  visa_required: "needsAuthorization",
  not_admitted: "notEligible",
};

/** Whether the caller may enter a country, from where they start and on the day that was named. */
export function tellEligibility(deciding: Deciding, { reading }: Wish): Outcome {
  const { state, speaker, request } = deciding;
  const country = state.visa.country ?? state.flight.destination?.country;
  if (country === undefined) return ask("country", speaker.say("askCountry"));
  const departure = state.visa.date ?? state.flight.departure;
  if (departure === undefined) return ask("departureDate", speaker.say("askTravelDate"));
  const people = need(deciding, { name: "list_travelers", args: {} });
  if ("outcome" in people) return people.outcome;
  const travelers = TravelerList.safeParse(people.result).data?.travelers ?? [];
  const caller = travelers.find(({ isCaller }) => isCaller === true);
  const nationality = caller?.profile.passports?.[0]?.nationality;
  const start = reading.places.find(({ role }) => role === "from")?.country ?? state.flight.origin?.country;
  const originIso3 = (start === undefined ? undefined : toCountryAlpha3(start)) ?? nationality ?? undefined;
  const destinationIso3 = toCountryAlpha3(country);
  if (originIso3 === undefined || destinationIso3 === undefined) return ask("origin", speaker.say("askOrigin"));
  const back = state.visa.end ?? state.flight.return;
  const check: Call = {
    name: "check_travel_eligibility",
    args: {
      travelerUserId: caller?.userId ?? request.traveler.userId,
      originIso3,
      destinationIso3,
      departureDate: departure.toString(),
      purpose: state.visa.isBusiness === true ? "business" : "leisure",
      ...(back === undefined ? {} : { returnDate: back.toString() }),
    },
  };
  const found = findResult(deciding, check);
  if (found === undefined) return call(check);
  if (found.outcome !== "ok") return tell(sayFailure(found, speaker));
  const answer = Verdict.safeParse(found.result).data;
  const name = speaker.country(country);
  const verdict = speaker.say(VERDICTS[answer?.verdict ?? ""] ?? "unknownEligibility", { country: name });
  // The reasons are written in English.
  const summary = speaker.words.language === "en" && answer?.summary != null ? answer.summary : "";
  return tell([verdict, summary, speaker.say("borderDecides")].filter((part) => part !== "").join(" "));
}

const Treasury = z.looseObject({
  balances: z.record(z.string(), z.string()),
  available: z.record(z.string(), z.string()).nullish(),
});

export function tellTreasury(deciding: Deciding): Outcome {
  const { speaker } = deciding;
  const found = need(deciding, { name: "check_treasury", args: {} });
  if ("outcome" in found) return found.outcome;
  const { balances, available } = Treasury.safeParse(found.result).data ?? { balances: {} };
  const show = (amounts: Readonly<Record<string, string>>) =>
    speaker.list(Object.entries(amounts).map(([currency, amount]) => speaker.money(amount, currency)));
  return tell(speaker.say("balance", { balance: show(balances), available: show(available ?? balances) }));
}

const Usage = z.looseObject({
  totals: z.looseObject({
    spentMicroUsdc: z.string(),
    capMicroUsdc: z.string().nullish(),
    leftMicroUsdc: z.string().nullish(),
  }),
});

export function tellUsage(deciding: Deciding): Outcome {
  const { speaker } = deciding;
  const found = need(deciding, { name: "list_usage", args: { limit: 1 } });
  if ("outcome" in found) return found.outcome;
  const totals = Usage.safeParse(found.result).data?.totals;
  const show = (micro: string | null | undefined) =>
    micro == null ? "–" : speaker.money((Number(micro) / 1e6).toFixed(4).replace(/0{1,2}$/, ""), "USDC");
  return tell(
    speaker.say("usage", {
      spent: show(totals?.spentMicroUsdc),
      cap: show(totals?.capMicroUsdc),
      left: show(totals?.leftMicroUsdc),
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
