import type { PartMakersOf, PartsOf } from "./parts.ts";
import type { AggregatesOf, ReadsOf, StoresOf } from "./stores.ts";
import type { AllPorts } from "./tool.ts";

/** What the composition sees: the stores, parts and ports of all modules. A module sees what its `context.ts` says. */
export type Aggregates = AggregatesOf<string>;
export type Stores = StoresOf<string>;
export type Reads = ReadsOf<string>;
export type Ports = AllPorts;
export type Parts = PartsOf<string>;
export type PartMakers = PartMakersOf<string>;
