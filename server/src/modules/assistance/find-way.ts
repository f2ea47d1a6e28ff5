import type { ProviderProvenance } from "../../domain/schemas.ts";
import type { Position } from "../../ports/maps.ts";
import type { Ports } from "./context.ts";
import { type EstimatedMode, estimateWay, routedWay, type WayToAirport } from "./way-to-airport.ts";

export interface KnownWay {
  /** Undefined: too far for a way on the day. */
  way: WayToAirport | undefined;
  /** Undefined: the way is estimated from the distance. */
  routedBy: Pick<ProviderProvenance, "source" | "asOf" | "attribution"> | undefined;
  /** Those who were asked for roads and gave none. */
  fallbackFrom: ProviderProvenance["fallbackFrom"];
}

/** Over the roads where somebody who has them is configured and answers, else by the distance. */
export async function findWay(
  [from, to]: readonly [Position, Position],
  mode: EstimatedMode,
  { ways }: Pick<Ports, "ways">,
  signal: AbortSignal,
): Promise<KnownWay> {
  const estimate = estimateWay(from, to, mode);
  if (estimate === undefined || mode === "transit") return { way: estimate, routedBy: undefined, fallbackFrom: [] };
  const { answer, provenance } = await ways.between({ from, to, mode }, signal);
  const { fallbackFrom } = provenance;
  if (answer === undefined) return { way: estimate, routedBy: undefined, fallbackFrom };
  return { way: routedWay(estimate, answer, mode), routedBy: provenance, fallbackFrom };
}

/** What callers must be told of such ways: who routed them, and who was asked and gave none. */
export function saidOfWays(known: readonly KnownWay[]): { notes: string[]; attribution: string[] } {
  const failures = known.flatMap(({ fallbackFrom }) => fallbackFrom);
  const notes = failures.map(({ source, reason }) => `Roads were asked of ${source}, which gave none: ${reason}.`);
  const attribution = known.flatMap(({ routedBy }) => routedBy?.attribution ?? []);
  return { notes: [...new Set(notes)], attribution: [...new Set(attribution)] };
}
