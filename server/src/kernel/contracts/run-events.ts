import type { Environment } from "../../ports/identity.ts";

/** An event that workflow runs wait for, with one subject: a trip, an order, an approval. */
export interface RunEvent {
  tenantId: string;
  environment: Environment;
  name: string;
  subject: string;
}

/** Modules raise events for runs in the transaction that stores them. */
export interface RunEvents {
  raise(event: RunEvent & { resolution: object }): Promise<void>;
  /** The ids of the runs that wait for it. */
  waitingRuns(event: RunEvent): Promise<readonly string[]>;
}
