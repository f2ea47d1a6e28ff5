import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { AggregatesOf, StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool } from "../../kernel/contracts/tool.ts";

type Needs = "effects" | "identity" | "outbox" | "policy" | "travelers" | "charging";
type Seen = "approvals" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Aggregates = AggregatesOf<Seen>;
export type Stores = StoresOf<Seen>;
export type Parts = PartsOf<Seen>;
