import type { Admitted } from "../http/admission.ts";
import type { HttpRequest } from "../http/http.ts";
import type { OpenExchange } from "../http/signed-exchange.ts";
import type { RpcId } from "./json-rpc.ts";
import type { ToolList } from "./tool-list.ts";

/** One message on its way through the endpoint. */
export interface Visit {
  readonly request: HttpRequest;
  readonly exchange: OpenExchange;
  /** Undefined: a caller without a key, which pays for its calls or reaches only extras. */
  readonly caller: Admitted | undefined;
  /** Without a key, it pays for each call by itself. */
  readonly isPayer: boolean;
  readonly message: unknown;
  readonly id: RpcId | null;
  /** The tools that this caller sees. */
  readonly list: ToolList;
  /** Whether the client accepts an event stream. */
  readonly acceptsStream: boolean;
  /** Headers that the call adds to the answer. */
  readonly headers: Record<string, string>;
  /** Settles when the work that the message started has ended, whether or not the client still waits. */
  running: Promise<unknown> | undefined;
  /** The key was refused during the call: the answer is HTTP 401, not a result. */
  refused: unknown;
}
