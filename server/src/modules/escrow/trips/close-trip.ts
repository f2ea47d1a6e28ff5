import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { chainProvenance } from "../../treasury/index.ts";
import type { Trip } from "../../trips/index.ts";
import { escrowFailure } from "../errors.ts";
import type { StepAnswer, StepPorts } from "../step-machine/take-step.ts";
import { takeTripStep } from "../step-machine/take-trip-step.ts";

interface Closing extends Pick<Trip, "tenantId" | "tripId"> {
  /** Left out if no call waits for it. */
  callId?: string;
}

/**
 * Returns the free budget, once: a trip that is closed, or was released after its expiry, stays as it is. Throws a
 * Failure with a code of `stepErrors` or `tripStateErrors`.
 */
export async function closeTrip(ports: StepPorts, closing: Closing): Promise<Trip> {
  const { tenantId, tripId } = closing;
  const { state } = await requireTrip(ports, tenantId, tripId);
  if (state !== "closed") await takeClosing(ports, closing);
  return await requireTrip(ports, tenantId, tripId);
}

/** Undefined if it was released before. */
export async function takeClosing(
  ports: StepPorts,
  { tenantId, tripId, callId }: Closing,
): Promise<StepAnswer | undefined> {
  try {
    return await takeTripStep(ports, {
      tenantId,
      tripId,
      action: { name: "close" },
      callId: callId ?? null,
      check: requireNotClosed,
      result: (trip) => ({
        ...describeClosing(trip),
        returnedNowUsdc: formatDecimal(trip.free),
        ...chainProvenance(ports.chain, ports.clock),
      }),
    });
  } catch (error) {
    if (error instanceof Failure && error.code === "trip_closed") return undefined;
    throw error;
  }
}

/** The free budget is added to earlier refunds. */
export function describeClosing({ tripId, refunded, free, held, funder }: Trip) {
  const [returnedUsdc, heldUsdc] = [formatDecimal(refunded + free), formatDecimal(held)];
  return { tripId, state: "closed" as const, returnedUsdc, returnedTo: funder, heldUsdc };
}

/** A concurrent release may have come first. */
function requireNotClosed({ state }: Trip): void {
  if (state === "closed") throw escrowFailure("trip_closed");
}

export async function requireTrip({ stores, chain }: StepPorts, tenantId: string, tripId: Hex): Promise<Trip> {
  const trip = await stores.trips.find(tenantId, chain.environment, tripId);
  if (trip === undefined) throw escrowFailure("trip_not_found");
  return trip;
}
