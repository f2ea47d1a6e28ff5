import type { Archive } from "./archive.ts";
import { errorText } from "./error-text.ts";
import {
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isRecord,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RpcAnswer,
} from "./json-rpc.ts";
import { READ_METHODS } from "./methods.ts";
import { readWithArchive } from "./old-reads.ts";
import type { RunningNode } from "./running-node.ts";
import type { Sequencer } from "./sequencer.ts";

interface GatewayOptions {
  sequencer: Sequencer;
  node: Pick<RunningNode, "read">;
  archive: Archive;
  /** The time of the next block. */
  nowSeconds(): number;
}

/** Undefined: nothing is answered, because the request asked for nothing. */
export type Gateway = (body: string) => Promise<Buffer | undefined>;

type Id = string | number | null;

const BATCH_LIMIT = 1_000;

const encode = (id: Id, answer: RpcAnswer): Buffer => Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));

/** Undefined: there is none, and nobody waits for an answer. "bad": it is none of what an id may be. */
const readId = (request: Record<string, unknown>): { id: Id | undefined } | "bad" => {
  const { id } = request;
  if (!("id" in request)) return { id: undefined };
  if (id === null || typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id))) return { id };
  return "bad";
};

const parse = (body: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
};

/** Takes JSON-RPC requests and batches: reads go to the node, transactions to the sequencer, everything else is unknown. */
export const createGateway = ({ sequencer, node, archive, nowSeconds }: GatewayOptions): Gateway => {
  const read = async (id: Id, method: string, params: readonly unknown[]): Promise<Buffer> => {
    try {
      // Written anew from what was read, so that the node cannot understand it differently.
      const askNode = (method: string, params: readonly unknown[]) =>
        node.read(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      return await readWithArchive(archive, askNode, (result) => encode(id, { result }), [method, params]);
    } catch (error) {
      return encode(id, failure(INTERNAL_ERROR, `The chain's node does not answer (${errorText(error)}): try again.`));
    }
  };

  const answer = async (id: Id, method: string, params: readonly unknown[]): Promise<Buffer> => {
    const adapt = READ_METHODS.get(method);
    if (adapt !== undefined) return read(id, method, adapt(params, nowSeconds()));
    if (method !== "eth_sendRawTransaction" && method !== "eth_sendRawTransactionSync") {
      return encode(
        id,
        failure(METHOD_NOT_FOUND, `The method ${method.slice(0, 100)} does not exist or is not available.`),
      );
    }
    const sent = await sequencer.send(params[0]);
    if (method === "eth_sendRawTransaction" || "error" in sent) return encode(id, sent);
    return read(id, "eth_getTransactionReceipt", [sent.result]);
  };

  const answerOne = async (request: unknown): Promise<Buffer | undefined> => {
    const found = isRecord(request) ? readId(request) : "bad";
    const id = found === "bad" ? null : found.id;
    if (!isRecord(request) || found === "bad" || request.jsonrpc !== "2.0" || typeof request.method !== "string") {
      return encode(id ?? null, failure(INVALID_REQUEST, "This is not a JSON-RPC 2.0 request."));
    }
    const { method, params = [] } = request;
    const answered = Array.isArray(params)
      ? await answer(id ?? null, method, params)
      : encode(id ?? null, failure(INVALID_PARAMS, "Parameters must be a list."));
    return id === undefined ? undefined : answered;
  };

  return async (body) => {
    const parsed = parse(body);
    if (parsed === undefined) return encode(null, failure(PARSE_ERROR, "This is not JSON."));
    if (!Array.isArray(parsed.value)) return answerOne(parsed.value);
    if (parsed.value.length === 0 || parsed.value.length > BATCH_LIMIT) {
      return encode(null, failure(INVALID_REQUEST, `A batch must have 1 to ${BATCH_LIMIT} requests.`));
    }
    const answers = (await Promise.all(parsed.value.map(answerOne))).filter((one) => one !== undefined);
    if (answers.length === 0) return undefined;
    const pieces = answers.flatMap((one, index) => [Buffer.from(index === 0 ? "[" : ","), one]);
    return Buffer.concat([...pieces, Buffer.from("]")]);
  };
};
