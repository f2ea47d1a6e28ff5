import { type DefineModule, defineAnyModule } from "../../kernel/module.ts";
import type { AggregatesOf, StoresOf } from "../../kernel/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/tool.ts";

type Needs =
  | "bookings"
  | "chain"
  | "effects"
  | "trips"
  | "ledger"
  | "limits"
  | "orders"
  | "places"
  | "travelers"
  | "treasury";
type Seen = "flights" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
export type Ports = PortsOf<Seen>;
