import type { EffectFollower } from "./effect-follower.ts";
import type { PersonRecords } from "./person-records.ts";
import type { AggregatesOf } from "./stores.ts";

/** For aggregates that change together with those of other modules that the module sees, over the same transaction. */
export interface BesideStores<Seen extends string = never> {
  beside(): AggregatesOf<Seen>;
  /** From all modules. */
  readonly effectFollowers: readonly EffectFollower[];
  /** From all modules, over the same transaction. */
  personRecords(): readonly PersonRecords[];
  /** The same object in every transaction of a database: the key of what stores remember of rows that never change. */
  readonly database: object;
}
