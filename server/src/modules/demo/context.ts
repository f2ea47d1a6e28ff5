import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "identity" | "travelers" | "workflows" | "sign-in";
type Seen = "demo" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Stores = StoresOf<Seen>;
