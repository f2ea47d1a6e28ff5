import { Failure } from "../../domain/errors.ts";
import type { RandomBytes } from "../../domain/ids.ts";
import type { Environment } from "../../ports/identity.ts";
import type { OnceAnswer } from "../effects/index.ts";
import { requireMoving } from "../treasury/index.ts";
import { prepareFlightCancellation, withNotFoundCode } from "./cancel-order.ts";
import { prepareStayCancellation, STAY_QUOTE_PREFIX } from "./cancel-stay.ts";
import { executeServicing, type ServicingOptions, type ServicingRequest } from "./execute-servicing.ts";
import { type SupplierPorts, servicingCommits } from "./servicing-commits.ts";
import type { ServicingPorts } from "./servicing-effect.ts";

export interface ServicingCall {
  caller: { tenantId: string; environment: Environment };
  callId: string;
}

export type ServicingToolPorts = SupplierPorts &
  Pick<ServicingPorts, "stores" | "submission" | "clock"> & { random: RandomBytes };

const inProgress = {
  code: "cancellation_in_progress",
  detail: "An earlier call is confirming this cancellation. Call again with the same id to get its result.",
};

/** Cancels the flight order or stay of a quote, once. */
export function confirmCancellation(
  ports: ServicingToolPorts,
  call: ServicingCall,
  cancellationId: string,
  options: ServicingOptions = {},
): Promise<OnceAnswer> {
  const request = cancellationId.startsWith(STAY_QUOTE_PREFIX)
    ? ofStay(ports, call, cancellationId)
    : Promise.resolve(ofFlight(ports, call, cancellationId));
  const { random } = ports;
  const commits = servicingCommits(ports);
  return request.then((known) => executeServicing({ ...ports, commits }, known, { random, ...options }));
}

/** Checks everything that can be refused before anything is stored or sent, for a preview; changes nothing. */
export async function checkCancellation(
  ports: CheckingPorts,
  caller: ServicingCall["caller"],
  cancellationId: string,
): Promise<void> {
  await requireMoving(ports.stores.boundChains, await ports.stores.boundChains.requireHome(caller.environment));
  if (!cancellationId.startsWith(STAY_QUOTE_PREFIX)) await checkFlight(ports, caller, cancellationId);
  else await checkStay(ports, await findStay(ports, caller, cancellationId));
}

type CheckingPorts = Pick<ServicingToolPorts, "flightServicing" | "stores" | "clock">;

function ofFlight(ports: ServicingToolPorts, call: ServicingCall, cancellationId: string): ServicingRequest {
  return {
    ...call,
    kind: "flight_cancellation",
    subjectId: cancellationId,
    inProgress,
    prepare: () => checkFlight(ports, call.caller, cancellationId),
  };
}

async function checkFlight(
  { flightServicing, stores, clock }: CheckingPorts,
  { tenantId, environment }: ServicingCall["caller"],
  cancellationId: string,
) {
  const quote = await withNotFoundCode(flightServicing.getCancellation(cancellationId), "cancellation_not_found");
  const order = await stores.orders.find(tenantId, environment, quote.orderId);
  if (order === undefined) throw new Failure("cancellation_not_found");
  return prepareFlightCancellation(quote, order, clock);
}

async function findStay(
  { stores }: CheckingPorts,
  { tenantId, environment }: ServicingCall["caller"],
  cancellationId: string,
) {
  const quote = await stores.servicingQuotes.findStayCancellation(tenantId, environment, cancellationId);
  const order = quote === undefined ? undefined : await stores.orders.find(tenantId, environment, quote.stayId);
  if (quote === undefined || order === undefined) throw new Failure("cancellation_not_found");
  return { quote, order };
}

async function checkStay({ clock }: CheckingPorts, { quote, order }: Awaited<ReturnType<typeof findStay>>) {
  return prepareStayCancellation(quote, order, clock);
}

async function ofStay(
  ports: ServicingToolPorts,
  call: ServicingCall,
  cancellationId: string,
): Promise<ServicingRequest> {
  const stay = await findStay(ports, call.caller, cancellationId);
  return {
    ...call,
    kind: "stay_cancellation",
    // A stay is cancelled once, however many quotes it has.
    subjectId: stay.quote.stayId,
    inProgress,
    prepare: () => checkStay(ports, stay),
  };
}
