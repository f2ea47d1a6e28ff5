import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import { type DefineTool, defineAnyTool, type PortsOf } from "../../kernel/contracts/tool.ts";

type Needs =
  | "bookings"
  | "channels"
  | "effects"
  | "flights"
  | "identity"
  | "maps"
  | "orders"
  | "outbox"
  | "places"
  | "servicing"
  | "stays"
  | "travelers";
type Seen = "disruption" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export const defineTool: DefineTool<Seen> = defineAnyTool;
export type Ports = PortsOf<Seen>;
