import { type DefineModule, defineAnyModule } from "../../kernel/module.ts";
import type { StoresOf } from "../../kernel/stores.ts";

type Needs = "identity" | "travelers" | "workflows";
type Seen = "demo" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Stores = StoresOf<Seen>;
