import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";

type Needs = "identity";
type Seen = "tenants" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Parts = PartsOf<Seen>;
