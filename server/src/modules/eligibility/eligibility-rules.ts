/** Whether a traveler may enter a country, by the rules that the service knows. */

export type TravelPurpose = "business" | "leisure" | "transit" | "study" | "medical";

export const verdicts = [
  "eligible",
  "eligible_with_authorization",
  "visa_required",
  "not_admitted",
  "needs_information",
  "unknown",
] as const;
export type EligibilityVerdict = (typeof verdicts)[number];

/** The source of a rule. `recalled`: the source could not be read when the rule was written. */
export interface RuleSource {
  title: string;
  url: string;
  /** The day on which the rule was last confirmed to be in force, YYYY-MM-DD. */
  asOf: string;
  basis: "read" | "recalled";
}

export const checkIds = ["passport", "visa", "authorization", "validity", "stay", "transit", "purpose"] as const;

export interface EligibilityCheck {
  id: (typeof checkIds)[number];
  status: "pass" | "warn" | "fail" | "unknown";
  /** A sentence or two for the traveler. */
  detail: string;
  /** Null if no rule covers it. */
  source: RuleSource | null;
}

/** An authorization to apply for before the journey, or on arrival. */
export interface TravelAuthorization {
  type: string;
  leadTime: string;
  officialUrl: string;
}

/** A passport; `nationality` is ISO 3166-1 alpha-3, or one of ICAO's codes for other British nationals, stateless persons and refugees. */
export interface TravelDocument {
  nationality: string;
  expiresOn: string;
  issuedOn: string;
}

/** Days of presence in a country, both ends included. */
export interface CountryStay {
  countryIso3: string;
  from: Temporal.PlainDate;
  to: Temporal.PlainDate;
}

export interface EligibilityQuestion {
  document: TravelDocument;
  /** Undefined if unknown: then a border is checked. */
  originIso3?: string | undefined;
  destinationIso3: string;
  arrivesOn: Temporal.PlainDate;
  /** Undefined if unknown. */
  leavesOn: Temporal.PlainDate | undefined;
  purpose: TravelPurpose;
  /** The traveler's other stays, in any country; they may overlap with each other and with this one. */
  otherStays: readonly CountryStay[];
  /** Those of the traveler's other passports. */
  otherNationalities: readonly string[];
  /** The country in which the whole trip began, if this journey is not its first. Undefined if unknown. */
  startedInIso3?: string | undefined;
  /** The country where the traveler may live, by the profile. */
  residenceIso3?: string | undefined;
  /** True: the journey returns to its origin. False also if that is unknown. */
  turnsBack: boolean;
  today: Temporal.PlainDate;
}

export interface EligibilityAssessment {
  verdict: EligibilityVerdict;
  /** The verdict in words. */
  summary: string;
  /** Caveats about the rules behind it, such as their age. */
  doubts: readonly string[];
  checks: readonly EligibilityCheck[];
  authorization: TravelAuthorization | null;
  /** How many days this stay may last from its first day on. Null if unlimited or unknown. */
  maxStayDays: number | null;
  /** True: a rule behind the verdict was last confirmed too long ago. */
  stale: boolean;
  /** True: a rule that decides the verdict was recalled. */
  recalled: boolean;
  /** The date of the oldest rule behind the verdict. Null if no rule covers it. */
  asOf: string | null;
  /** The origin of the rules. */
  source: string;
  nextSteps: readonly string[];
}

/** Answers at once, from data of the service. */
export interface EligibilityRules {
  assess(question: EligibilityQuestion): EligibilityAssessment;
  /** Whether other stays can decide that this country does not admit a traveler at all. */
  admitsByStays(destinationIso3: string): boolean;
}
