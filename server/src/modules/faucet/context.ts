import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs = "chain" | "effects" | "ledger" | "treasury";
type Seen = "faucet" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Stores = StoresOf<Seen>;
export type Ports = PortsOf<Seen>;
