import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";

type Needs = "approvals" | "identity" | "travelers";
type Seen = "conversations" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Parts = PartsOf<Seen>;
