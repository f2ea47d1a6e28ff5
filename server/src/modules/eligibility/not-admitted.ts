import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Maps } from "../../ports/maps.ts";
import type { TravelerProfile, Travelers } from "../travelers/index.ts";
import { assessPassports, readTraveler } from "./assess-traveler.ts";
import type { Stores } from "./context.ts";
import type { EligibilityRules } from "./eligibility-rules.ts";
import { utcToday } from "./journey-input.ts";
import { listJourneys } from "./list-journeys.ts";

/** As booked; times are local at the airports. */
type BookedSlices = readonly {
  readonly origin: string;
  readonly destination: string;
  readonly segments: readonly { readonly departingAt: string; readonly arrivingAt: string }[];
}[];

interface Ports {
  eligibility: EligibilityRules;
  travelers: Travelers;
  stores: Pick<Stores, "orders">;
  maps: Pick<Maps, "airport">;
  clock: Clock;
}

/** Warns of countries on the way whose rules refuse every passport of a traveler; says nothing of visas, which a traveler may have. */
export async function sayNotAdmitted(
  { eligibility, clock, ...ports }: Ports,
  caller: Pick<Caller, "tenantId" | "environment">,
  {
    userIds,
    slices,
    readProfile,
  }: {
    userIds: readonly string[];
    slices: BookedSlices;
    /** Profiles that were read before. */
    readProfile?(userId: string): Promise<TravelerProfile | undefined>;
  },
): Promise<string[]> {
  const legs = slices.map(({ origin, destination, segments }) => ({
    origin,
    destination,
    departsAt: readLocal(segments[0]?.departingAt),
    arrivesAt: readLocal(segments.at(-1)?.arrivingAt),
  }));
  const journeys = listJourneys(legs, ports.maps);
  if (journeys.length === 0) return [];
  const today = utcToday(clock);
  const needsStays = journeys.some(({ destinationIso3 }) => eligibility.admitsByStays(destinationIso3));
  const warnings: string[] = [];
  for (const userId of userIds) {
    const traveler = await readTraveler(ports, caller, userId, { readProfile, needsStays });
    if (traveler === undefined) continue;
    for (const journey of journeys) {
      const [best] = assessPassports(eligibility, traveler, journey, today);
      if (best?.assessment.verdict !== "not_admitted") continue;
      warnings.push(
        `Careful: as far as the service knows, ${userId} may not enter ${journey.destinationIso3} on ${journey.arrivesOn}. ${best.assessment.summary} Settle this now, or cancel: cancel_order_quote says what is refunded.`,
      );
    }
  }
  return warnings;
}

const readLocal = (text = "") => (text === "" ? undefined : Temporal.PlainDateTime.from(text));
