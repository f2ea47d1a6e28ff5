import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { SupplierBooks } from "../servicing/books.ts";
import { isConfirmed } from "../servicing/check-effects.ts";
import type { RunBooks } from "./books.ts";

const ENDED: ReadonlySet<string> = new Set(["completed", "failed"]);
const OPEN_IN_ESCROW: ReadonlySet<string> = new Set(["reserving", "reserved", "committed", "confirmed"]);

/** At any moment. */
export function checkOncePerRun({ booked, reserved, invoiced }: RunBooks): Finding {
  const alive = booked.filter(({ order_status }) => order_status !== "cancelled");
  return {
    invariant: "a run, and its trip, has at most one living order, one booking in escrow and one invoice",
    checked: booked.length,
    problems: [
      ...findRepeated(alive, ({ run_id }) => `a living order of ${run_id}`),
      // Each trip is run once, however often that is asked for.
      ...findRepeated(alive, ({ trip_id }) => `a living order of the trip ${trip_id}`),
      ...findRepeated(invoiced, ({ run_id }) => `an invoice of ${run_id}`),
      ...findRepeated(reserved, ({ run_id }) => `a booking in escrow of ${run_id}`),
    ],
  };
}

/** At any moment. */
export function checkPaidOnce({ paid }: RunBooks): Finding {
  return {
    invariant: "what was asked for by one key was paid into the escrow, and reserved there, once",
    checked: paid.length,
    problems: findRepeated(paid, ({ asked }) => asked),
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
    // Effects that could not be undone are named, and from then on left to a person.
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

/** When nothing is open any more. */
export function checkInvoices({ runs, invoiced }: RunBooks): Finding {
  const invoices = new Set(invoiced.map(({ run_id }) => run_id));
  const completed = runs.filter(({ state, invoice_failure }) => state === "completed" && invoice_failure === null);
  const without = completed
    .filter(({ id }) => !invoices.has(id))
    .map(({ id }) => `${id} is completed and not invoiced`);
  const failed = new Set(runs.filter(({ state }) => state === "failed").map(({ id }) => id));
  const wrong = invoiced
    .filter(({ run_id }) => failed.has(run_id))
    .map(({ run_id }) => `${run_id} failed with an invoice`);
  return {
    invariant: "what runs completed is invoiced, and nothing else",
    checked: runs.length,
    problems: [...without, ...wrong],
  };
}

/** When nothing is open any more: to the micro-unit. */
export function checkPaid({ booked }: RunBooks, { payments, cancellations }: SupplierBooks): Finding {
  const theirs = new Map<string, bigint>();
  const add = (id: string, amount: bigint) => theirs.set(id, (theirs.get(id) ?? 0n) + amount);
  for (const { order_id, status, amount } of payments) if (status === "succeeded") add(order_id, amount);
  for (const one of cancellations.filter(isConfirmed)) add(one.order_id, -one.refund_amount);
  const problems = booked.flatMap(({ run_id, order_id, cost }) => {
    const paid = theirs.get(order_id) ?? 0n;
    return paid === cost ? [] : [`${order_id} of ${run_id} cost ${cost}, and the supplier kept ${paid}`];
  });
  return { invariant: "each order of a run cost what the supplier has kept for it", checked: booked.length, problems };
}

/** At any moment: who has said no is heard, and one of several answers counts. */
export function checkDecided({ runs, booked }: RunBooks, wins: ReadonlyMap<string, number>): Finding {
  const withOrder = new Set(booked.map(({ run_id }) => run_id));
  const problems = [
    ...runs
      .filter(({ id, is_refused }) => is_refused && withOrder.has(id))
      .map(({ id }) => `${id} was refused and has an order`),
    ...[...wins].filter(([, count]) => count > 1).map(([session, count]) => `${session} was resolved ${count} times`),
  ];
  const refused = runs.filter(({ is_refused }) => is_refused).length;
  return {
    invariant: "a pause is resolved once, and what was refused is not booked",
    checked: refused + wins.size,
    problems,
  };
}

/** At any moment. */
export function checkTold({ told }: RunBooks): Finding {
  const problems = told
    .filter(({ steps, told: lines }) => steps !== lines)
    .map(
      ({ trip_id, steps, told: lines }) => `${trip_id} had ${steps} steps on the chain, and its record tells ${lines}`,
    );
  return { invariant: "the record of each trip tells every step of its money once", checked: told.length, problems };
}

/** The outcome of the runs. */
export function describeEnds({ runs }: RunBooks): string {
  const ends = Map.groupBy(runs, ({ state, failure, version }) => `${failure?.code ?? state} (version ${version})`);
  return [...ends]
    .map(([end, all]) => `${end} ${all.length}`)
    .toSorted()
    .join(", ");
}
