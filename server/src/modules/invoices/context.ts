import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { AggregatesOf, ReadsOf, StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs = "bookings" | "chain" | "escrow" | "files" | "identity" | "trip-record" | "orders" | "treasury" | "trips";
type Seen = "invoices" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
export type Reads = ReadsOf<Seen>;
export type Parts = PartsOf<Seen>;
export type Ports = PortsOf<Seen>;
