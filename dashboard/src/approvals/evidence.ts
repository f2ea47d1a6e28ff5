import { money } from "../format.ts";
import type { Final } from "../parts/say-final.ts";
import { sayDay, sayDays } from "../parts/time.tsx";

/** The facts for an approver, as the service stored them with the request. */

interface Leg {
  origin: string | null;
  destination: string | null;
  departsAt: string | null;
  arrivesAt: string | null;
  durationMinutes: number | null;
  stops: number | null;
  cabin: string | null;
  flights?: readonly string[];
}

interface Terms {
  priceUsd?: string | null;
  refundable?: boolean | null;
  refundPenaltyUsd?: string | null;
}

export interface Flight extends Terms {
  kind: "flight";
  legs: readonly Leg[];
  carriers?: readonly string[];
  airlines?: Readonly<Record<string, string>>;
}

interface Stay extends Terms {
  kind: "stay";
  name: string | null;
  checkInDate: string | null;
  checkOutDate: string | null;
  rooms?: number | null;
  stars?: number | null;
}

export type Bought = Flight | Stay;

export interface Evidence {
  bought?: Bought | null;
  purpose?: Bought | null;
  payments?: readonly { amount: string | null; token: string; to: string; chain?: string }[];
  violations?: readonly { rule: string; text?: string }[];
  notEvaluated?: readonly { rule: string; missing: readonly string[] }[];
  warnings?: readonly string[];
  alternatives?: readonly Bought[];
  irreversible?: readonly Final[];
}

/** A payment is counted in its token, a purchase in dollars. */
export function sayUnit(evidence: Evidence | null): string {
  if (evidence?.bought != null) return "USD";
  const tokens = new Set(evidence?.payments?.map(({ token }) => token));
  const [token = "USD"] = tokens;
  return tokens.size === 1 ? token : "USD";
}

function sayLength(minutes: number): string {
  const parts = [
    ...(minutes >= 60 ? [`${Math.floor(minutes / 60)} h`] : []),
    ...(minutes % 60 === 0 ? [] : [`${minutes % 60} min`]),
  ];
  return parts.join(" ");
}

const sayStops = (stops: number): string => (stops === 0 ? "non-stop" : `${stops} ${stops === 1 ? "stop" : "stops"}`);

/** "690 min" and the like of a leg: what the line between its two places says. */
export function sayLeg({ durationMinutes, stops, cabin, flights }: Leg): string {
  return [
    flights?.join(" + "),
    durationMinutes === null ? undefined : sayLength(durationMinutes),
    stops === null ? undefined : sayStops(stops),
    cabin?.replaceAll("_", " "),
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** One line for a list. */
export function sayBought(bought: Bought): string {
  if (bought.kind === "stay") {
    return [bought.name ?? "Hotel", sayDays(bought.checkInDate, bought.checkOutDate)].filter(Boolean).join(", ");
  }
  const [first] = bought.legs;
  const way = bought.legs.map(({ origin, destination }) => `${origin ?? "?"} to ${destination ?? "?"}`).join(", ");
  const names = bought.carriers?.map((code) => bought.airlines?.[code] ?? code).join(", ");
  const day = first?.departsAt == null ? undefined : sayDay(first.departsAt.slice(0, 10));
  return [way, day, names].filter((part) => part !== undefined && part !== "").join(", ");
}

export function sayTerms({ refundable, refundPenaltyUsd }: Terms): string | undefined {
  if (refundable === null || refundable === undefined) return undefined;
  if (!refundable) return "not refundable";
  if (typeof refundPenaltyUsd !== "string") return "refundable";
  return Number(refundPenaltyUsd) === 0 ? "refundable without a fee" : `refundable less ${money(refundPenaltyUsd)} USD`;
}

const MINUTE = 60_000;
const localMinutes = (text: string): number => Date.parse(`${text.slice(0, 16)}:00Z`) / MINUTE;

function sayShift(from: string | null | undefined, to: string | null | undefined, verb: string): string | undefined {
  if (from == null || to == null) return undefined;
  const minutes = localMinutes(to) - localMinutes(from);
  if (minutes === 0 || Number.isNaN(minutes)) return undefined;
  return `${verb} ${sayLength(Math.abs(minutes))} ${minutes < 0 ? "earlier" : "later"}`;
}

/** How another choice differs from the one that was asked for. */
export function sayDifference(asked: Bought | null | undefined, other: Bought): readonly string[] {
  const differences: (string | undefined)[] = [];
  const [before, after] = [Number(asked?.priceUsd ?? Number.NaN), Number(other.priceUsd ?? Number.NaN)];
  if (before < after) differences.push(`${money(String(after - before))} USD more`);
  if (before > after) differences.push(`${money(String(before - after))} USD less`);
  if (asked?.kind === "flight" && other.kind === "flight") {
    const [from, to] = [asked.legs[0], other.legs[0]];
    differences.push(sayShift(from?.departsAt, to?.departsAt, "leaves"));
    differences.push(sayShift(from?.arrivesAt, to?.arrivesAt, "arrives"));
    if (to?.stops != null && from?.stops != null && to.stops !== from.stops) differences.push(sayStops(to.stops));
    if (to?.cabin != null && to.cabin !== from?.cabin) differences.push(to.cabin.replaceAll("_", " "));
  }
  if (other.refundable !== asked?.refundable) differences.push(sayTerms(other));
  return differences.filter((one) => one !== undefined);
}
