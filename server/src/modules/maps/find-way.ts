import type { ProviderProvenance } from "../../domain/schemas.ts";
import type { Position } from "../../ports/maps.ts";
import type { Ports } from "./context.ts";
import { type EstimatedMode, estimateWay, routedWay, type WayToAirport } from "./estimate-way.ts";

export interface KnownWay {
  /** Undefined if it is out of a day's reach. */
  way: WayToAirport | undefined;
  /** Undefined if the way is estimated from the distance. */
  routedBy: Pick<ProviderProvenance, "source" | "asOf" | "attribution"> | undefined;
  /** Sources that were asked for roads and gave none. */
  fallbackFrom: ProviderProvenance["fallbackFrom"];
}

/** By road or public transport if a configured source answers, else estimated from the distance. */
export async function findWay(
  [from, to]: readonly [Position, Position],
  mode: EstimatedMode,
  { ways }: Pick<Ports, "ways">,
  signal: AbortSignal,
): Promise<KnownWay> {
  const estimate = estimateWay(from, to, mode);
  if (estimate === undefined) return { way: estimate, routedBy: undefined, fallbackFrom: [] };
  const { answer, provenance } = await ways.between({ from, to, mode }, signal);
  const { fallbackFrom } = provenance;
  if (answer === undefined) return { way: estimate, routedBy: undefined, fallbackFrom };
  return { way: routedWay(estimate, answer, mode), routedBy: provenance, fallbackFrom };
}

/** The notes that such ways need: who routed them, and which sources gave none. */
export function saidOfWays(known: readonly KnownWay[]): { notes: string[]; attribution: string[] } {
  const failures = known.flatMap(({ fallbackFrom }) => fallbackFrom);
  const notes = failures.map(
    ({ source, reason }) => `${source} was asked for a road route and returned none: ${reason}.`,
  );
  const attribution = known.flatMap(({ routedBy }) => routedBy?.attribution ?? []);
  return { notes: [...new Set(notes)], attribution: [...new Set(attribution)] };
}
