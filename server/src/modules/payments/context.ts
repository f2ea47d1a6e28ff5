import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { AggregatesOf, StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "chain" | "ledger" | "treasury" | "charging";
type Seen = "payments" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
export type Parts = PartsOf<Seen>;
