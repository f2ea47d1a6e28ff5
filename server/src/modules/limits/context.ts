import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { AggregatesOf, ReadsOf, StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "chain" | "trips" | "identity" | "charging";
type Seen = "limits" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
export type Reads = ReadsOf<Seen>;
