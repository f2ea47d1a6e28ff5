import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { AggregatesOf, StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs =
  | "bookings"
  | "chain"
  | "effects"
  | "eligibility"
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
