import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs = "bookings" | "effects" | "files" | "identity" | "orders" | "outbox" | "travelers";
type Seen = "itineraries" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Parts = PartsOf<Seen>;
export type Ports = PortsOf<Seen>;
export type Stores = StoresOf<Seen>;
