import type { ProviderProvenance } from "../../domain/schemas.ts";
import type { Ports } from "../../kernel/tool.ts";
import type { Position } from "../../ports/maps.ts";
import type { WayMode } from "./arrival-input.ts";
import { estimateWay, routedWay, type WayToAirport } from "./way-to-airport.ts";

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
  mode: WayMode,
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
