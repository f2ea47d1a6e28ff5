import { z } from "zod";
import { showOrder } from "../replies/show-stays.ts";
import { Order, OrderList, readList } from "../state/results.ts";
import type { Wish } from "../state/state.ts";
import { type Days, findDays, isPeriodSaid, sayPeriod } from "./days.ts";
import { call, type Deciding, findResult, need, type Outcome, tell } from "./outcome.ts";
import { narrow } from "./servicing.ts";

const Period = z.looseObject({ limitUsdc: z.string().nullish(), leftUsdc: z.string().nullish() });
const Limits = z.looseObject({
  perCallUsdc: z.string().nullish(),
  perDay: Period.nullish(),
  perMonth: Period.nullish(),
});
const Account = z.looseObject({
  limits: z.looseObject({ key: Limits.nullish(), tenant: Limits.nullish() }).nullish(),
  budgets: z
    .array(
      z.looseObject({
        budgetId: z.string(),
        costCentre: z.string().nullish(),
        amountUsdc: z.string(),
        leftUsdc: z.string(),
      }),
    )
    .nullish(),
});

/** The limits that bind first, and the budgets that cover the next spending. */
export function sayLimits({ speaker }: Deciding, result: unknown): readonly string[] {
  const account = Account.safeParse(result).data;
  const { key, tenant } = account?.limits ?? {};
  const usdc = (amount: string): string => speaker.money(amount, "USDC");
  const tightest = (name: "perDay" | "perMonth") =>
    [key?.[name], tenant?.[name]]
      .flatMap((period) =>
        period?.limitUsdc == null ? [] : [{ limit: period.limitUsdc, left: period.leftUsdc ?? period.limitUsdc }],
      )
      .toSorted((one, other) => Number(one.left) - Number(other.left))[0];
  const [day, month] = [tightest("perDay"), tightest("perMonth")];
  const [single] = [key?.perCallUsdc, tenant?.perCallUsdc]
    .flatMap((amount) => (amount == null ? [] : [amount]))
    .toSorted((one, other) => Number(one) - Number(other));
  const limits = [
    ...(month === undefined ? [] : [speaker.say("limitOfMonth", { limit: usdc(month.limit), left: usdc(month.left) })]),
    ...(day === undefined ? [] : [speaker.say("limitOfDay", { limit: usdc(day.limit), left: usdc(day.left) })]),
    ...(single === undefined ? [] : [speaker.say("limitOfCall", { limit: usdc(single) })]),
  ];
  const budgets = (account?.budgets ?? []).map(({ budgetId, costCentre, amountUsdc, leftUsdc }) =>
    speaker.say("budgetLeft", { name: costCentre ?? budgetId, left: usdc(leftUsdc), amount: usdc(amountUsdc) }),
  );
  return [
    ...(limits.length > 0 ? limits : [speaker.say("noLimit")]),
    ...(budgets.length > 0 ? budgets : [speaker.say("noBudget")]),
  ];
}

const Booked = Order.extend({
  createdAt: z.string().nullish(),
  totalUsdc: z.string().nullish(),
  refundedUsdc: z.string().nullish(),
  wasPaid: z.boolean().nullish(),
});
const MOST_ORDERS = 100;

/** The cost of one person's journeys that were booked in these days. */
export function tellSpentBy(
  deciding: Deciding,
  person: { readonly userId: string; readonly name: string },
  { from, to, period }: { from: Temporal.PlainDate; to: Temporal.PlainDate; period: string },
): Outcome {
  const { speaker, request } = deciding;
  const list = need(deciding, { name: "list_orders", args: { userId: person.userId, limit: MOST_ORDERS } });
  if ("outcome" in list) return list.outcome;
  const orders = readList(Booked, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ status, createdAt }) => status === "confirmed" && isBetween(createdAt, { from, to, zone: request.timeZone }),
  );
  const sums = [...Map.groupBy(orders, toCurrency)].map(([currency, some]) => {
    const cents = some.reduce((sum, one) => sum + Math.round(Number(one.totalUsdc ?? one.totalAmount ?? "0") * 100), 0);
    return speaker.money((cents / 100).toFixed(2), currency);
  });
  const sum = sums.length === 0 ? speaker.money("0", "USDC") : speaker.list(sums);
  return tell(speaker.say("spentBy", { name: person.name, period, sum, count: orders.length }));
}

/** The cost of the caller's own bookings of these days, without those of others. */
export function tellSpentOwn(deciding: Deciding, days: Days, asked?: Order["kind"]): Outcome {
  const { speaker, request } = deciding;
  const list = need(deciding, { name: "list_orders", args: { userId: request.traveler.userId, limit: MOST_ORDERS } });
  if ("outcome" in list) return list.outcome;
  const orders = readList(Booked, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ wasPaid, createdAt, kind }) =>
      wasPaid !== false &&
      (asked === undefined || kind === asked) &&
      isBetween(createdAt, { ...days, zone: request.timeZone }),
  );
  const sums = [...Map.groupBy(orders, toCurrency)].map(([currency, some]) => {
    const cents = some.reduce(
      (sum, one) => sum + toCents(one.totalUsdc ?? one.totalAmount) - toCents(one.refundedUsdc),
      0,
    );
    return speaker.money((cents / 100).toFixed(2), currency);
  });
  const sum = sums.length === 0 ? speaker.money("0", "USDC") : speaker.list(sums);
  const name = asked === undefined ? "spentOwn" : SPENT_ON[asked];
  return tell(speaker.say(name, { period: sayPeriod(deciding, days), sum, count: orders.length }));
}

const SPENT_ON = { flight: "spentOnFlights", stay: "spentOnStays" } as const;

const toCents = (amount: string | null | undefined): number => Math.round(Number(amount ?? "0") * 100);

const toCurrency = ({ totalUsdc, totalCurrency }: z.output<typeof Booked>): string =>
  totalUsdc == null ? (totalCurrency ?? "USD") : "USDC";

function isBetween(
  at: string | null | undefined,
  { from, to, zone }: { from: Temporal.PlainDate; to: Temporal.PlainDate; zone: string },
): boolean {
  if (at == null) return false;
  const day = Temporal.Instant.from(at).toZonedDateTimeISO(zone).toPlainDate();
  return Temporal.PlainDate.compare(day, from) >= 0 && Temporal.PlainDate.compare(day, to) <= 0;
}

const Refund = z.looseObject({
  kind: z.literal("order_refund"),
  at: z.string(),
  token: z.string(),
  amount: z.string(),
  orderId: z.string().nullish(),
});
const Movements = z.looseObject({ movements: z.array(z.unknown()) });

/** Tells which refunds have come back, or which bookings are cancelled. */
export function tellRefunds(deciding: Deciding, { reading }: Wish): Outcome {
  const { speaker, request } = deciding;
  const movementsCall = { name: "list_movements", args: { limit: 100 } };
  const ordersCall = { name: "list_orders", args: { limit: 50 } };
  const pending = [movementsCall, ordersCall].filter((one) => findResult(deciding, one) === undefined);
  if (pending.length > 0) return call(...pending);
  const movements = need(deciding, movementsCall);
  if ("outcome" in movements) return movements.outcome;
  const list = need(deciding, ordersCall);
  if ("outcome" in list) return list.outcome;
  const orders = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []);
  const place = reading.places.findLast(({ isNegated }) => !isNegated);
  const [id] = reading.ids;
  const isStay = reading.kinds.has("stay") && !reading.kinds.has("flight");
  const meant = narrow(
    orders.filter(({ orderId, pnr }) => id === undefined || orderId === id || pnr === id),
    { isReturn: false, ...(place === undefined ? {} : { place }), ...(isStay ? { kind: "stay" } : {}) },
  );
  const isNarrow = place !== undefined || id !== undefined;
  const meantIds = new Set(meant.map(({ orderId }) => orderId));
  const byId = new Map(orders.map((order) => [order.orderId, order]));
  const days = isPeriodSaid(reading) ? findDays(deciding, reading) : undefined;
  const all = readList(Refund, Movements.safeParse(movements.result).data?.movements ?? []).filter(
    ({ at }) => days === undefined || isBetween(at, { ...days, zone: request.timeZone }),
  );
  const fitting = all.filter(({ orderId }) => !isNarrow || meantIds.has(orderId ?? ""));
  // An order need not name the place, so that no refund there is no proof that none came.
  const refunds = fitting.length > 0 || id !== undefined ? fitting : all;
  const lines = refunds.map(({ at, amount, token, orderId }) => {
    const day = Temporal.Instant.from(at).toZonedDateTimeISO(request.timeZone).toPlainDate();
    const order = byId.get(orderId ?? "");
    const what = [order?.pnr, order?.what?.replaceAll(" to ", " → ")].filter((part) => part != null).join(" · ");
    return `- ${[speaker.day(day), speaker.money(amount, token), what].filter((part) => part !== "").join(" · ")}`;
  });
  const period = days === undefined ? "" : sayPeriod(deciding, days);
  if (days !== undefined && lines.length === 0) return tell(speaker.say("noRefundsThen", { period }));
  const sums = [...Map.groupBy(refunds, ({ token }) => token)].map(([token, some]) =>
    speaker.money((some.reduce((sum, { amount }) => sum + toCents(amount), 0) / 100).toFixed(2), token),
  );
  const sum = days === undefined ? [] : [speaker.say("refundSum", { period, sum: speaker.list(sums) })];
  if (lines.length > 0) return tell([...sum, speaker.say("refunds"), ...lines].join("\n"));
  const cancelled = meant
    .filter(({ status }) => status === "cancelled")
    .map((order) => `- ${showOrder(order, speaker)}`);
  const over = cancelled.length === 0 ? [] : [speaker.say("cancelledOrders"), ...cancelled];
  return tell([speaker.say("noRefunds"), ...over].join("\n"));
}
