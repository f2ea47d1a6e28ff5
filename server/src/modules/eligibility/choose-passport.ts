import { namesNoNationality } from "../../domain/countries.ts";
import type { EligibilityAssessment, EligibilityVerdict, TravelDocument } from "./eligibility-rules.ts";
import { isWorse } from "./findings.ts";

export interface Assessed<Document extends TravelDocument> {
  document: Document;
  assessment: EligibilityAssessment;
}

/** Ranks passports: by verdict, then by the longer stay, then by the later expiry. */
export function rankPassports<Document extends TravelDocument>(
  assessed: readonly Assessed<Document>[],
): readonly Assessed<Document>[] {
  return assessed.toSorted(
    (one, other) =>
      isWithoutNationality(one) - isWithoutNationality(other) ||
      compareVerdicts(one.assessment.verdict, other.assessment.verdict) ||
      longestStay(other) - longestStay(one) ||
      (one.document.expiresOn < other.document.expiresOn ? 1 : -1),
  );
}

const isWithoutNationality = ({ document }: Assessed<TravelDocument>): number =>
  namesNoNationality(document.nationality) ? 1 : 0;

function compareVerdicts(one: EligibilityVerdict, other: EligibilityVerdict): number {
  if (one === other) return 0;
  return isWorse(one, other) ? 1 : -1;
}

function longestStay({ assessment: { verdict, maxStayDays } }: Assessed<TravelDocument>): number {
  return verdict === "eligible" && maxStayDays === null ? Number.MAX_SAFE_INTEGER : (maxStayDays ?? 0);
}
