import type { Clock } from "../ports/clock.ts";
import type { Vault } from "../ports/vault.ts";
import type { RunEvents } from "./run-events.ts";

/** Stored aggregates that change together. Each module adds its own beside their types, as the kernel knows no module. */
export interface Aggregates {
  runEvents: RunEvents;
}

export interface Stores extends Aggregates {
  /** Runs `work` in one transaction over all aggregates; whatever it throws rolls everything back. */
  transaction<T>(work: (aggregates: Aggregates) => Promise<T>): Promise<T>;
}

/**
 * Reads a list on connections that nothing else uses, within a time limit. Lists are what callers can make slow; what keeps the
 * service alive, such as heartbeats, charges and jobs, must never wait behind them, nor one tenant's lists behind another's.
 */
export type Reads = <Result>(tenantId: string, read: (aggregates: Aggregates) => Promise<Result>) => Promise<Result>;

/** What a module makes its stores from. Who opens the database adds `db`: the caller's transaction when there is one. */
export interface StoreParts {
  clock: Clock;
  vault: Vault;
}
