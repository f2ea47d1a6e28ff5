import type { EffectFollower } from "./effect-follower.ts";
import type { PersonRecords } from "./person-records.ts";
import type { AggregatesOf } from "./stores.ts";

/** For aggregates that change with those of other modules that the module sees: over the same transaction, when they all are made. */
export interface BesideStores<Seen extends string = never> {
  beside(): AggregatesOf<Seen>;
  /** Of all modules. */
  readonly effectFollowers: readonly EffectFollower[];
  /** Of all modules, over the same transaction. */
  personRecords(): readonly PersonRecords[];
}
