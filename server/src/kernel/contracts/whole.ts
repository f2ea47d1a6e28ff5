import type { PartMakersOf, PartsOf } from "./parts.ts";
import type { AggregatesOf, ReadsOf, StoresOf } from "./stores.ts";
import type { AllPorts } from "./tool.ts";

/** The composition's view: the stores, parts and ports of all modules. A module's view is set by its `context.ts`. */
export type Aggregates = AggregatesOf<string>;
export type Stores = StoresOf<string>;
export type Reads = ReadsOf<string>;
export type Ports = AllPorts;
export type Parts = PartsOf<string>;
export type PartMakers = PartMakersOf<string>;
