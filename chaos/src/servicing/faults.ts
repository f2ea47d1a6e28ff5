import { COMMIT_TIMEOUT_MILLISECONDS, LATEST_EFFECT_MILLISECONDS } from "../calls/faults.ts";
import type { Random } from "../random.ts";

interface Fault {
  match: { path: string; method: string };
  fault: string;
  times: number;
  delayMs: number;
}

/** Faults of every commit. A missing answer is the one that only a look-up resolves, so it is drawn more often. */
const ofAll = [
  "late_effect",
  "late_effect",
  "reset_after_effect",
  "reset_after_effect",
  "truncated_json",
  "accepted_then_done",
  "accepted_then_done",
  "accepted_then_failed",
  "timeout",
  "http_500",
  "http_503",
  "rate_limited",
] as const;

type Faults = readonly [string, ...string[]];
type Target = readonly [path: string, faults: Faults];

const CANCELLATION = "/air/order_cancellations/{id}/actions/confirm";
const targets: readonly [Target, ...Target[]] = [
  ["/air/orders", [...ofAll, "price_changed", "sold_out", "insufficient_balance", "offer_expired"]],
  ["/air/payments", [...ofAll, "price_changed"]],
  ["/air/orders/{id}/services", [...ofAll, "price_changed", "service_taken", "insufficient_balance"]],
  [CANCELLATION, [...ofAll, "price_changed", "offer_expired"]],
  [CANCELLATION, ofAll],
  ["/air/order_changes/{id}/actions/confirm", [...ofAll, "price_changed", "offer_expired", "sold_out"]],
  ["/air/order_changes/{id}/actions/confirm", ofAll],
  ["/air/order_cancellations", ["refund_as_credit"]],
  ["/stays/quotes", ["price_changed", "sold_out", "http_503"]],
  ["/stays/bookings", [...ofAll, "sold_out", "insufficient_balance"]],
  ["/stays/bookings/{id}/actions/cancel", ofAll],
];

const disturbances = ["duplicate", "delay", "drop", "reorder"] as const;
const events = ["order.created", "air.order.changed", "order_cancellation.confirmed", "stays.booking.created"] as const;
const WAIT_AFTER_LIMIT_MILLISECONDS = 400;

/** Effects come later than the service waits, and sooner than it looks. */
function chooseDelay(fault: string, random: Random): number {
  if (fault === "rate_limited") return WAIT_AFTER_LIMIT_MILLISECONDS;
  if (fault === "late_effect") return random.between(COMMIT_TIMEOUT_MILLISECONDS + 100, LATEST_EFFECT_MILLISECONDS);
  return random.between(100, COMMIT_TIMEOUT_MILLISECONDS);
}

/** Faults at the moments that cost or make something. */
function drawServicingFaults(random: Random): Fault[] {
  return Array.from({ length: random.between(4, 8) }, () => {
    const [path, kinds] = random.pick(targets);
    const fault = random.pick(kinds);
    return { match: { path, method: "POST" }, fault, times: 1, delayMs: chooseDelay(fault, random) };
  });
}

/** Disturbances of the supplier's events on their way. */
function drawDisturbances(random: Random) {
  return Array.from({ length: random.between(0, 2) }, () => ({
    kind: random.pick(disturbances),
    type: random.pick(events),
    times: random.between(1, 3),
    copies: 2,
    delayMs: random.between(200, 3_000),
  }));
}

async function control(supplierUrl: string, path: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${supplierUrl}/_sandbox/${path}`, {
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(3_000),
    ...init,
  });
  const text = await response.text();
  if (response.status === 400) throw new Error(`The sandbox does not know ${path} of ${String(init.body)}: ${text}`);
}

export async function disturbSupplier(supplierUrl: string, random: Random): Promise<void> {
  const drawn = [
    ...drawServicingFaults(random).map((body) => ["scenarios", body] as const),
    ...drawDisturbances(random).map((body) => ["webhook-disturbances", body] as const),
  ];
  for (const [path, body] of drawn) await control(supplierUrl, path, { method: "POST", body: JSON.stringify(body) });
}

const tickets = ["ticketing_delayed", "ticketing_delayed", "ticketing_failed"] as const;

/** Tickets come later than the payment, or never. */
export async function disturbTickets(supplierUrl: string, random: Random): Promise<void> {
  for (const path of ["/air/orders", "/air/payments"]) {
    const fault = random.pick(tickets);
    const delayMs = random.between(1_500, 6_000);
    const body = { match: { path, method: "POST" }, fault, times: random.between(1, 3), delayMs };
    await control(supplierUrl, "scenarios", { method: "POST", body: JSON.stringify(body) });
  }
}

export async function leaveSupplierAlone(supplierUrl: string): Promise<void> {
  await control(supplierUrl, "scenarios", { method: "DELETE" });
  await control(supplierUrl, "webhook-disturbances", { method: "DELETE" });
}
