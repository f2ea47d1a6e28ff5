import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { ReadsOf, StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool } from "../../kernel/contracts/tool.ts";

type Needs = "charging" | "identity";
type Seen = "reporting" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Stores = StoresOf<Seen>;
export type Reads = ReadsOf<Seen>;
