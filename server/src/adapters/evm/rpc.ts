import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { HttpClient } from "../../platform/http-client/http-client.ts";

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
  /** Puts requests that are made at the same time into one. Only for a node that is known to take them so. */
  together?: boolean;
}

const Answer = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ result: z.unknown() }),
]);

const Batch = z.array(z.looseObject({ id: z.number() }));
const MOST_TOGETHER = 50;

/** Says that nothing was done and that it may be asked again: too many requests. */
const BUSY_CODES: ReadonlySet<number> = new Set([-32_005, -32_007, 429]);
const SENDING = "eth_sendRawTransaction";

export function isBusy(error: unknown): boolean {
  return error instanceof RpcRefusal && BUSY_CODES.has(error.code);
}

interface Question {
  id: number;
  method: string;
  params: unknown;
}

interface Asked extends Question {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** JSON-RPC over HTTP. What sends is tried once: whoever sends must know that the outcome is unknown. */
export function createRpc({
  url,
  http,
  timeoutMs,
  retries = 2,
  retryPauseMs = 150,
  together = false,
}: RpcOptions): Rpc {
  let lastId = 0;
  /** Reads and sendings of this turn of the event loop. */
  const waiting: { reads: Asked[]; sendings: Asked[] } = { reads: [], sendings: [] };

  async function post(json: unknown, freshConnection: boolean): Promise<{ status: number; value: unknown }> {
    const response = await http.send({ method: "POST", url, json, timeoutMs, freshConnection });
    return { status: response.status, value: parse(response.body) };
  }

  const toJson = ({ id, method, params }: Question) => ({ jsonrpc: "2.0", id, method, params: params ?? [] });

  async function askAlone(question: Question): Promise<unknown> {
    const { method } = question;
    const { status, value } = await post(toJson(question), method === SENDING);
    return readAnswer(value, method, status);
  }

  async function askAll(asked: readonly Asked[], freshConnection: boolean): Promise<void> {
    try {
      const { status, value } = await post(asked.map(toJson), freshConnection);
      const answers = new Map(Batch.safeParse(value).data?.map((answer) => [answer.id, answer]));
      for (const { id, method, resolve, reject } of asked) {
        try {
          resolve(readAnswer(answers.get(id), method, status));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  function flush(lane: "reads" | "sendings"): void {
    const asked = waiting[lane];
    waiting[lane] = [];
    for (let index = 0; index < asked.length; index += MOST_TOGETHER) {
      const some = asked.slice(index, index + MOST_TOGETHER);
      const [first] = some;
      if (some.length === 1 && first !== undefined) askAlone(first).then(first.resolve, first.reject);
      else void askAll(some, lane === "sendings");
    }
  }

  function attempt(method: string, params: unknown): Promise<unknown> {
    lastId += 1;
    const question = { id: lastId, method, params };
    if (!together) return askAlone(question);
    const lane = method === SENDING ? "sendings" : "reads";
    return new Promise((resolve, reject) => {
      if (waiting[lane].push({ ...question, resolve, reject }) === 1) setImmediate(flush, lane);
    });
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

function readAnswer(value: unknown, method: string, status: number): unknown {
  const answer = Answer.safeParse(value);
  if (!answer.success) throw new RpcBroken(`${method}: status ${status} without a JSON-RPC answer`);
  if ("error" in answer.data) {
    const { code, message, data } = answer.data.error;
    throw new RpcRefusal(code, message, data);
  }
  return answer.data.result;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
