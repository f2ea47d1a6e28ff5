import type { Admitted } from "../http/gate.ts";
import type { HttpRequest } from "../http/http.ts";
import type { OpenExchange } from "../http/signed-exchange.ts";
import type { RpcId } from "./json-rpc.ts";
import type { ToolList } from "./tool-list.ts";

/** One message on its way through the endpoint. */
export interface Visit {
  readonly request: HttpRequest;
  readonly exchange: OpenExchange;
  /** Undefined: nobody, who reaches nothing but extras. */
  readonly caller: Admitted | undefined;
  readonly message: unknown;
  readonly id: RpcId | null;
  /** The tools that this caller sees. */
  readonly list: ToolList;
  /** Whether the client takes an event stream. */
  readonly acceptsStream: boolean;
  /** What the call adds to the headers of the answer. */
  readonly headers: Record<string, string>;
  /** Settles when the work that the message started has ended, whether or not anybody still waits for the answer. */
  running: Promise<unknown> | undefined;
  /** The key was refused in the middle of the call: the answer is HTTP 401, not a result. */
  refused: unknown;
}
