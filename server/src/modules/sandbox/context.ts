import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";

type Needs = "bookings" | "channels" | "identity" | "orders";
type Seen = "sandbox" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Stores = StoresOf<Seen>;
