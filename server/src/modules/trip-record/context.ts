import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { ReadsOf } from "../../kernel/contracts/stores.ts";

type Needs = "trips";
type Seen = "trip-record" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Reads = ReadsOf<Seen>;
