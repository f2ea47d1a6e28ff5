import { hash } from "node:crypto";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import { type Words, wordsIn } from "../../../domain/texts.ts";
import type { FlightLeg, Purchase, StayPurchase } from "../../../domain/travel/purchase.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import type { CallPlan, PlannedFinality, PlannedSubject } from "../../../kernel/contracts/call-plan.ts";
import type { Tool } from "../../../kernel/contracts/tool.ts";
import { sayConfirmation } from "../texts/confirmation-texts.ts";
import { describeArguments, describeStaying } from "./shown-arguments.ts";

export interface ConfirmedCall {
  readonly tool: Pick<Tool, "name" | "title"> & Partial<Pick<Tool, "titles">>;
  /** Without secrets. */
  readonly args: unknown;
  readonly plan: CallPlan;
  /** The order that it acts on, if it buys nothing. */
  readonly subject: PlannedSubject | undefined;
  /** As the supplier quoted it, if the call gives something back. */
  readonly refund: { readonly amount: string; readonly currency: string } | undefined;
  readonly needsApproval: boolean;
}

interface Shown {
  readonly text: string;
  readonly what: string;
  readonly forWhom: readonly string[];
  readonly total: string | null;
  readonly irreversible: readonly { what: string; undoableUntil: string | null; undoCost: string | null }[];
}

interface Circumstances {
  readonly locale: string;
  readonly timeZone: string;
  /** Names by user id, the caller's first. */
  readonly names: ReadonlyMap<string, string>;
  readonly again: "changed" | "expired" | undefined;
}

const LONGEST_WORDS = 200;

/** Equal for calls that would do the same for the same money: what was confirmed is what runs. */
export function hashPlan({ tool, args, plan }: ConfirmedCall): string {
  const { movements, irreversible, boughtHash, bought } = plan;
  const { comparables: _, ...purchase } = { comparables: undefined, ...bought };
  const facts = { tool: tool.name, args, movements, irreversible, boughtHash, purchase };
  return hash("sha256", canonicalJson(JSON.parse(JSON.stringify(facts, plainly))), "base64url");
}

const plainly = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

/** The question to the user, written from the call's plan: no model has a word in it. */
export function showConfirmation(call: ConfirmedCall, circumstances: Circumstances): Shown {
  const { plan, tool } = call;
  const words = wordsIn(circumstances.locale);
  const say = sayConfirmation(words);
  const what = [tool.titles?.[words.language] ?? tool.title, ...describe(call, words, circumstances.names)].join("\n");
  const forWhom = listPersons(plan, circumstances.names);
  const total = sumMovements(plan, words);
  const lines = [
    ...(circumstances.again === undefined ? [] : [say(circumstances.again)]),
    what,
    ...(forWhom.length === 0 ? [] : [say("forWhom", { names: forWhom.join(", ") })]),
    sayTotal(call, total, words),
    ...sayIrreversible(plan, words, circumstances.timeZone),
    ...(call.needsApproval ? [say("approvalFirst")] : []),
    say("ask"),
  ];
  return {
    text: lines.join("\n"),
    what,
    forWhom,
    total: total ?? null,
    irreversible: plan.irreversible.map(showFinality),
  };
}

function showFinality({ what, undoableUntil, undoCost }: PlannedFinality) {
  return {
    what,
    undoableUntil: undoableUntil?.toString() ?? null,
    undoCost: undoCost === undefined ? null : formatDecimal(undoCost),
  };
}

function describe(
  { plan, args, subject }: ConfirmedCall,
  words: Words,
  names: ReadonlyMap<string, string>,
): readonly string[] {
  if (plan.bought !== undefined) return [...describePurchase(plan.bought, words), ...describeStaying(args, words)];
  return subject === undefined ? describeArguments(args, words, names) : describeSubject(subject, words);
}

function describeSubject({ reference, orderId, legs, stay }: PlannedSubject, words: Words): readonly string[] {
  const stays = stay === undefined ? [] : [sayStay(stay, words)];
  return [toVisibleText(reference ?? orderId, LONGEST_WORDS), ...legs.map((leg) => sayLeg(leg, words)), ...stays];
}

type Leg = Pick<FlightLeg, "origin" | "destination" | "departsAt" | "flights">;

function sayLeg({ origin = "?", destination = "?", departsAt, flights = [] }: Leg, words: Words): string {
  return sayConfirmation(words)("leg", {
    origin,
    destination,
    departure: departsAt === undefined ? "?" : sayLocal(departsAt, words),
    flights: flights.length === 0 ? "" : ` (${flights.join(", ")})`,
  });
}

type Stay = Pick<StayPurchase, "name" | "checkInDate" | "checkOutDate">;

function sayStay({ name, checkInDate, checkOutDate }: Stay, words: Words): string {
  const say = sayConfirmation(words);
  const shown = name === undefined ? say("hotel") : toVisibleText(name, LONGEST_WORDS);
  if (checkInDate === undefined || checkOutDate === undefined) return shown;
  return say("stay", { name: shown, checkIn: words.date(checkInDate), checkOut: words.date(checkOutDate) });
}

function describePurchase(bought: Purchase, words: Words): readonly string[] {
  const say = sayConfirmation(words);
  if (bought.kind === "flight") {
    const airlines = Object.values(bought.airlines ?? {}).map((name) => toVisibleText(name, LONGEST_WORDS));
    const legs = bought.legs.map((leg) => sayLeg(leg, words));
    return airlines.length === 0 ? legs : [...legs, airlines.join(", ")];
  }
  const { rooms } = bought;
  const dates = sayStay(bought, words);
  return rooms === undefined ? [dates] : [dates, say("rooms", { count: rooms })];
}

/** In the time of the airport, whose zone need not be said. */
function sayLocal(at: Temporal.PlainDateTime, words: Words): string {
  const options = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(words.locale, options).format(at.toZonedDateTime("UTC").epochMilliseconds);
}

function listPersons({ bought, travelerIds }: CallPlan, names: ReadonlyMap<string, string>): readonly string[] {
  return (travelerIds ?? bought?.travelerIds ?? []).map((id) => toVisibleText(names.get(id) ?? id, LONGEST_WORDS));
}

/** Undefined: nothing moves, or a part of it is not known. */
function sumMovements({ movements, bought }: CallPlan, words: Words): string | undefined {
  const sums = new Map<string, Micro>();
  for (const { token, amount, expected, isPartOfNext } of movements) {
    if (isPartOfNext === true) continue;
    const known = amount ?? expected;
    if (known === undefined) return undefined;
    sums.set(token, (sums.get(token) ?? 0n) + known);
  }
  if (sums.size === 0) return undefined;
  // A sum that the user named is shown to its last digit.
  const show = bought === undefined ? words.money : words.price;
  return [...sums].map(([token, sum]) => show(formatDecimal(sum), token)).join(" + ");
}

function sayTotal({ plan: { movements }, refund }: ConfirmedCall, total: string | undefined, words: Words): string {
  const say = sayConfirmation(words);
  if (refund !== undefined) return say("refund", { amount: words.price(refund.amount, refund.currency) });
  if (total !== undefined) return say("total", { total });
  return movements.length === 0 ? say("noCharge") : say("amountUnknown");
}

function sayIrreversible({ irreversible, bought }: CallPlan, words: Words, timeZone: string): readonly string[] {
  const say = sayConfirmation(words);
  // An order can be cancelled even if nothing comes back.
  const never = bought?.refundable === false ? "noRefund" : "undoNever";
  const lines = irreversible.map((one) => {
    if (one.undoableUntil === undefined) return say(one.undo === "not_known" ? "undoUnknown" : never);
    return sayDeadline({ ...one, undoableUntil: one.undoableUntil }, words, timeZone);
  });
  return [...new Set(lines)];
}

type Deadline = PlannedFinality & { undoableUntil: Temporal.Instant };

/** By the clock of the hotel or of the airport, where it is known. */
function sayDeadline({ undoableUntil, timeZone, undoCost }: Deadline, words: Words, usualZone: string): string {
  const say = sayConfirmation(words);
  const moment = words.moment(undoableUntil, timeZone ?? usualZone);
  const until = timeZone === undefined ? moment : say("localTime", { moment });
  if (undoCost === undefined) return say("cancelUntil", { until });
  if (undoCost === 0n) return say("freeUntil", { until });
  return say("cancelCost", { until, cost: words.price(formatDecimal(undoCost), "USDC") });
}
