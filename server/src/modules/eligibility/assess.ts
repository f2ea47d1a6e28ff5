import { nameCountry, namesNoNationality } from "../../domain/countries.ts";
import { checkAuthorization, checkPurpose, checkVisa, findGrant, isGranted } from "./check-entry.ts";
import { checkPassport, checkPassportInside, checkPassportOrCard, checkValidity } from "./check-passport.ts";
import { checkStay } from "./check-stay.ts";
import { checkTransit } from "./check-transit.ts";
import type {
  EligibilityAssessment,
  EligibilityCheck,
  EligibilityQuestion,
  EligibilityRules,
  EligibilityVerdict,
  RuleSource,
} from "./eligibility-rules.ts";
import { type Case, daysBetween, type Finding, findSource, worstVerdict } from "./findings.ts";
import { heedOtherNationalities } from "./own-nationality.ts";
import type { KnownRegime, Regimes } from "./read-regimes.ts";
import type { Regime } from "./regime-schema.ts";

/** A rule that was last confirmed longer ago is stale: visa rules change every few months. */
const FRESH_DAYS = 90;

/** The one rule that no regime states. Treaties do not age like lists. */
const OWN_COUNTRY: RuleSource = {
  title: "International Covenant on Civil and Political Rights, Article 12(4)",
  url: "https://www.ohchr.org/en/instruments-mechanisms/instruments/international-covenant-civil-and-political-rights",
  asOf: "1976-03-23",
  basis: "recalled",
};

export function createRules(regimes: Regimes): EligibilityRules {
  return {
    assess: (question) =>
      heedOtherNationalities(question, regimes.get(question.destinationIso3), assess(regimes, question)),
    admitsByStays: (destinationIso3) => admitsByStays(regimes, destinationIso3),
  };
}

/** Judges one passport. A pure function: it knows no traveler and no clock. */
function assess(regimes: Regimes, question: EligibilityQuestion): EligibilityAssessment {
  const { document, destinationIso3 } = question;
  const known = regimes.get(destinationIso3);
  if (namesNoNationality(document.nationality)) return withoutNationality(question, known);
  const isOwnCountry = known?.regime.citizens?.has(document.nationality) ?? document.nationality === destinationIso3;
  if (isOwnCountry || document.nationality === destinationIso3) return ownCountry(question, known);
  if (mayLiveThere(question, known?.regime)) return residentHome(question, known);
  if (known === undefined) return notCovered(question);
  const { regime } = known;
  const asked: Case = { ...question, regime, expiresOn: Temporal.PlainDate.from(document.expiresOn) };
  if (staysInside(asked)) return concluded(question, known, goOnInside(asked));
  return concluded(question, known, asReturn(asked, listFindings(asked)));
}

/** In the country, or in one with which it has no checked borders. */
const isThere = (place: string | undefined, { destinationIso3 }: EligibilityQuestion, regime: Regime | undefined) =>
  place !== undefined &&
  (place === destinationIso3 || (regime?.openInside !== undefined && regime.countries.has(place)));

const mayLiveThere = (question: EligibilityQuestion, regime: Regime | undefined): boolean =>
  isThere(question.residenceIso3, question, regime);

/** Visitors' rules do not apply to residents, whose permit the service has not seen. */
function residentHome(question: EligibilityQuestion, known: KnownRegime | undefined): EligibilityAssessment {
  const { document, arrivesOn, residenceIso3 = "" } = question;
  const isExpired = document.expiresOn < arrivesOn.toString();
  const passport = `This passport (${nameCountry(document.nationality)}) expires on ${document.expiresOn}.`;
  return concluded(question, known, [
    {
      check: { id: "passport", status: isExpired ? "fail" : "pass", detail: passport, source: null },
      verdict: isExpired ? "not_admitted" : "eligible",
      ...(isExpired ? { nextStep: "Renew the passport before the journey." } : {}),
    },
    {
      check: {
        id: "visa",
        status: "pass",
        detail: `By the profile, the traveler lives there (residence: ${residenceIso3}): residents need no visa or authorization for visitors. The residence permit must be valid on ${arrivesOn} and is shown with the passport.`,
        source: null,
      },
      verdict: "eligible",
      isHome: true,
      nextStep: `Carry the residence permit (${residenceIso3}) with the passport: airlines ask for it.`,
    },
  ]);
}

/** Whoever began the trip there may live there: then no visa for visitors is asked for. */
function asReturn(asked: Case, findings: readonly Finding[]): readonly Finding[] {
  const { startedInIso3, regime } = asked;
  if (!isThere(startedInIso3, asked, regime)) return findings;
  if (worstVerdict(findings.map(({ verdict }) => verdict)) !== "visa_required") return findings;
  return findings.map((finding) => (finding.verdict === "visa_required" ? onReturn(asked, finding) : finding));
}

function onReturn({ regime }: Case, { check }: Finding): Finding {
  return {
    check: {
      ...check,
      status: "unknown",
      detail: `The trip began in ${regime.title}: if the traveler lives there, the residence permit is enough, otherwise a visa is needed for this return. ${check.detail}`,
    },
    verdict: "needs_information",
    isHome: true,
    nextStep: `If the traveler lives in ${regime.title}, set residence with save_traveler and carry the permit. Otherwise look at the visa before anything is paid: it must allow another entry; see ${regime.officialUrl}.`,
  };
}

/** Stays that use up a limit lead to a visa at worst: a refusal depends only on rules that ask where a traveler has been. */
function admitsByStays(regimes: Regimes, destinationIso3: string): boolean {
  const regime = regimes.get(destinationIso3)?.regime;
  if (regime === undefined) return false;
  const { entry, transit } = regime;
  const airside = typeof transit?.airside === "object" ? transit.airside.rules : [];
  return [...entry, ...airside, ...(transit?.landside ?? [])].some(({ stayedIn }) => stayedIn !== undefined);
}

function listFindings(asked: Case): Finding[] {
  const { regime, document, purpose } = asked;
  const passport = checkPassport(asked);
  const free = findFreeMovement(regime, document);
  if (free !== undefined) {
    const source = findSource(regime, free.source);
    const own = free.onIdentityCard ? checkPassportOrCard(asked, regime.title, source) : passport;
    return [own, ...mayStay(source, free.note)];
  }
  if (purpose === "transit") return [passport, ...checkTransit(asked)];
  const found = findGrant(asked);
  const visa = checkVisa(asked, found?.grant);
  const validity = checkValidity(asked);
  if (found === undefined) return [passport, visa, validity];
  const { grant, fits } = found;
  if (!fits) return [passport, visa, validity, checkPurpose(asked, grant, false)];
  if (!isGranted(grant))
    return [passport, visa, validity, ...(grant.kind === "visa" ? [checkPurpose(asked, grant, true)] : [])];
  return [
    ...[passport, visa, checkAuthorization(asked, grant), validity],
    ...[checkStay(asked, grant), checkPurpose(asked, grant, true)],
  ];
}

const findFreeMovement = (regime: Regime | undefined, { nationality }: EligibilityQuestion["document"]) =>
  regime?.freeMovement.find(({ nationalities }) => nationalities.has(nationality));

const staysInside = ({ regime, originIso3, purpose }: Case): boolean =>
  regime.openInside !== undefined &&
  originIso3 !== undefined &&
  regime.countries.has(originIso3) &&
  purpose !== "study" &&
  purpose !== "medical";

/** A stay goes on and ends as if it were in one country; whoever needs a visa for it needs one for this journey too. */
function goOnInside(asked: Case): Finding[] {
  const { regime, document } = asked;
  const source = findSource(regime, regime.openInside ?? "");
  const isCitizen = findFreeMovement(regime, document) !== undefined;
  const found = isCitizen ? undefined : findGrant(asked);
  const mayStay = isCitizen || (found !== undefined && isGranted(found.grant));
  const say = (id: EligibilityCheck["id"], detail: string): Finding => ({
    check: { id, status: "pass", detail, source },
    verdict: "eligible",
  });
  const lasting = isCitizen ? "" : ", as long as the right to stay there lasts";
  return [
    checkPassportInside(asked, isCitizen),
    mayStay
      ? say("visa", `Nothing more is needed to travel on within ${regime.title}${lasting}.`)
      : onPermit(asked, source),
    ...(found !== undefined && isGranted(found.grant) ? [checkStay(asked, found.grant)] : []),
  ];
}

/** The service knows no traveler's visas or permits. */
function onPermit({ regime, document, arrivesOn }: Case, source: RuleSource | null): Finding {
  const { title } = regime;
  const issuer = nameCountry(document.nationality);
  const detail = `Only with a residence permit of a state in ${title}, or with a visa for it that is valid on ${arrivesOn} for this stay and not limited to other states, may a holder of this passport (${issuer}) make this journey. The service does not know whether the traveler has one.`;
  return {
    check: { id: "visa", status: "unknown", detail, source },
    verdict: "needs_information",
    nextStep: `Before anything is paid, look at the traveler's visa or residence permit: it must be valid for ${title} on every day of the stay. Without one, the traveler must not travel; see ${regime.officialUrl}.`,
  };
}

/** A person who may live there may visit for any purpose. */
function mayStay(source: RuleSource | null, why: string): Finding[] {
  const say = (id: EligibilityCheck["id"], detail: string): Finding => ({
    check: { id, status: "pass", detail, source },
    verdict: "eligible",
  });
  return [
    say("visa", why),
    say("authorization", "No electronic authorization is needed."),
    say("stay", "The stay has no limit."),
    say("purpose", "Every purpose is covered."),
  ];
}

function ownCountry(question: EligibilityQuestion, known: KnownRegime | undefined): EligibilityAssessment {
  const { document, arrivesOn } = question;
  const stay = mayStay(OWN_COUNTRY, "A country admits its own nationals.");
  const isExpired = document.expiresOn < arrivesOn.toString();
  if (isExpired && known !== undefined && findFreeMovement(known.regime, document)?.onIdentityCard) {
    return concluded(question, known, [checkPassportOrCard(question, known.regime.title, OWN_COUNTRY), ...stay]);
  }
  const detail = isExpired
    ? `This passport (${nameCountry(document.nationality)}) expires on ${document.expiresOn}, before the arrival on ${arrivesOn}. Airlines do not accept it for boarding, although the country admits its own nationals.`
    : `This passport (${nameCountry(document.nationality)}) is valid on the day of arrival.`;
  const passport: Finding = {
    check: { id: "passport", status: isExpired ? "fail" : "pass", detail, source: OWN_COUNTRY },
    verdict: isExpired ? "not_admitted" : "eligible",
    ...(isExpired
      ? { nextStep: "Renew the passport, or ask the country's consulate for an emergency travel document." }
      : {}),
  };
  return concluded(question, known, [passport, ...stay]);
}

function notCovered(question: EligibilityQuestion): EligibilityAssessment {
  const { document, destinationIso3, arrivesOn } = question;
  const isExpired = document.expiresOn < arrivesOn.toString();
  const passport: Finding = {
    check: {
      id: "passport",
      status: isExpired ? "fail" : "pass",
      detail: `This passport (${nameCountry(document.nationality)}) ${isExpired ? "expires" : "is valid until"} ${isExpired ? "on " : ""}${document.expiresOn}.`,
      source: null,
    },
    verdict: isExpired ? "not_admitted" : "eligible",
  };
  const country = nameCountry(destinationIso3);
  const detail = `The service has no rules for ${country}.`;
  const visa: Finding = {
    check: { id: "visa", status: "unknown", detail, source: null },
    verdict: "unknown",
    nextStep: `Ask a consulate of ${country}: nothing here confirms that the traveler may enter.`,
  };
  return concluded(question, undefined, [passport, visa]);
}

function withoutNationality(question: EligibilityQuestion, known: KnownRegime | undefined): EligibilityAssessment {
  const detail =
    "This is the travel document of a stateless person or refugee, or names no nationality. Rules by nationality do not apply to it.";
  const passport: Finding = {
    check: { id: "passport", status: "unknown", detail, source: null },
    verdict: "needs_information",
    nextStep: `Ask a consulate of ${nameCountry(question.destinationIso3)} whether it accepts this document and which visa it needs.`,
  };
  return concluded(question, known, [passport]);
}

function concluded(
  question: EligibilityQuestion,
  known: KnownRegime | undefined,
  findings: readonly Finding[],
): EligibilityAssessment {
  const { document, destinationIso3, today } = question;
  const verdict = worstVerdict(findings.map((finding) => finding.verdict));
  const checks = findings.map(({ check }) => check);
  const settled = [OWN_COUNTRY, known && findSource(known.regime, known.regime.openInside ?? "")];
  const isUsed = ({ check: { source } }: Finding) => source !== null && !settled.includes(source);
  const used = findings.filter(isUsed).flatMap(({ check: { source } }) => source ?? []);
  const asOf = used.map((source) => source.asOf).toSorted()[0];
  const stale = asOf !== undefined && daysBetween(Temporal.PlainDate.from(asOf), today) - 1 > FRESH_DAYS;
  // Where nothing speaks against the journey, the rule on visas decides.
  const deciding = findings.filter((finding) => isUsed(finding) && finding.verdict === verdict);
  const recalled = deciding.some(
    ({ check: { id, source } }) => source?.basis === "recalled" && (verdict !== "eligible" || DECIDING.has(id)),
  );
  const isOpen = verdict === "eligible" || verdict === "eligible_with_authorization" || verdict === "needs_information";
  // A visa in a passport that must be renewed is wasted.
  const isOfPassport = ({ check: { id } }: Finding) => id === "passport" || id === "validity";
  const inOrder = [...findings.filter(isOfPassport), ...findings.filter((finding) => !isOfPassport(finding))];
  const nextSteps = inOrder.flatMap(({ nextStep }) => nextStep ?? []);
  const [authorization = null] = findings.flatMap((finding) => finding.authorization ?? []);
  const isHome = findings.some((finding) => finding.isHome === true);
  const isInside = checks.some(({ source }) => source !== null && source === settled[1]);
  // The first of both sides decides.
  const isAirside = checks.find(({ id }) => id === "transit")?.detail.startsWith("Airside") === true;
  const said = SUMMARIES[verdict]({
    nationality: nameCountry(document.nationality),
    destination: known?.regime.title ?? nameCountry(destinationIso3),
    authorization: authorization?.type ?? "see the checks",
    reason: findings.find((finding) => finding.verdict === verdict)?.check.detail ?? "",
    isAirside,
    isInside,
    home: findings.find((finding) => finding.isHome === true)?.check.detail,
  });
  return {
    verdict,
    summary: said,
    doubts: sayDoubts({ stale, recalled, asOf, url: known?.regime.officialUrl }),
    checks,
    authorization: isOpen ? authorization : null,
    maxStayDays: findings.flatMap(({ maxStayDays }) => maxStayDays ?? [])[0] ?? null,
    stale,
    recalled,
    asOf: asOf ?? null,
    source: known?.source ?? "Entry rules that come with the service",
    // The notes are about passing the border.
    nextSteps: [...nextSteps, ...(isAirside || isInside || isHome ? [] : (known?.regime.notes ?? []))],
  };
}

const DECIDING: ReadonlySet<EligibilityCheck["id"]> = new Set(["visa", "authorization", "transit"]);

interface Said {
  nationality: string;
  destination: string;
  authorization: string;
  /** The check that decided. */
  reason: string;
  /** The traveler changes planes without passing the border. */
  isAirside: boolean;
  /** No border is crossed that is usually checked. */
  isInside: boolean;
  /** Undefined: the journey does not lead to where the traveler lives or began the trip, or that does not matter. */
  home: string | undefined;
}

const SUMMARIES: Readonly<Record<EligibilityVerdict, (said: Said) => string>> = {
  eligible: ({ nationality, destination, isAirside, isInside, home }) => {
    if (home !== undefined) return home;
    if (isInside)
      return `This passport (${nationality}) is enough to travel on within ${destination}. Borders are usually not checked there, but a state may check them for a time: carry the passport.`;
    return isAirside
      ? `This passport (${nationality}) is enough to change planes in ${destination} without passing border control. To leave the transit area, see the checks.`
      : `This passport (${nationality}) is enough to enter ${destination} on this journey.`;
  },
  eligible_with_authorization: ({ nationality, destination, authorization }) =>
    `With this passport (${nationality}), ${destination} requires an authorization that is usually granted: ${authorization}.`,
  visa_required: ({ nationality, destination }) =>
    `With this passport (${nationality}), this journey to ${destination} requires a visa from a consulate.`,
  not_admitted: ({ nationality, destination, reason }) =>
    `${destination[0]?.toUpperCase()}${destination.slice(1)} does not accept this passport (${nationality}) for this journey. ${reason}`.trim(),
  needs_information: ({ nationality, destination, reason, isInside, home }) =>
    isInside || home !== undefined
      ? (home ?? reason)
      : `Information is missing to say whether this document (${nationality}) is enough for ${destination}.`,
  unknown: ({ nationality, destination }) =>
    `The service does not know what ${destination} requires of this passport (${nationality}). Do not treat this as a yes.`,
};

/** In an answer it is said once, whatever the number of journeys and passports. */
export const FROM_MEMORY = "The deciding rule was recorded from memory, because its source could not be read.";

function sayDoubts({
  stale,
  recalled,
  asOf,
  url,
}: Pick<EligibilityAssessment, "stale" | "recalled"> & {
  asOf: string | undefined;
  url: string | undefined;
}): string[] {
  if (!stale && !recalled) return [];
  return [
    ...(recalled ? [FROM_MEMORY] : []),
    ...(stale ? [`A rule behind it was last known to be in force on ${asOf}, more than ${FRESH_DAYS} days ago.`] : []),
    ...(url === undefined ? [] : [`Confirm it at ${url} before anything is paid.`]),
  ];
}
