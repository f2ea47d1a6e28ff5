import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import type { RunEvents } from "./events.ts";

/** The aggregates of every module. */
interface CommonAggregates {
  readonly runEvents: RunEvents;
}

/**
 * The stored aggregates of all modules, by module and name: `"orders.walletMovements"`. Each module adds its own next
 * to their types. A module sees its own and those of the modules named in its `context.ts`.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it by declaration merging.
export interface ModuleStores {}

/** The entries of a registry that belong to these modules, without the module names; `string` stands for every module. */
export type OwnedBy<Name extends string, Registry> = {
  [Key in keyof Pick<Registry, keyof Registry & `${Name}.${string}`> as Key extends `${string}.${infer Short}`
    ? Short
    : never]: Registry[Key];
};

declare const transaction: unique symbol;

/**
 * One transaction over the aggregates of all modules. This type shows none of them, so that a module can pass a
 * transaction on to contributions of others; there it has the type of the module that uses it.
 */
export interface Transaction {
  readonly [transaction]?: true;
}

export type AggregatesOf<Name extends string> = Transaction & CommonAggregates & OwnedBy<Name, ModuleStores>;

export type StoresOf<Name extends string> = StoresWith<AggregatesOf<Name>>;

/** For a helper of other modules that needs only these aggregates. */
export type StoresWith<Aggregates> = Aggregates & {
  /** Runs `work` in one transaction over all aggregates; an error rolls everything back. */
  readonly transaction: <T>(work: (aggregates: Aggregates) => Promise<T>) => Promise<T>;
};

/**
 * Reads a list on separate connections, within a time limit. Callers can make lists slow; work that keeps the service
 * alive, such as heartbeats, charges and jobs, must never wait behind them, nor one tenant's lists behind another's.
 */
export type ReadsOf<Name extends string> = <Result>(
  tenantId: string,
  read: (aggregates: AggregatesOf<Name>) => Promise<Result>,
) => Promise<Result>;

/** The inputs of a module's stores. The opener of the database adds `db`: the caller's transaction if there is one. */
export interface StoreParts {
  clock: Clock;
  vault: Vault;
}
