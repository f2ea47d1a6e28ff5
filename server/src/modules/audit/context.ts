import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { ReadsOf } from "../../kernel/contracts/stores.ts";

type Needs = "identity";
type Seen = "audit" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Reads = ReadsOf<Seen>;
