import { z } from "zod";
import { toCountryAlpha2, toCountryAlpha3 } from "../../../domain/countries.ts";
import { fold } from "../reading/marks.ts";
import type { Reading } from "../reading/read-message.ts";
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
  const departure = state.visa.date ?? state.flight.departure;
  const wanted = state.visa.nationality;
  if (departure === undefined && wanted === undefined) return ask("departureDate", speaker.say("askTravelDate"));
  const people = need(deciding, { name: "list_travelers", args: {} });
  if ("outcome" in people) return people.outcome;
  const travelers = TravelerList.safeParse(people.result).data?.travelers ?? [];
  const named = findNamed(deciding, reading);
  const caller = travelers.find(({ isCaller, userId }) =>
    named === undefined ? isCaller === true : userId === named.userId,
  );
  const passports = (caller?.profile.passports ?? []).flatMap(({ nationality }) => nationality ?? []);
  if (wanted !== undefined && !passports.includes(wanted)) return tell(sayNoPassport(deciding, wanted, passports));
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

/** The one companion that the question is about. */
export function findNamed({ request }: Deciding, { folded }: Reading) {
  const words = new Set(folded.split(/[^\p{L}'-]+/u));
  const named = request.traveler.companions.filter(({ name }) => words.has(fold(name).split(" ")[0] ?? ""));
  return named.length === 1 ? named[0] : undefined;
}

/** Only passports that are saved can be checked: an answer for another one would be wrong. */
function sayNoPassport({ speaker }: Deciding, wanted: string, passports: readonly string[]): string {
  const name = (alpha3: string): string => speaker.country(toCountryAlpha2(alpha3) ?? alpha3);
  return passports.length === 0
    ? speaker.say("noPassport", { country: name(wanted) })
    : speaker.say("otherPassport", { country: name(wanted), known: speaker.list(passports.map(name)) });
}
