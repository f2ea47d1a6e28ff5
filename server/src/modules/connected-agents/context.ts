import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "identity" | "limits" | "charging" | "trips" | "chain";
type Seen = "connected-agents" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Stores = StoresOf<Seen>;
