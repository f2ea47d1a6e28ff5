import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import { type DefineTool, defineAnyTool } from "../../kernel/contracts/tool.ts";

type Needs = never;
type Seen = "account" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
