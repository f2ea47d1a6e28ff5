import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { HttpClient } from "../../outbound/http-client.ts";

/** The node answered, and the answer is no. */
export class RpcRefusal extends Error {
  override name = "RpcRefusal";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** An answer that is none: an error page of a proxy, a status without a body. */
class RpcBroken extends Error {
  override name = "RpcBroken";
}

export interface Rpc {
  request(request: { method: string; params?: unknown }): Promise<unknown>;
}

export interface RpcOptions {
  url: string;
  http: HttpClient;
  /** Of one attempt. */
  timeoutMs: number;
  /** After the first attempt; of reads only. */
  retries?: number;
  retryPauseMs?: number;
}

const Answer = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ result: z.unknown() }),
]);

/** Says that nothing was done and that it may be asked again: too many requests. */
const BUSY_CODES: ReadonlySet<number> = new Set([-32_005, -32_007, 429]);
const SENDING = "eth_sendRawTransaction";

export function isBusy(error: unknown): boolean {
  return error instanceof RpcRefusal && BUSY_CODES.has(error.code);
}

/** JSON-RPC over HTTP. What sends is tried once: whoever sends must know that the outcome is unknown. */
export function createRpc({ url, http, timeoutMs, retries = 2, retryPauseMs = 150 }: RpcOptions): Rpc {
  let lastId = 0;

  async function attempt(method: string, params: unknown): Promise<unknown> {
    lastId += 1;
    const response = await http.send({
      method: "POST",
      url,
      json: { jsonrpc: "2.0", id: lastId, method, params: params ?? [] },
      timeoutMs,
      freshConnection: method === SENDING,
    });
    const answer = Answer.safeParse(parse(response.body));
    if (!answer.success) throw new RpcBroken(`${method}: status ${response.status} without a JSON-RPC answer`);
    if ("error" in answer.data) {
      const { code, message, data } = answer.data.error;
      throw new RpcRefusal(code, message, data);
    }
    return answer.data.result;
  }

  return {
    async request({ method, params }) {
      for (let left = method === SENDING ? 0 : retries; ; left -= 1) {
        try {
          return await attempt(method, params);
        } catch (error) {
          const isFinal = error instanceof RpcRefusal && !isBusy(error);
          if (isFinal || left === 0) throw error;
          await delay(retryPauseMs * (retries - left + 1));
        }
      }
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
