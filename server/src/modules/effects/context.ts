import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { AggregatesOf } from "../../kernel/contracts/stores.ts";

type Needs = "charging";
type Seen = "effects" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Aggregates = AggregatesOf<Seen>;
