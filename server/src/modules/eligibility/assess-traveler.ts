import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Maps } from "../../ports/maps.ts";
import { maskNumbers, type Passport, type TravelerProfile, type Travelers } from "../travelers/index.ts";
import { listStays } from "./booked-stays.ts";
import { type Assessed, rankPassports } from "./choose-passport.ts";
import type { Stores } from "./context.ts";
import type { CountryStay, EligibilityAssessment, EligibilityRules, TravelPurpose } from "./eligibility-rules.ts";

/** The facts about a traveler that matter at a border. */
export interface KnownTraveler {
  passports: readonly Passport[];
  bookedStays: readonly CountryStay[];
  /** ISO 3166-1 alpha-3. */
  residence?: string | undefined;
}

export interface Journey {
  /** Undefined if unknown. */
  originIso3?: string | undefined;
  destinationIso3: string;
  arrivesOn: Temporal.PlainDate;
  leavesOn: Temporal.PlainDate | undefined;
  purpose: TravelPurpose;
  /** The country in which the whole trip began. Left out for its first journey, and if unknown. */
  startedInIso3?: string | undefined;
  /** The journey returns to its origin. Left out if unknown. */
  turnsBack?: boolean;
}

type TravelerPorts = { travelers: Travelers; stores: Pick<Stores, "orders">; maps: Pick<Maps, "airport"> };
type Who = Pick<Caller, "tenantId" | "environment">;

/** For callers that know a part of it already, or do not need all of it. */
interface Known {
  /** The traveler's profile, if it was read before. */
  readProfile?: ((userId: string) => Promise<TravelerProfile | undefined>) | undefined;
  /** False: the stays do not matter. Without a passport they never do. */
  needsStays?: boolean;
}

/** Undefined if the tenant has no such user. */
export async function readTraveler(
  { travelers, stores, maps }: TravelerPorts,
  { tenantId, environment }: Who,
  userId: string,
  { readProfile = () => travelers.get(tenantId, userId, environment), needsStays = true }: Known = {},
): Promise<KnownTraveler | undefined> {
  const profile = await readProfile(userId);
  if (profile === undefined && !(await travelers.isUser(tenantId, userId, environment))) return undefined;
  const passports = profile?.passports ?? [];
  const residence = profile?.residence;
  if (!needsStays || passports.length === 0) return { passports, residence, bookedStays: [] };
  const slices = await stores.orders.listBookedSlices(tenantId, environment, userId);
  return { passports, residence, bookedStays: listStays(slices, maps) };
}

/** One per passport, the best one first; empty if the traveler has none. */
export function assessPassports(
  rules: EligibilityRules,
  { passports, bookedStays, residence }: KnownTraveler,
  journey: Journey,
  today: Temporal.PlainDate,
): readonly Assessed<Passport>[] {
  return rankPassports(
    passports.map((document) => ({
      document,
      assessment: rules.assess({
        turnsBack: false,
        ...journey,
        document,
        residenceIso3: residence,
        otherStays: bookedStays,
        otherNationalities: passports.filter((other) => other !== document).map(({ nationality }) => nationality),
        today,
      }),
    })),
  );
}

/** As answers show it. */
export function showPassport(passport: Passport): { nationality: string; expiresOn: string; number: string } {
  const [masked] = maskNumbers({ passports: [passport] }).passports ?? [];
  return { nationality: passport.nationality, expiresOn: passport.expiresOn, number: masked?.number ?? "***" };
}

/** The assessment of a traveler without a passport. */
export function withoutPassport(source: string): EligibilityAssessment {
  return {
    verdict: "needs_information",
    summary: "The traveler's profile has no passport, so nothing can be said.",
    doubts: [],
    checks: [{ id: "passport", status: "unknown", detail: "The traveler's profile has no passport.", source: null }],
    authorization: null,
    maxStayDays: null,
    stale: false,
    recalled: false,
    asOf: null,
    source,
    nextSteps: ["Give the traveler's passports with save_traveler: nationality, number, issuedOn and expiresOn."],
  };
}

/** With the day of birth, which decides what minors need. */
export async function readPerson(
  ports: TravelerPorts,
  caller: Who,
  userId: string,
  readProfile: Known["readProfile"] = () => ports.travelers.get(caller.tenantId, userId, caller.environment),
): Promise<(KnownTraveler & { bornOn: string | undefined }) | undefined> {
  const profile = await readProfile(userId);
  const traveler = await readTraveler(ports, caller, userId, { readProfile: () => Promise.resolve(profile) });
  return traveler === undefined ? undefined : { ...traveler, bornOn: profile?.bornOn };
}
