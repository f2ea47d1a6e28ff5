import type { Random } from "../random.ts";

interface Fault {
  match: { path: string; method: string };
  fault: string;
  times: number;
  delayMs?: number;
}

/**
 * How the service is set up against them: faults must outlast a commit's time-out and end within the quiet time, also where the
 * supplier, its database or the whole machine stands still for seconds in between. What is later than that would be the supplier's
 * broken promise, not the service's.
 */
export const COMMIT_TIMEOUT_MILLISECONDS = 1_500;
export const LATEST_EFFECT_MILLISECONDS = 2_900;
export const QUIET_MILLISECONDS = 12_000;

const commits = ["/air/orders", "/air/payments"] as const;
/** An effect that comes late is the one that only a quiet time answers, so it is drawn more often. */
const kinds = [
  "late_effect",
  "late_effect",
  "reset_after_effect",
  "truncated_json",
  "late_effect",
  "timeout",
  "http_500",
  "http_503",
  "price_changed",
  "offer_expired",
] as const;

/** One to three faults of the supplier at the moments that cost money. */
export function drawFaults(random: Random): Fault[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const fault = random.pick(kinds);
    const late =
      fault === "late_effect"
        ? { delayMs: random.between(COMMIT_TIMEOUT_MILLISECONDS + 100, LATEST_EFFECT_MILLISECONDS) }
        : {};
    return { match: { path: random.pick(commits), method: "POST" }, fault, times: 1, ...late };
  });
}

export async function armFaults(supplierUrl: string, faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    const response = await fetch(`${supplierUrl}/_sandbox/scenarios`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fault),
      signal: AbortSignal.timeout(2_000),
    });
    const text = await response.text();
    if (response.status === 400)
      throw new Error(`The sandbox does not know the fault ${JSON.stringify(fault)}: ${text}`);
  }
}

export async function disarmFaults(supplierUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const response = await fetch(`${supplierUrl}/_sandbox/scenarios`, { method: "DELETE", signal });
  await response.arrayBuffer();
}
