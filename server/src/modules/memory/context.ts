import { type DefineModule, defineAnyModule } from "../../kernel/module.ts";
import type { ReadsOf } from "../../kernel/stores.ts";

type Needs = "escrow";
type Seen = "memory" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Reads = ReadsOf<Seen>;
