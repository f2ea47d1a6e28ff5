import { nameCountry, namesNoNationality } from "../../domain/countries.ts";
import type { EligibilityAssessment, EligibilityQuestion } from "./eligibility-rules.ts";
import type { KnownRegime } from "./read-regimes.ts";

/**
 * Rules for visitors do not apply to nationals, who are known from any of their passports, also from an expired one: no
 * visa and no authorization is issued to them. Where nationals must use their own passport, another one is not enough
 * even if its holders need neither.
 */
export function heedOtherNationalities(
  question: EligibilityQuestion,
  known: KnownRegime | undefined,
  assessed: EligibilityAssessment,
): EligibilityAssessment {
  const { document, otherNationalities, arrivesOn, purpose } = question;
  const isOnlyOwn = known?.regime.nationals?.isOnlyOwn === true;
  const isCitizen = (code: string) => code === question.destinationIso3 || known?.regime.citizens?.has(code) === true;
  const isFree = (code: string) =>
    !isOnlyOwn && known?.regime.freeMovement.some(({ nationalities }) => nationalities.has(code)) === true;
  const mayUse = known?.regime.nationals?.passports?.has(document.nationality) === true;
  if (namesNoNationality(document.nationality)) return assessed;
  if (isCitizen(document.nationality) || isFree(document.nationality)) return withoutNotes(assessed, known);
  const own = otherNationalities.find(isCitizen) ?? otherNationalities.find(isFree);
  if (own === undefined || mayUse || document.expiresOn < arrivesOn.toString()) return assessed;
  const isEnough = assessed.verdict === "eligible" && (!isOnlyOwn || purpose === "transit");
  return isEnough ? withRemark(assessed, own) : asNational(question, known, assessed, own);
}

const say = (code: string) => `${code}, ${nameCountry(code)}`;

function withoutNotes(assessed: EligibilityAssessment, known: KnownRegime | undefined): EligibilityAssessment {
  const { notes = [], notesFor } = known?.regime ?? {};
  if (notesFor !== "visitors") return assessed;
  return { ...assessed, nextSteps: assessed.nextSteps.filter((step) => !notes.includes(step)) };
}

function withRemark(assessed: EligibilityAssessment, own: string): EligibilityAssessment {
  const remark = `The traveler also has the nationality of the destination, or one with the same rights (${say(own)}). Many countries want such travelers to enter and leave with that passport: take it along, and renew it if it has expired.`;
  return { ...assessed, nextSteps: [...assessed.nextSteps, remark] };
}

function asNational(
  { document }: EligibilityQuestion,
  known: KnownRegime | undefined,
  assessed: EligibilityAssessment,
  own: string,
): EligibilityAssessment {
  const nationals = known?.regime.nationals;
  const source = nationals === undefined ? null : (known?.regime.sources[nationals.source] ?? null);
  const how =
    nationals?.note ??
    "Visas and authorizations for visitors are not issued to nationals, who enter with a valid passport of their own country.";
  const detail = `This passport (${nameCountry(document.nationality)}) is not the one for this journey, because another passport in the profile shows a nationality with the right to enter (${say(own)}). ${how}`;
  const url = known?.regime.officialUrl;
  return {
    ...assessed,
    verdict: "needs_information",
    summary: detail,
    doubts: url === undefined ? [] : [`Confirm it at ${url} before anything is paid.`],
    checks: [
      ...assessed.checks.filter(({ id }) => id === "passport"),
      { id: "visa", status: "unknown", detail, source },
    ],
    authorization: null,
    maxStayDays: null,
    stale: false,
    recalled: false,
    asOf: source?.asOf ?? null,
    nextSteps: [
      `Travel on a valid passport of the nationality ${own}. If it has expired, renew it, or ask a consulate of the country that issued it for an emergency travel document, before anything is paid. Do not apply for a visa or an authorization with this passport.`,
      `If the traveler no longer has the nationality ${own}, remove that passport with save_traveler and ask again.`,
    ],
  };
}
