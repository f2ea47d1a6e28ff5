import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { AggregatesOf, ReadsOf, StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs =
  | "approvals"
  | "bookings"
  | "chain"
  | "cross-chain"
  | "effects"
  | "gateway"
  | "identity"
  | "ledger"
  | "travelers"
  | "treasury"
  | "trip-record"
  | "trips";
type Seen = "orders" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
export type Ports = PortsOf<Seen>;

export type Reads = ReadsOf<Seen>;
