import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { isObject } from "../http/bodies/json-body.ts";
import type { HttpAnswer } from "../http/http.ts";

/** Codes of JSON-RPC and of the protocol that this surface sends itself; the library has the others. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
export const HEADER_MISMATCH = -32_020;
export const UNSUPPORTED_VERSION = -32_022;
/** Errors without a code in the specification: methods, hosts, sizes, types. */
export const REFUSED = -32_000;

export type RpcId = string | number;

export const JSON_TYPE = "application/json";

export function rpcError(
  status: number,
  error: { code: number; message: string; data?: unknown },
  id: RpcId | null = null,
): HttpAnswer {
  return { status, headers: { "content-type": JSON_TYPE }, body: JSON.stringify({ jsonrpc: "2.0", error, id }) };
}

export function rpcResult(id: RpcId, resultText: string): HttpAnswer {
  const [before, after] = aroundResult(id);
  return { status: 200, headers: { "content-type": JSON_TYPE }, body: `${before}${resultText}${after}` };
}

/** The text of an answer before and after its result. */
export const aroundResult = (id: RpcId): readonly [before: string, after: string] => [
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`,
  "}",
];

/** The id for answering a message that is refused as a whole. */
export function readId(message: unknown): RpcId | null {
  if (!isObject(message) || typeof message.method !== "string") return null;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

export function readParams(message: unknown): Record<string, unknown> {
  return isObject(message) && isObject(message.params) ? message.params : {};
}

export function isMethod(message: unknown, method: string): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === method;
}

export function isInitialize(message: unknown): boolean {
  return isObject(message) && message.method === "initialize";
}

/** Whether it has the envelope of the stateless revision. */
export function isModernMessage(message: unknown): boolean {
  return PROTOCOL_VERSION_META_KEY in readMeta(message);
}

export function readMeta(message: unknown): Record<string, unknown> {
  const { _meta } = readParams(message);
  return isObject(_meta) ? _meta : {};
}
