import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { DuffelClient } from "../client.ts";
import { createAirlineChanges } from "./airline-changes.ts";
import { createAncillaries } from "./ancillaries.ts";
import { createCancellations } from "./cancellations.ts";
import { createChanges } from "./changes.ts";
import { createCredits } from "./credits.ts";
import { createOrderDetails } from "./order-details.ts";

export interface ServicingOptions {
  client: DuffelClient;
  clock: Clock;
  log: Log;
  /** For free requests that the supplier forwards to the airline. */
  askAirlineTimeoutMilliseconds: number;
}

export function createFlightServicing({
  client,
  clock,
  log,
  askAirlineTimeoutMilliseconds,
}: ServicingOptions): FlightServicing {
  return {
    ...createAncillaries(client, log),
    ...createOrderDetails(client),
    ...createCancellations(client, askAirlineTimeoutMilliseconds),
    ...createChanges(client, log, askAirlineTimeoutMilliseconds),
    ...createAirlineChanges(client),
    ...createCredits(client, clock, log),
  };
}
