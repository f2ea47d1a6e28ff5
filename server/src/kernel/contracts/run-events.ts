import type { Environment } from "../../ports/identity.ts";

/** An event that workflow runs wait for, with one subject: a trip, an order, an approval. */
export interface RunEvent {
  tenantId: string;
  environment: Environment;
  name: string;
  subject: string;
}

/** The trip takes no more money: waiting runs that have reserved nothing end. */
export const TRIP_CLOSED = "trip_closed";

/** Modules raise events for runs in the transaction that stores them. */
export interface RunEvents {
  raise(event: RunEvent & { resolution: object }): Promise<void>;
  /** The ids of the runs that wait for it. */
  waitingRuns(event: RunEvent): Promise<readonly string[]>;
}
