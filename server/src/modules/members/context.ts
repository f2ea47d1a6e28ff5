import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "identity" | "sign-in" | "outbox" | "effects";
type Seen = "members" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Parts = PartsOf<Seen>;
export type Stores = StoresOf<Seen>;
