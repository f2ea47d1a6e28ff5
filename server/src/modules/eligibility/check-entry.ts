import { nameCountry } from "../../domain/countries.ts";
import { checkStay } from "./check-stay.ts";
import {
  type Case,
  type Finding,
  findAuthorization,
  findSource,
  otherwiseFor,
  rulesFor,
  withNote,
} from "./findings.ts";
import type { Grant } from "./regime-schema.ts";

type Covered = Grant["purposes"][number];

/**
 * The rule for a nationality on the day of arrival. `fits` tells whether it covers the purpose. Undefined if no rule
 * covers the nationality.
 */
export function findGrant(asked: Case): { grant: Grant; fits: boolean } | undefined {
  const { regime, purpose } = asked;
  const otherwise = otherwiseFor(asked, regime.otherwise);
  const rules: readonly Grant[] = [...rulesFor(asked, regime.entry), ...(otherwise === undefined ? [] : [otherwise])];
  const covering = rules.filter((grant) => coversPurpose(grant, purpose === "transit" ? "leisure" : purpose));
  // If a stay is too long for an exemption, an e-visa may still cover it.
  const longEnough = covering.find((grant) => isGranted(grant) && checkStay(asked, grant).check.status !== "fail");
  const fitting = covering[0] !== undefined && isGranted(covering[0]) ? (longEnough ?? covering[0]) : covering[0];
  const [first] = rules;
  // The visa rule for everybody else does not apply to a person whose own rule covers other purposes: then the purpose is the reason.
  if (first !== undefined && isGranted(first) && (fitting === undefined || !isGranted(fitting))) {
    return { grant: first, fits: coversPurpose(first, purpose === "transit" ? "leisure" : purpose) };
  }
  return fitting === undefined ? undefined : { grant: fitting, fits: true };
}

export function isGranted({ kind }: Grant): boolean {
  return kind !== "visa" && kind !== "refused" && kind !== "unknown";
}

function coversPurpose(grant: Grant, purpose: Covered): boolean {
  return !isGranted(grant) || grant.purposes.includes(purpose);
}

const NO_RULE = "The rules that the service has do not cover this nationality.";

export function checkVisa({ regime, document, arrivesOn, residenceIso3 }: Case, grant: Grant | undefined): Finding {
  if (grant === undefined) {
    return {
      check: {
        id: "visa",
        status: "unknown",
        detail: `${NO_RULE} Ask the consulate of the destination.`,
        source: null,
      },
      verdict: "unknown",
      nextStep: "Ask the consulate of the destination.",
    };
  }
  const source = findSource(regime, grant.source);
  const issuer = nameCountry(document.nationality);
  const say = (text: string) => withNote(text, grant);
  if (grant.kind === "unknown") {
    const detail = say(`It is not known what holders of this passport (${issuer}) need on ${arrivesOn}.`);
    const nextStep = `Check ${regime.officialUrl} before anything is paid.`;
    return { check: { id: "visa", status: "unknown", detail, source }, verdict: "unknown", nextStep };
  }
  if (grant.kind === "refused") {
    const detail = say(`Holders of this passport (${issuer}) are not admitted to ${regime.title} on ${arrivesOn}.`);
    return { check: { id: "visa", status: "fail", detail, source }, verdict: "not_admitted" };
  }
  if (grant.kind === "visa") {
    const detail = say(`Holders of this passport (${issuer}) need a visa from a consulate before they travel.`);
    const resident =
      residenceIso3 === undefined
        ? " Who lives there with a residence permit needs none: set residence with save_traveler."
        : "";
    const nextStep = `Apply for a visa at a consulate before the journey; see ${regime.officialUrl}.${resident}`;
    return { check: { id: "visa", status: "fail", detail, source }, verdict: "visa_required", nextStep };
  }
  const detail = say(`Holders of this passport (${issuer}) need no visa from a consulate for a short visit.`);
  return { check: { id: "visa", status: "pass", detail, source }, verdict: "eligible" };
}

/** The authorization that a grant requires instead of a visa from a consulate. */
export function checkAuthorization({ regime, arrivesOn }: Case, grant: Grant): Finding {
  const { announced } = grant;
  const source = findSource(regime, grant.source);
  const needed = grant.kind === "visa_free" ? undefined : findAuthorization(regime, grant.authorization);
  if (needed !== undefined) {
    const detail =
      grant.kind === "visa_on_arrival"
        ? `A ${needed.type} is issued on arrival. ${needed.leadTime}`
        : `A valid ${needed.type} is required before boarding. ${needed.leadTime}`;
    return {
      check: { id: "authorization", status: "warn", detail, source },
      verdict: "eligible_with_authorization",
      authorization: needed,
      nextStep:
        grant.kind === "visa_on_arrival"
          ? `The ${needed.type} is issued on arrival; ${needed.officialUrl} says how.`
          : `Get the ${needed.type} at ${needed.officialUrl}, unless the traveler has a valid one.`,
    };
  }
  const coming = announced === undefined ? undefined : findAuthorization(regime, announced.authorization);
  if (announced !== undefined && coming !== undefined && announced.from <= arrivesOn.toString()) {
    return {
      check: {
        id: "authorization",
        status: "warn",
        detail: announced.note,
        source: findSource(regime, announced.source),
      },
      verdict: "eligible",
      authorization: coming,
      nextStep: `Check ${coming.officialUrl} before the journey: the ${coming.type} may be required by then.`,
    };
  }
  const detail = "No electronic authorization is needed.";
  return { check: { id: "authorization", status: "pass", detail, source }, verdict: "eligible" };
}

export function checkPurpose({ regime, purpose }: Case, grant: Grant, fits: boolean): Finding {
  const source = findSource(regime, grant.source);
  if (fits) {
    const detail = isGranted(grant)
      ? `The rule covers ${purpose}.`
      : `State ${purpose} as the purpose in the application.`;
    return { check: { id: "purpose", status: "pass", detail, source }, verdict: "eligible" };
  }
  const detail = `The rule for visitors covers ${grant.purposes.join(" and ")}, not ${purpose}.`;
  return {
    check: { id: "purpose", status: "fail", detail, source },
    verdict: "visa_required",
    nextStep: `Apply for a visa or permit for ${purpose} before the journey.`,
  };
}
