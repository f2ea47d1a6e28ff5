import { z } from "zod";
import { toCountryAlpha2, toCountryAlpha3 } from "../../../domain/countries.ts";
import { fold } from "../reading/marks.ts";
import type { Reading } from "../reading/read-message.ts";
import { isAboutAnother } from "../state/questions.ts";
import { TravelerList } from "../state/results.ts";
import type { Wish } from "../state/state.ts";
import { ask, type Call, call, type Deciding, findResult, need, type Outcome, sayFailure, tell } from "./outcome.ts";

const Verdict = z.looseObject({
  verdict: z.string(),
  summary: z.string().nullish(),
  passport: z.looseObject({ nationality: z.string() }).nullish(),
  alternatives: z
    .array(z.looseObject({ nationality: z.string(), verdict: z.string(), summary: z.string().nullish() }))
    .nullish(),
});
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
  const departure = findDeparture(deciding);
  const wanted = state.visa.nationality;
  if (wanted !== undefined && isAboutAnother(reading)) return tellForPassport(deciding, { wanted, country, reading });
  if (departure === undefined && wanted === undefined) return ask("departureDate", speaker.say("askTravelDate"));
  const people = need(deciding, { name: "list_travelers", args: {} });
  if ("outcome" in people) return people.outcome;
  const travelers = TravelerList.safeParse(people.result).data?.travelers ?? [];
  const named = findNamed(deciding, reading);
  const caller = travelers.find(({ isCaller, userId }) =>
    named === undefined ? isCaller === true : userId === named.userId,
  );
  const passports = (caller?.profile.passports ?? []).flatMap(({ nationality }) => nationality ?? []);
  if (wanted !== undefined && !passports.includes(wanted))
    return tellForPassport(deciding, { wanted, country, reading });
  if (departure === undefined) return ask("departureDate", speaker.say("askTravelDate"));
  const nationality = wanted ?? passports[0];
  const start = reading.places.find(({ role }) => role === "from")?.country ?? state.flight.origin?.country;
  const originIso3 = (start === undefined ? undefined : toCountryAlpha3(start)) ?? nationality ?? undefined;
  const destinationIso3 = toCountryAlpha3(country);
  if (originIso3 === undefined || destinationIso3 === undefined) return ask("origin", speaker.say("askOrigin"));
  const back = state.visa.end ?? state.flight.return;
  const check: Call = {
    name: "check_travel_eligibility",
    args: {
      travelerUserId: caller?.userId ?? named?.userId ?? request.traveler.userId,
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
  const best = Verdict.safeParse(found.result).data;
  const other = best?.alternatives?.find((one) => one.nationality === wanted);
  const answer = best?.passport?.nationality === wanted ? best : (other ?? best);
  const name = speaker.country(country);
  const verdict = speaker.say(VERDICTS[answer?.verdict ?? ""] ?? "unknownEligibility", { country: name });
  // The reasons are written in English.
  const summary = speaker.words.language === "en" && answer?.summary != null ? answer.summary : "";
  const who = named === undefined ? "" : `${named.name}:`;
  return tell([who, verdict, summary, speaker.say("borderDecides")].filter((part) => part !== "").join(" "));
}

/** "In November", on the 28th of it, is of the days that are left. */
function findDeparture({ state: { visa, flight }, today }: Deciding): Temporal.PlainDate | undefined {
  const day = visa.date ?? flight.departure;
  const isPast = day !== undefined && day.day === 1 && Temporal.PlainDate.compare(day, today) < 0;
  return isPast && day.toPlainYearMonth().equals(today.toPlainYearMonth()) ? today : day;
}

/** The one companion that the question is about. */
export function findNamed({ request }: Deciding, { folded }: Reading) {
  const words = new Set(folded.split(/[^\p{L}'-]+/u));
  const named = request.traveler.companions.filter(({ name }) => words.has(fold(name).split(" ")[0] ?? ""));
  return named.length === 1 ? named[0] : undefined;
}

const Legs = z.looseObject({ legs: z.array(Verdict) });
/** Where no day is named, the answer is for about then. */
const USUAL_DAYS_AHEAD = 30;

/** A passport that no profile has: the rules for its country, whoever holds it. */
function tellForPassport(
  deciding: Deciding,
  { wanted, country, reading }: { wanted: string; country: string; reading: Reading },
): Outcome {
  const { state, speaker, today } = deciding;
  const name = (alpha3: string): string => speaker.country(toCountryAlpha2(alpha3) ?? alpha3);
  const departure = findDeparture(deciding) ?? today.add({ days: USUAL_DAYS_AHEAD });
  const back = state.visa.end ?? state.flight.return;
  const destinationIso3 = toCountryAlpha3(country);
  const start = reading.places.find(({ role }) => role === "from")?.country;
  const originIso3 = (start === undefined ? undefined : toCountryAlpha3(start)) ?? wanted;
  if (destinationIso3 === undefined) return ask("country", speaker.say("askCountry"));
  const journey = {
    ...{ originIso3, destinationIso3, departureDate: departure.toString() },
    purpose: state.visa.isBusiness === true ? "business" : "leisure",
    ...(back === undefined ? {} : { returnDate: back.toString() }),
  };
  const found = need(deciding, { name: "check_trip_eligibility", args: { nationality: wanted, legs: [journey] } });
  if ("outcome" in found) return found.outcome;
  const [answer] = Legs.safeParse(found.result).data?.legs ?? [];
  const known = VERDICTS[answer?.verdict ?? ""] ?? "unknownEligibility";
  const verdict = speaker.say(known === "eligible" ? "eligibleWith" : known, { country: speaker.country(country) });
  const summary = speaker.words.language === "en" && answer?.summary != null ? answer.summary : "";
  const lead = speaker.say("ordinaryPassport", { country: name(wanted), date: speaker.day(departure) });
  const supposed = summary === "" ? speaker.say("passportAssumed") : "";
  return tell([lead, verdict, summary, supposed, speaker.say("borderDecides")].filter((part) => part !== "").join(" "));
}
