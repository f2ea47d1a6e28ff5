import { Failure } from "../../domain/errors.ts";
import type { OnceAnswer } from "../effects/index.ts";
import { requireMoving } from "../treasury/index.ts";
import { isAirlineChange, readAirlineChange } from "./airline-change.ts";
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
  const { random } = ports;
  const request = {
    ...call,
    kind: "flight_change",
    subjectId: change.changeId,
    inProgress,
    prepare: () => checkChange(ports, call.caller, change),
  } as const;
  return executeServicing({ ...ports, commits: servicingCommits(ports) }, request, { random, ...options });
}

/** Checks everything that can be refused before anything is stored or sent, for a preview; changes nothing. */
export async function checkPaidChange(
  ports: Parameters<typeof checkChange>[0],
  caller: ServicingCall["caller"],
  change: Parameters<typeof checkChange>[2],
): Promise<void> {
  await requireMoving(ports.stores.boundChains, await ports.stores.boundChains.requireHome(caller.environment));
  await checkChange(ports, caller, change);
}

async function checkChange(
  { flightServicing, stores, clock }: Pick<ServicingToolPorts, "flightServicing" | "stores" | "clock">,
  { tenantId, environment }: ServicingCall["caller"],
  { changeId, payment }: { changeId: string; payment: ChangePayment },
) {
  if (isAirlineChange(changeId)) {
    const found = await readAirlineChange({ stores, flightServicing }, { tenantId, environment }, changeId);
    return prepareFlightChange(found.change, found.order, payment, clock);
  }
  const pending = await withNotFoundCode(flightServicing.getChange(changeId), "change_not_found");
  const order = await stores.orders.find(tenantId, environment, pending.orderId);
  if (order === undefined) throw new Failure("change_not_found");
  return prepareFlightChange(pending, order, payment, clock);
}
