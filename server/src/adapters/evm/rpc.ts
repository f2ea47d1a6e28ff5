import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { batch } from "../../platform/batching/batch.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";

/** The node answered with an error. */
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

/** An answer that is not JSON-RPC, such as a proxy's error page or a status without a body. */
class RpcBroken extends Error {
  override name = "RpcBroken";
}

export interface Rpc {
  request(request: { method: string; params?: unknown }): Promise<unknown>;
}

export interface RpcOptions {
  url: string;
  http: HttpClient;
  /** The time limit of one attempt. */
  timeoutMilliseconds: number;
  /** Retries after the first attempt; for reads only. */
  retries?: number;
  retryPauseMilliseconds?: number;
  /** Whether concurrent requests are batched. Only for a node known to accept batches. */
  isBatched?: boolean;
}

const Answer = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ result: z.unknown() }),
]);

const Batch = z.array(z.looseObject({ id: z.number() }));
const MOST_AT_ONCE = 50;

/** Errors that guarantee that nothing was done and allow a retry: too many requests. */
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

/** JSON-RPC over HTTP. Sending requests are tried once: the sender must know that the outcome is unknown. */
export function createRpc(options: RpcOptions): Rpc {
  const { retries = 2, retryPauseMilliseconds = 150, isBatched = false } = options;
  const node = new NodeClient(options);
  const batched = { maximum: MOST_AT_ONCE, inParallel: true };
  const read = batch<Question, unknown>((questions) => node.askSome(questions), batched);
  const send = batch<Question, unknown>((questions) => node.askSome(questions), batched);
  let lastId = 0;

  function attempt(method: string, params: unknown): Promise<unknown> {
    lastId += 1;
    const question = { id: lastId, method, params };
    if (!isBatched) return node.ask(question);
    return method === SENDING ? send(question) : read(question);
  }

  return {
    async request({ method, params }) {
      for (let left = method === SENDING ? 0 : retries; ; left -= 1) {
        try {
          return await attempt(method, params);
        } catch (error) {
          const isFinal = error instanceof RpcRefusal && !isBusy(error);
          if (isFinal || left === 0) throw error;
          await delay(retryPauseMilliseconds * (retries - left + 1));
        }
      }
    },
  };
}

class NodeClient {
  readonly #options: RpcOptions;

  constructor(options: RpcOptions) {
    this.#options = options;
  }

  async ask(question: Question): Promise<unknown> {
    const { method } = question;
    const { status, value } = await this.#post(toJson(question), method === SENDING);
    return readAnswer(value, method, status);
  }

  /** Uses one request; all of them send, or none does. */
  async askSome(questions: readonly Question[]): Promise<readonly PromiseSettledResult<unknown>[]> {
    const [first, ...others] = questions;
    if (first === undefined) return [];
    if (others.length === 0) return await Promise.allSettled([this.ask(first)]);
    const { status, value } = await this.#post(questions.map(toJson), first.method === SENDING);
    const answers = new Map(Batch.safeParse(value).data?.map((answer) => [answer.id, answer]));
    return await Promise.allSettled(
      questions.map(async ({ id, method }) => readAnswer(answers.get(id), method, status)),
    );
  }

  async #post(json: unknown, freshConnection: boolean): Promise<{ status: number; value: unknown }> {
    const { http, url, timeoutMilliseconds } = this.#options;
    const response = await http.send({ method: "POST", url, json, timeoutMilliseconds, freshConnection });
    return { status: response.status, value: parse(response.body) };
  }
}

const toJson = ({ id, method, params }: Question) => ({ jsonrpc: "2.0", id, method, params: params ?? [] });

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
