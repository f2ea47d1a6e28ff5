import { type DefineModule, defineAnyModule } from "../../kernel/module.ts";
import type { PartsOf } from "../../kernel/parts.ts";
import type { ReadsOf, StoresOf } from "../../kernel/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/tool.ts";

type Needs = "identity" | "scans";
type Seen = "travelers" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Stores = StoresOf<Seen>;
export type Reads = ReadsOf<Seen>;
export type Ports = PortsOf<Seen>;
export type Settings = PartsOf<Seen>["settings"];
