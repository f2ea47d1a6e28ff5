import type { Duffel } from "./adapters/duffel/index.ts";
import type { Gate } from "./kernel/gate.ts";
import type { Stores } from "./kernel/stores.ts";
import type { Calls } from "./modules/usage/calls.ts";
import type { ChainSender } from "./ports/chain-sender.ts";
import type { McpExtras } from "./surfaces/mcp/extras.ts";

/**
 * What a harness around the product puts in place of its parts: each function is given the real part and returns the one to use. The
 * product's own programs pass nothing.
 */
export interface Decorators {
  calls?(calls: Calls): Calls;
  stores?(stores: Stores): Stores;
  gates?(gates: readonly Gate[]): readonly Gate[];
  supplier?(supplier: Duffel): Duffel;
  chainSender?(sender: ChainSender): ChainSender;
  /** The entry point of the development chain's process. */
  devnetProgram?: string;
  /** What the MCP endpoints offer beside the registry. With it, callers on this machine need no key. */
  mcpExtras?: McpExtras;
}
