import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { AggregatesOf, StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "effects" | "identity" | "outbox" | "trip-record" | "trips";
type Seen = "invitations" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
