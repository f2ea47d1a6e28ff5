import { z } from "zod";
import { asksForOwn, isPersonal } from "../state/questions.ts";
import { type FlightOffer, readList } from "../state/results.ts";
import { shownFlights, shownStays } from "../state/shown.ts";
import type { Wish } from "../state/state.ts";
import { sayLimits, tellSpentBy, tellSpentOwn } from "./accounts.ts";
import { chooseFlight, chooseStay } from "./choose.ts";
import { type Days, findDays, sayPeriod } from "./days.ts";
import { findNamed } from "./entry.ts";
import { call, type Deciding, findResult, need, type Outcome, tell } from "./outcome.ts";

const Treasury = z.looseObject({
  balances: z.record(z.string(), z.string()),
  available: z.record(z.string(), z.string()).nullish(),
});

/** "How much is left, and what is our spending limit?" */
const ASKS_FOR_LIMIT = /limit|budget|\bcap\b|grenze|rahmen|presupuesto|\btope\b/;

export function tellTreasury(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker } = deciding;
  const balance = { name: "check_treasury", args: {} };
  const account = { name: "read_account", args: {} };
  const wanted = ASKS_FOR_LIMIT.test(reading.folded) ? [balance, account] : [balance];
  const pending = wanted.filter((one) => findResult(deciding, one) === undefined);
  if (pending.length > 0) return call(...pending);
  const found = need(deciding, balance);
  if ("outcome" in found) return found.outcome;
  const read = wanted.length > 1 ? need(deciding, account) : undefined;
  if (read !== undefined && "outcome" in read) return read.outcome;
  const { balances, available } = Treasury.safeParse(found.result).data ?? { balances: {} };
  const show = (amounts: Readonly<Record<string, string>>) =>
    speaker.list(Object.entries(amounts).map(([currency, amount]) => speaker.money(amount, currency)));
  const said = speaker.say("balance", { balance: show(balances), available: show(available ?? balances) });
  return tell([said, ...(read === undefined ? [] : sayLimits(deciding, read.result))].join("\n"));
}

const Usage = z.looseObject({
  sums: z.looseObject({ priceMicroUsdc: z.string() }).nullish(),
  totals: z.looseObject({
    spentMicroUsdc: z.string(),
    capMicroUsdc: z.string().nullish(),
    leftMicroUsdc: z.string().nullish(),
  }),
});

export function tellUsage(deciding: Deciding): Outcome {
  const { speaker } = deciding;
  const found = need(deciding, { name: "list_usage", args: { limit: 1 } });
  if ("outcome" in found) return found.outcome;
  const totals = Usage.safeParse(found.result).data?.totals;
  const show = (micro: string | null | undefined) => showMicro(deciding, micro);
  return tell(
    speaker.say("usage", {
      spent: show(totals?.spentMicroUsdc),
      cap: show(totals?.capMicroUsdc),
      left: show(totals?.leftMicroUsdc),
    }),
  );
}

const showMicro = ({ speaker }: Deciding, micro: string | null | undefined): string =>
  micro == null ? "–" : speaker.money((Number(micro) / 1e6).toFixed(4).replace(/0{1,2}$/, ""), "USDC");

const Movement = z.looseObject({
  kind: z.string(),
  direction: z.enum(["in", "out"]),
  token: z.string(),
  amount: z.string(),
  state: z.string(),
  isBetweenOwn: z.boolean().nullish(),
});
const Movements = z.looseObject({
  movements: z.array(z.unknown()),
  nextCursor: z.string().nullish(),
});
const MOST_MOVEMENTS = 100;
/** Money that came in and is no part of what was spent. */
const INCOME: ReadonlySet<string> = new Set(["deposit", "faucet"]);
/** It stays the traveler's: exchanged, or on another chain. */
const KEPT: ReadonlySet<string> = new Set(["swap", "bridge", "gateway"]);

/** The cost of the bookings of whoever is asked about, and what everyone has spent unless only one is meant. */
export function tellSpent(deciding: Deciding, { reading }: Wish): Outcome {
  const days = findDays(deciding, reading);
  const person = findNamed(deciding, reading);
  if (person !== undefined) return tellSpentBy(deciding, person, { ...days, period: sayPeriod(deciding, days) });
  if (!asksForOwn(reading)) return tellSpentByAll(deciding, days);
  const { kinds } = reading;
  const kind = kinds.has("flight") === kinds.has("stay") ? undefined : kinds.has("stay") ? "stay" : "flight";
  const own = tellSpentOwn(deciding, days, kind);
  if (isPersonal(reading) || kind !== undefined) return own;
  const all = tellSpentByAll(deciding, days);
  const calls = [...(own.calls ?? []), ...(all.calls ?? [])];
  return calls.length > 0 ? call(...calls) : tell([own.text ?? "", all.text ?? ""].join("\n"));
}

/** Money that was spent in these days, without what came back, and the cost of the service's calls in them. */
function tellSpentByAll(deciding: Deciding, days: Days): Outcome {
  const { speaker, today, request } = deciding;
  // The tools count days in UTC, where a new one may have begun: what was spent in it is not left out.
  const last = days.to.equals(today) ? laterDay(today, request.now.toZonedDateTimeISO("UTC").toPlainDate()) : days.to;
  const [from, to] = [days.from.toString(), last.toString()];
  const movementsCall = { name: "list_movements", args: { from, to, limit: MOST_MOVEMENTS } };
  const usageCall = { name: "list_usage", args: { from, to, limit: 1 } };
  const pending = [movementsCall, usageCall].filter((one) => findResult(deciding, one) === undefined);
  if (pending.length > 0) return call(...pending);
  const movements = need(deciding, movementsCall);
  if ("outcome" in movements) return movements.outcome;
  const usage = need(deciding, usageCall);
  if ("outcome" in usage) return usage.outcome;
  const { movements: listed = [], nextCursor } = Movements.safeParse(movements.result).data ?? {};
  const counted = readList(Movement, listed).filter(
    ({ kind, direction, state, isBetweenOwn }) =>
      state !== "reverted" && isBetweenOwn !== true && !KEPT.has(kind) && !(direction === "in" && INCOME.has(kind)),
  );
  const show = (count: (one: z.output<typeof Movement>) => number): string => {
    const amounts = [...Map.groupBy(counted, ({ token }) => token)].flatMap(([token, some]) => {
      const sum = some.reduce((total, one) => total + count(one) * Number(one.amount), 0);
      return Math.abs(sum) < 0.005 ? [] : [speaker.money(sum.toFixed(2), token)];
    });
    return amounts.length > 0 ? speaker.list(amounts) : speaker.money("0", "USDC");
  };
  const out = show(({ direction }) => (direction === "out" ? 1 : 0));
  const back = show(({ direction }) => (direction === "in" ? 1 : 0));
  const net = show(({ direction }) => (direction === "out" ? 1 : -1));
  const period = sayPeriod(deciding, days);
  const calls = showMicro(deciding, Usage.partial().safeParse(usage.result).data?.sums?.priceMicroUsdc ?? "0");
  const text = speaker.say("spent", { period, net, out, back, calls });
  return tell(nextCursor == null ? text : `${text} ${speaker.say("newestOnly", { count: MOST_MOVEMENTS })}`);
}

const laterDay = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? other : one;

const readPrice = ({ totalAmount }: FlightOffer): number => Number(totalAmount);

/** The price of all travelers, with all charges: of the one that is meant, of what is shown, or of what was booked. */
export function tellTotal(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const choice = "choice" in wish ? wish.choice : undefined;
  const wanted = { choice, reading: wish.reading };
  const travelers = state.party.adults + state.party.children;
  const say = (name: string, amount: string, currency: string): Outcome =>
    tell(speaker.say("totalPrice", { name, price: speaker.money(amount, currency), travelers }));
  if (state.lastShown === "flights") {
    const shown = shownFlights(state);
    const one = choice === undefined ? undefined : chooseFlight(shown, wanted, readPrice);
    if (one !== undefined) return say(nameFlight(one), one.totalAmount, one.totalCurrency);
    return tellRange(
      deciding,
      shown.map(({ totalAmount, totalCurrency }) => ({ totalAmount, totalCurrency })),
    );
  }
  if (state.lastShown === "stays") {
    const shown = shownStays(state);
    const one = choice === undefined ? undefined : chooseStay(shown, wanted);
    if (one !== undefined) return say(one.stay.name, one.rate.totalAmount, one.rate.totalCurrency);
    return tellRange(
      deciding,
      shown.map(({ rate }) => rate),
    );
  }
  return tellBooked(deciding);
}

const nameFlight = ({ slices }: FlightOffer): string =>
  slices.flatMap(({ segments }) => segments.map(({ flightNumber }) => flightNumber)).join(", ");

interface Price {
  readonly totalAmount: string;
  readonly totalCurrency: string;
}

function tellRange({ speaker, state }: Deciding, prices: readonly Price[]): Outcome {
  const sorted = prices.toSorted((one, other) => Number(one.totalAmount) - Number(other.totalAmount));
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return tell(speaker.say("notShown"));
  const travelers = state.party.adults + state.party.children;
  const show = ({ totalAmount, totalCurrency }: Price) => speaker.money(totalAmount, totalCurrency);
  return tell(speaker.say("totalRange", { travelers, least: show(least), most: show(most) }));
}

/** All bookings of this conversation that still hold, by currency. */
function tellBooked({ state, speaker }: Deciding): Outcome {
  const held = state.orders.filter(
    ({ status, totalAmount, totalCurrency }) => status === "confirmed" && totalAmount != null && totalCurrency != null,
  );
  if (held.length === 0) return tell(speaker.say("noOrders"));
  const sums = [...Map.groupBy(held, ({ totalCurrency }) => totalCurrency ?? "USD")].map(([currency, orders]) => {
    const cents = orders.reduce((sum, { totalAmount }) => sum + Math.round(Number(totalAmount) * 100), 0);
    return speaker.money((cents / 100).toFixed(2), currency);
  });
  return tell(speaker.say("totalBooked", { count: held.length, sum: sums.join(" + ") }));
}
