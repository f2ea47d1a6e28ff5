import { type DefineModule, defineAnyModule } from "../../kernel/module.ts";
import { type DefineTool, defineAnyTool } from "../../kernel/tool.ts";

type Needs = never;
type Seen = "places" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
