import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { ReadsOf, StoresOf } from "../../kernel/contracts/stores.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs = "identity" | "scans";
type Seen = "travelers" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Stores = StoresOf<Seen>;
export type Reads = ReadsOf<Seen>;
export type Ports = PortsOf<Seen>;
export type Settings = PartsOf<Seen>["settings"];
