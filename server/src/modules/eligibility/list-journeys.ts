import type { FlightLeg } from "../../domain/travel/purchase.ts";
import type { Maps } from "../../ports/maps.ts";
import type { Journey } from "./assess-traveler.ts";
import { findCountry } from "./booked-stays.ts";

/** Journeys into another country. The stay after the last flight is assumed to be short enough, as its length is unknown. */
export function listJourneys(
  legs: readonly Pick<FlightLeg, "origin" | "destination" | "departsAt" | "arrivesAt">[],
  maps: Pick<Maps, "airport">,
): Journey[] {
  const [first] = legs;
  const startedInIso3 = first?.origin === undefined ? undefined : findCountry(first.origin, maps);
  return legs.flatMap(({ origin, destination, departsAt, arrivesAt = departsAt }, index) => {
    if (origin === undefined || destination === undefined || arrivesAt === undefined) return [];
    const [from, to] = [findCountry(origin, maps), findCountry(destination, maps)];
    if (to === undefined || from === to) return [];
    const arrivesOn = arrivesAt.toPlainDate();
    const leavesOn = legs[index + 1]?.departsAt?.toPlainDate() ?? arrivesOn;
    const journey = { originIso3: from, destinationIso3: to, arrivesOn, leavesOn, purpose: "leisure" as const };
    return [index === 0 ? journey : { ...journey, startedInIso3 }];
  });
}
