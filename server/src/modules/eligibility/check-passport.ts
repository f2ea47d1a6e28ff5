import { nameCountry } from "../../domain/countries.ts";
import type { EligibilityQuestion, RuleSource } from "./eligibility-rules.ts";
import { type Case, compare, type Finding, findSource } from "./findings.ts";

/** Whether the passport is valid on the day of arrival. */
export function checkPassport({ regime, document, arrivesOn, expiresOn }: Case): Finding {
  const source = findSource(regime, regime.validity.source);
  const issuer = nameCountry(document.nationality);
  if (compare(expiresOn, arrivesOn) < 0) {
    const detail = `This passport (${issuer}) expires on ${expiresOn}, before the arrival on ${arrivesOn}.`;
    return {
      check: { id: "passport", status: "fail", detail, source },
      verdict: "not_admitted",
      nextStep: "Renew the passport, or use save_traveler to add one that is valid on the day of arrival.",
    };
  }
  const detail = `This passport (${issuer}) is valid until ${expiresOn}.`;
  return { check: { id: "passport", status: "pass", detail, source }, verdict: "eligible" };
}

type Document = Pick<EligibilityQuestion, "document" | "arrivesOn" | "leavesOn">;

/** Nationals who may also travel on an identity card, which the service does not know. */
export function checkPassportOrCard(asked: Document, title: string, source: RuleSource | null): Finding {
  const { document, arrivesOn, leavesOn = arrivesOn } = asked;
  const issuer = nameCountry(document.nationality);
  if (document.expiresOn >= leavesOn.toString()) {
    const detail = `This passport (${issuer}) is valid until ${document.expiresOn}.`;
    return { check: { id: "passport", status: "pass", detail, source }, verdict: "eligible" };
  }
  const when =
    document.expiresOn < arrivesOn.toString()
      ? `before the arrival on ${arrivesOn}`
      : `before the stay ends on ${leavesOn}`;
  const detail = `This passport (${issuer}) expires on ${document.expiresOn}, ${when}, and airlines do not accept an expired one. A valid national identity card is enough in ${title}, if the country issues one; the service does not know whether the traveler has it.`;
  return {
    check: { id: "passport", status: "unknown", detail, source },
    verdict: "needs_information",
    nextStep:
      "Before anything is paid, make sure that the traveler has an identity card that is valid on every day of the journey, or renew the passport. In an emergency, the country's consulate issues a travel document.",
  };
}

/** Between countries without checks at their borders: a passport that is no longer valid does not allow a stay there, and airlines refuse it. */
export function checkPassportInside(asked: Case, isCitizen: boolean): Finding {
  const { regime, document, arrivesOn } = asked;
  const { title } = regime;
  const source = findSource(regime, regime.openInside ?? "");
  if (isCitizen) {
    const finding = checkPassportOrCard(asked, title, source);
    if (finding.verdict !== "eligible") return finding;
  } else if (document.expiresOn < arrivesOn.toString()) {
    const detail = `This passport (${nameCountry(document.nationality)}) expires on ${document.expiresOn}, before the arrival on ${arrivesOn}. Borders within ${title} are usually not checked, but visitors and residents need a valid passport there, and airlines ask for it.`;
    return {
      check: { id: "passport", status: "fail", detail, source },
      verdict: "not_admitted",
      nextStep: "Renew the passport, or use save_traveler to add one that is valid on the day of arrival.",
    };
  }
  const papers = isCitizen ? "a valid passport or identity card" : "a valid passport";
  const detail = `Borders within ${title} are usually not checked, but a state may check them for a time, and several do. Carry ${papers}: airlines, the police and such checks may ask for it.`;
  return { check: { id: "passport", status: "pass", detail, source }, verdict: "eligible" };
}

/** How long the passport must be valid after the journey, and its maximum age. */
export function checkValidity(asked: Case): Finding {
  const { regime, document, arrivesOn, leavesOn, expiresOn } = asked;
  const { months, after, exempt, issuedWithinYears, orMonths, source: sourceName } = regime.validity;
  const source = findSource(regime, sourceName);
  const isExempt = exempt?.has(document.nationality) === true;
  const needed = isExempt ? { months: 0, after: "departure" as const } : { months, after };
  const say = sayNeeded(needed);
  const oldest = issuedWithinYears === undefined ? undefined : arrivesOn.subtract({ years: issuedWithinYears });
  if (oldest !== undefined && compare(Temporal.PlainDate.from(document.issuedOn), oldest) <= 0) {
    return broken(
      `The passport was issued on ${document.issuedOn}; it must have been issued less than ${issuedWithinYears} years before the arrival.`,
      source,
    );
  }
  if (leavesOn !== undefined && compare(expiresOn, leavesOn) < 0) {
    return broken(`The passport expires on ${expiresOn}, during the stay that ends on ${leavesOn}.`, source);
  }
  const begin = needed.after === "arrival" ? arrivesOn : leavesOn;
  if (begin === undefined) {
    const earliest = arrivesOn.add({ months: needed.months });
    if (compare(expiresOn, earliest) < 0) return broken(`${say} It expires on ${expiresOn}.`, source);
    const detail = `${say} It expires on ${expiresOn}; without returnDate, it is not known whether that is enough.`;
    return { check: { id: "validity", status: "unknown", detail, source }, verdict: "eligible" };
  }
  const until = begin.add({ months: needed.months });
  if (compare(expiresOn, until) < 0) {
    return broken(`${say} That is ${until}, and it expires on ${expiresOn}.`, source);
  }
  const stricter = isExempt || orMonths === undefined ? undefined : begin.add({ months: orMonths });
  if (stricter !== undefined && compare(expiresOn, stricter) < 0) {
    const detail = `Sources disagree whether the passport must be valid for ${needed.months} or for ${orMonths} months after the ${needed.after}. It expires on ${expiresOn}.`;
    const nextStep = `Ask the airline or check ${regime.officialUrl} whether ${expiresOn} is late enough, or renew the passport.`;
    return { check: { id: "validity", status: "unknown", detail, source }, verdict: "unknown", nextStep };
  }
  const detail = `${say} It expires on ${expiresOn}, which is enough.`;
  return { check: { id: "validity", status: "pass", detail, source }, verdict: "eligible" };
}

function sayNeeded({ months, after }: { months: number; after: "arrival" | "departure" }): string {
  if (months === 0) return `The passport must be valid until the ${after}.`;
  return `The passport must be valid for ${months} ${months === 1 ? "month" : "months"} after the ${after}.`;
}

function broken(detail: string, source: Finding["check"]["source"]): Finding {
  return {
    check: { id: "validity", status: "fail", detail, source },
    verdict: "not_admitted",
    nextStep: "Renew the passport before the journey, or travel on another one.",
  };
}
