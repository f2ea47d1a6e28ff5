import type { ModelRequest, ModelToolResult } from "../../../ports/language-model.ts";
import type { Speaker } from "../replies/speaker.ts";
import { Problem } from "../state/results.ts";
import type { State } from "../state/state.ts";

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls that a wish needs next, or the words about it. */
export interface Outcome {
  readonly text?: string;
  readonly calls?: readonly Call[];
  readonly question?: { readonly slot: string; readonly choices?: readonly string[] };
}

export interface Deciding {
  readonly state: State;
  readonly request: ModelRequest;
  readonly speaker: Speaker;
  readonly today: Temporal.PlainDate;
}

export const tell = (text: string): Outcome => ({ text });
export const call = (...calls: readonly Call[]): Outcome => ({ calls });
export const ask = (slot: string, text: string, choices?: readonly string[]): Outcome => ({
  text,
  question: { slot, ...(choices === undefined ? {} : { choices }) },
});

/** The newest answer of this turn to that call. A loop may have added defaults to its arguments, but none of `without`. */
export function findResult(
  { state }: Deciding,
  { name, args }: Call,
  without: readonly string[] = [],
): ModelToolResult | undefined {
  return state.results.findLast(
    (one) =>
      one.result.name === name &&
      one.result.outcome !== "withdrawn" &&
      includes(one.args, args) &&
      without.every((member) => !hasMember(one.args, member)),
  )?.result;
}

const hasMember = (value: unknown, member: string): boolean =>
  typeof value === "object" && value !== null && member in value;

function includes(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(whole, part);
  if (typeof whole !== "object" || whole === null) return false;
  const members = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => includes(members.get(name), value));
}

/** The result, or what is to be said or called instead. */
export function need(deciding: Deciding, one: Call): { readonly result: unknown } | { readonly outcome: Outcome } {
  const found = findResult(deciding, one);
  if (found === undefined) return { outcome: call(one) };
  return found.outcome === "ok" ? { result: found.result } : { outcome: tell(sayFailure(found, deciding.speaker)) };
}

const BY_CODE = {
  offer_expired: "lapsed",
  offer_not_found: "lapsed",
  offer_no_longer_available: "lapsed",
  price_changed: "lapsed",
  quote_expired: "lapsed",
  rate_unavailable: "lapsed",
  insufficient_balance: "noMoney",
  insufficient_funds: "noMoney",
  traveler_incomplete: "incomplete",
  passenger_type_mismatch: "incomplete",
  policy_denied: "notAllowed",
  outcome_unknown: "uncertain",
  booking_in_progress: "uncertain",
  provider_timeout: "tryLater",
  provider_unavailable: "tryLater",
} as const;

export function sayFailure({ outcome, result }: ModelToolResult, { say }: Speaker): string {
  if (outcome === "declined") return say("declined");
  if (outcome === "awaits_approval") return say("awaitsApproval");
  const code = Problem.safeParse(result).data?.code ?? "unknown";
  const name = Object.entries(BY_CODE).find(([known]) => known === code)?.[1];
  return name === undefined ? say("failed", { code }) : say(name);
}

export const failureCode = (found: ModelToolResult | undefined): string | undefined =>
  found?.outcome === "failed" ? (Problem.safeParse(found.result).data?.code ?? "unknown") : undefined;
