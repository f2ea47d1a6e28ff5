import { Failure } from "../../domain/errors.ts";
import type { OnceAnswer } from "../effects/index.ts";
import { withNotFoundCode } from "./cancel-order.ts";
import { type ChangePayment, prepareFlightChange } from "./change-order.ts";
import type { ServicingCall, ServicingToolPorts } from "./confirm-cancellation.ts";
import { executeServicing, type ServicingOptions } from "./execute-servicing.ts";
import { servicingCommits } from "./servicing-commits.ts";

const inProgress = {
  code: "change_in_progress",
  detail: "An earlier call is confirming this change. Call again with the same id to get its result.",
};

/** Pays for a pending change of a flight order and makes it, once. */
export function confirmChange(
  ports: ServicingToolPorts,
  call: ServicingCall,
  change: { changeId: string; payment: ChangePayment },
  options: ServicingOptions = {},
): Promise<OnceAnswer> {
  const { flightServicing, stores, clock, random } = ports;
  const { tenantId, environment } = call.caller;
  const request = {
    ...call,
    kind: "flight_change",
    subjectId: change.changeId,
    inProgress,
    async prepare() {
      const pending = await withNotFoundCode(flightServicing.getChange(change.changeId), "change_not_found");
      const order = await stores.orders.find(tenantId, environment, pending.orderId);
      if (order === undefined) throw new Failure("change_not_found");
      return prepareFlightChange(pending, order, change.payment, clock);
    },
  } as const;
  return executeServicing({ ...ports, commits: servicingCommits(ports) }, request, { random, ...options });
}
