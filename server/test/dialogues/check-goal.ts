import { z } from "zod";
import type { TestService } from "../support/service.ts";
import type { Dialogue, ExpectedCall, ExpectedFlight, ExpectedOrder } from "./dialogue.ts";
import { callTool } from "./prepare-world.ts";
import { listDays } from "./render-dates.ts";

const Orders = z.object({
  orders: z.array(z.object({ orderId: z.string().nullable(), status: z.string() })),
});
const Slice = z.object({
  origin: z.string(),
  destination: z.string(),
  segments: z.array(z.object({ departingAt: z.string(), cabinClass: z.string().nullish() })).min(1),
});
const Order = z.object({
  orderId: z.string(),
  status: z.string(),
  totalUsdc: z.string(),
  travelers: z.array(z.unknown()),
  flight: z.object({ slices: z.array(Slice).min(1) }).nullable(),
  stay: z.looseObject({ checkInDate: z.string(), checkOutDate: z.string() }).nullable(),
});
type Order = z.infer<typeof Order>;
interface MadeCall {
  readonly tool: string;
  readonly args: unknown;
  readonly outcome: string;
}

/** The orders that the traveler has. */
export async function listOrders(service: TestService) {
  return (await callTool(service, Orders, "list_orders", {})).orders;
}

/** Compares what happened with the goal, by the tool calls of the conversation and by the orders that hold at its end. */
export async function checkGoal(
  service: TestService,
  { goal }: Dialogue,
  { calls, given, today }: { calls: readonly MadeCall[]; given: readonly string[]; today: Temporal.PlainDate },
): Promise<{ missed: string[]; wrongSpends: string[] }> {
  const orders = await listOrders(service);
  const holding: Order[] = [];
  for (const { orderId, status } of orders) {
    if (status === "confirmed") holding.push(await callTool(service, Order, "read_order", { orderId }));
  }
  const missed: string[] = [];
  for (const expected of goal.calls ?? []) {
    if (!calls.some((call) => isCall(call, expected, today))) missed.push(`no call ${JSON.stringify(expected)}`);
  }
  const left = [...holding];
  for (const expected of goal.orders ?? []) {
    const index = left.findIndex((order) => isOrder(order, expected, today));
    if (index < 0) missed.push(`no order ${JSON.stringify(expected)}`);
    else left.splice(index, 1);
  }
  const cancelled = orders.filter(({ status }) => status === "cancelled").length;
  // An order of before that is not as wanted was left as it was.
  const bought = left.filter(({ orderId }) => !given.includes(orderId));
  const wrongSpends = bought.map((order) => `order ${JSON.stringify(summarize(order))} is not asked for`);
  if (cancelled > (goal.cancelled ?? 0)) wrongSpends.push(`${cancelled} orders are cancelled`);
  if (cancelled < (goal.cancelled ?? 0)) missed.push(`${cancelled} orders are cancelled`);
  const forbidden = calls.filter(({ tool, outcome }) => outcome === "ok" && goal.never?.includes(tool));
  wrongSpends.push(...forbidden.map(({ tool }) => `${tool} has run`));
  return { missed, wrongSpends };
}

function isCall({ tool, args, outcome }: MadeCall, expected: ExpectedCall, today: Temporal.PlainDate): boolean {
  if (outcome !== "ok" || ![expected.tool].flat().includes(tool)) return false;
  const given = z.record(z.string(), z.unknown()).safeParse(args).data ?? {};
  return Object.entries(expected.args ?? {}).every(([name, value]) => isValue(given[name], value, today));
}

function isValue(
  given: unknown,
  expected: NonNullable<ExpectedCall["args"]>[string],
  today: Temporal.PlainDate,
): boolean {
  if (expected instanceof RegExp) return typeof given === "string" && expected.test(given);
  if (typeof expected === "object" && "about" in expected) {
    return typeof given === "number" && Math.abs(given - expected.about) < 0.5;
  }
  const values = [expected].flat();
  return values.some(
    (value) => value === given || (typeof value === "string" && listDays(value, today).some((day) => day === given)),
  );
}

function isOrder(order: Order, expected: ExpectedOrder, today: Temporal.PlainDate): boolean {
  const isDay = (template: string, date: string | undefined) =>
    listDays(template, today).includes(date?.slice(0, 10) ?? "");
  const most = "flight" in expected ? expected.flight.atMost : expected.stay.atMost;
  if (most !== undefined && Number(order.totalUsdc) > most) return false;
  if ("stay" in expected) {
    const { stay } = order;
    const { from, to, guests = 1 } = expected.stay;
    return (
      stay !== null &&
      isDay(from, stay.checkInDate) &&
      isDay(to, stay.checkOutDate) &&
      order.travelers.length === guests
    );
  }
  return order.flight !== null && isFlight(order, order.flight.slices, expected.flight, isDay);
}

function isFlight(
  order: Order,
  slices: readonly z.infer<typeof Slice>[],
  { from, to, on, back, travelers = 1, cabin = "economy", isNonStop, departs = {} }: ExpectedFlight,
  isDay: (template: string, date: string | undefined) => boolean,
): boolean {
  const [out, home, ...others] = slices;
  const segments = slices.flatMap((slice) => slice.segments);
  const time = out?.segments[0]?.departingAt.slice(11, 16) ?? "";
  return (
    others.length === 0 &&
    [from].flat().includes(out?.origin ?? "") &&
    [to].flat().includes(out?.destination ?? "") &&
    isDay(on, out?.segments[0]?.departingAt) &&
    (back === undefined ? home === undefined : isDay(back, home?.segments[0]?.departingAt)) &&
    order.travelers.length === travelers &&
    segments.every(({ cabinClass }) => cabinClass == null || cabinClass === cabin) &&
    (isNonStop !== true || segments.length === slices.length) &&
    time >= (departs.from ?? "00:00") &&
    time <= (departs.until ?? "23:59")
  );
}

const summarize = ({ orderId, flight, stay, travelers }: Order) => ({
  orderId,
  route: flight?.slices.map(
    ({ origin, destination, segments }) => `${origin} ${destination} ${segments[0]?.departingAt}`,
  ),
  nights: stay === null ? undefined : `${stay.checkInDate} to ${stay.checkOutDate}`,
  travelers: travelers.length,
});
