import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import { escrowFailure } from "./errors.ts";
import type { StepPorts } from "./steps.ts";
import { takeTripStep } from "./trip-steps.ts";
import type { Trip } from "./trips.ts";

/**
 * Gives back what is free, once: a trip that is closed, or was released after its expiry, stays as it is. Throws Failure with a
 * code of `stepErrors` or `tripStateErrors`.
 */
export async function closeTrip(
  ports: StepPorts,
  { tenantId, tripId }: Pick<Trip, "tenantId" | "tripId">,
): Promise<Trip> {
  const { state } = await requireTrip(ports, tenantId, tripId);
  if (state !== "closed") {
    try {
      const action = { name: "close" } as const;
      await takeTripStep(ports, { tenantId, tripId, action, callId: null, result: {}, check: requireNotClosed });
    } catch (error) {
      if (!(error instanceof Failure && error.code === "trip_closed")) throw error;
    }
  }
  return await requireTrip(ports, tenantId, tripId);
}

/** A release can have been quicker. */
function requireNotClosed({ state }: Trip): void {
  if (state === "closed") throw escrowFailure("trip_closed");
}

async function requireTrip({ stores, chain }: StepPorts, tenantId: string, tripId: Hex): Promise<Trip> {
  const trip = await stores.trips.find(tenantId, chain.network, tripId);
  if (trip === undefined) throw escrowFailure("trip_not_found");
  return trip;
}
