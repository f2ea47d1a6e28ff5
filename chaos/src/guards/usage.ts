import type { Aggregates, Stores } from "../../../server/src/kernel/contracts/whole.ts";
import type { Calls } from "../../../server/src/modules/charging/calls.ts";

/** A call with an idempotency key is a call like any other: nothing is claimed, so the same key runs and pays again. */
export function withoutIdempotency(calls: Calls): Calls {
  return {
    ...calls,
    claim: async () => ({ kind: "claimed" }),
    closeClaim: async () => true,
    charge: (lines, processId) =>
      calls.charge(
        lines.map((line) => ({ ...line, callId: null })),
        processId,
      ),
    reserve: (lines, processId) =>
      calls.reserve(
        lines.map((line) => ({ ...line, callId: null })),
        processId,
      ),
    settle: (settlements) =>
      calls.settle(settlements.map((one) => ({ ...one, idempotency: "none", outcomeText: null }))),
  };
}

/** The same for calls with which gates reserve something: those are reserved in a transaction with it. */
export function withoutIdempotencyOfReservations(stores: Stores): Stores {
  const unclaimed = (aggregates: Aggregates): Aggregates => ({
    ...aggregates,
    callReservations: {
      reserve: (line, processId) => aggregates.callReservations.reserve({ ...line, callId: null }, processId),
    },
  });
  return { ...stores, transaction: (work) => stores.transaction((aggregates) => work(unclaimed(aggregates))) };
}

/** Answers before the charge is stored. */
export function withoutDurableFlush(calls: Calls): Calls {
  return {
    ...calls,
    async charge(lines, processId) {
      calls.charge(lines, processId).catch(() => undefined);
      return lines.map(() => true);
    },
    async settle(settlements) {
      calls.settle(settlements).catch(() => undefined);
      return settlements.map(({ usageId }) => usageId);
    },
  };
}
