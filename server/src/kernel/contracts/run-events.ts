import type { Environment } from "../../ports/identity.ts";

/** Something that runs of workflows wait for, of one subject: a trip, an order, an approval. */
export interface RunEvent {
  tenantId: string;
  environment: Environment;
  name: string;
  subject: string;
}

/** A trip takes no more money: runs that wait for something of it, and have reserved nothing, end. */
export const TRIP_CLOSED = "trip_closed";

/** How modules tell runs what has happened, in the transaction that stores it. */
export interface RunEvents {
  raise(event: RunEvent & { resolution: object }): Promise<void>;
  /** The ids of the runs that wait for it. */
  waitingRuns(event: RunEvent): Promise<readonly string[]>;
}
