import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool } from "../../kernel/contracts/tool.ts";

type Needs = "chain" | "cross-chain" | "effects" | "ledger" | "treasury";
type Seen = "swaps" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Stores = StoresOf<Seen>;
export type Parts = PartsOf<Seen>;
