import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { AggregatesOf, StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "chain" | "effects" | "trips" | "identity" | "ledger" | "limits" | "travelers" | "treasury";
type Seen = "bookings" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
