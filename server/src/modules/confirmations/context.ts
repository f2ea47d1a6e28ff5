import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "conversations" | "limits" | "travelers";
type Seen = "confirmations" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Stores = StoresOf<Seen>;
