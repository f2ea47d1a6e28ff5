import type { LazyPlan } from "../../kernel/contracts/call-plan.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import type { Gate } from "../../kernel/contracts/gate.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Maps } from "../../ports/maps.ts";
import type { Travelers } from "../travelers/index.ts";
import { sayWithDoubts } from "./answer.ts";
import { FROM_MEMORY } from "./assess.ts";
import { assessPassports, type Journey, type KnownTraveler, readPerson } from "./assess-traveler.ts";
import type { Stores } from "./context.ts";
import type { EligibilityRules } from "./eligibility-rules.ts";
import { utcToday } from "./journey-input.ts";
import { listJourneys } from "./list-journeys.ts";
import { isMinor, sayConsent } from "./minors.ts";

interface EntryGatePorts {
  eligibility: EligibilityRules;
  travelers: Travelers;
  stores: Pick<Stores, "orders">;
  maps: Pick<Maps, "airport">;
  clock: Clock;
}

const MOST_WARNINGS = 20;
const PARENTS = 2;

/**
 * Warns of problems of travelers at the borders when a purchase of flights is previewed. Refuses nothing, as the
 * service does not know which visas a traveler has.
 */
export class EntryGate implements Gate {
  readonly name = "entry rules";
  readonly #ports: EntryGatePorts;

  constructor(ports: EntryGatePorts) {
    this.#ports = ports;
  }

  check(): void {}

  async warn({ tenantId, environment }: PendingCall, plan: LazyPlan): Promise<readonly string[]> {
    const { bought, travelerIds = bought?.travelerIds ?? [], readProfile } = await plan();
    if (bought?.kind !== "flight") return [];
    const journeys = listJourneys(bought.legs, this.#ports.maps);
    const [firstJourney] = journeys;
    if (firstJourney === undefined) return [];
    const day = firstJourney.arrivesOn;
    const warnings: string[] = [];
    const isFirst = () => !warnings.some((warning) => warning.includes(FROM_MEMORY));
    const read = (userId: string) => readPerson(this.#ports, { tenantId, environment }, userId, readProfile);
    const travelers = await Promise.all(travelerIds.map(read));
    const adults = travelers.filter((traveler) => traveler !== undefined && !isMinor(traveler, day)).length;
    for (const [index, traveler] of travelers.entries()) {
      // By a number: a run stores this, and must not store names.
      const name = `Traveler ${index + 1} of ${travelerIds.length}`;
      if (traveler === undefined) continue;
      // Two adults may be the parents; one adult is at most one of them.
      if (adults < PARENTS) {
        const countries = journeys.flatMap(({ originIso3, destinationIso3 }) => [originIso3, destinationIso3]);
        warnings.push(...sayConsent(name, traveler, { day, countries }));
      }
      for (const warn of this.#warningsFor(name, traveler, journeys)) warnings.push(warn(isFirst()));
    }
    return warnings.slice(0, MOST_WARNINGS);
  }

  /** Each says what its rule rests on only if it is the first of the warnings to do so. */
  #warningsFor(
    name: string,
    traveler: KnownTraveler,
    journeys: readonly Journey[],
  ): readonly ((isFirst: boolean) => string)[] {
    if (traveler.passports.length === 0) {
      const countries = [...new Set(journeys.map(({ destinationIso3 }) => destinationIso3))].join(" and ");
      return [
        () =>
          `${name} has no passport in the profile, so entry into ${countries} was not checked. Add it with save_traveler.`,
      ];
    }
    const today = utcToday(this.#ports.clock);
    return journeys.flatMap((journey) => {
      const [best] = assessPassports(this.#ports.eligibility, traveler, journey, today);
      if (best === undefined) return [];
      const { verdict, stale, recalled } = best.assessment;
      if (verdict === "eligible" && !stale && !recalled) return [];
      return [
        (isFirst) =>
          `${name}, entry into ${journey.destinationIso3} on ${journey.arrivesOn}: ${verdict}. ${sayWithDoubts(best.assessment, isFirst)}`,
      ];
    });
  }
}
