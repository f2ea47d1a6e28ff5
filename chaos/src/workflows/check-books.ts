import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { RunBooks } from "./books.ts";

const ENDED: ReadonlySet<string> = new Set(["completed", "failed"]);
const OPEN_IN_ESCROW: ReadonlySet<string> = new Set(["reserving", "reserved", "committed", "confirmed"]);

/** At any moment. */
export function checkOncePerRun({ booked, reserved }: RunBooks): Finding {
  const alive = booked.filter(({ order_status }) => order_status !== "cancelled");
  return {
    invariant: "a run has at most one living order and one booking in escrow",
    checked: booked.length,
    problems: [
      ...findRepeated(alive, ({ run_id }) => `a living order of ${run_id}`),
      ...findRepeated(reserved, ({ run_id }) => `a booking in escrow of ${run_id}`),
    ],
  };
}

/** At any moment. */
export function checkSteps({ steps, metered }: RunBooks): Finding {
  const records = new Map(metered.map(({ id, idempotency_key }) => [id, idempotency_key]));
  const problems = steps.flatMap(({ run_id, step_id, state, meter_id }) => {
    if (state !== "done") return [];
    if (meter_id === null) return [`${step_id} of ${run_id} is done without a usage record`];
    const key = records.get(meter_id);
    return key === `${run_id}:${step_id}` ? [] : [`${meter_id} of ${step_id} of ${run_id} is of ${key ?? "nothing"}`];
  });
  return { invariant: "every step that is done has the one usage record of its key", checked: steps.length, problems };
}

/** When nothing is open any more. */
export function checkEnded({ runs, booked, reserved }: RunBooks): Finding {
  const orders = Map.groupBy(booked, ({ run_id }) => run_id);
  const inEscrow = new Map(reserved.map((one) => [one.run_id, one]));
  const problems = runs.flatMap(({ id, state, failure }) => {
    const alive = (orders.get(id) ?? []).filter(({ order_status }) => order_status !== "cancelled").length;
    const escrow = inEscrow.get(id)?.state;
    if (!ENDED.has(state)) return [];
    if (state === "completed") {
      if (alive === 1 && escrow === "settled") return [];
      return [`${id} is completed with ${alive} living orders, and its booking in escrow is ${escrow ?? "not there"}`];
    }
    // What could not be undone is named, and is a person's from then on.
    if (failure !== null && failure.notUndone.length > 0) return [];
    if (alive === 0 && (escrow === undefined || !OPEN_IN_ESCROW.has(escrow))) return [];
    return [`${id} failed and has ${alive} living orders, and its booking in escrow is ${escrow ?? "not there"}`];
  });
  return {
    invariant: "a run that completed is booked and settled, one that failed is undone",
    checked: runs.length,
    problems,
  };
}

export function checkNoneLeft({ runs }: RunBooks): Finding {
  const left = runs.filter(({ state, has_open_pause }) => !ENDED.has(state) && !has_open_pause);
  return {
    invariant: "every run has ended, or waits for somebody, and some have completed",
    checked: runs.length,
    problems: [
      ...left.map(({ id, state }) => `${id} is ${state} and waits for nothing`),
      ...(runs.some(({ state }) => state === "completed") ? [] : ["no run has completed"]),
    ],
  };
}
