/** The words of JSON-RPC 2.0 that both sides of the proxy use. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

export type RpcAnswer = { result: unknown } | { error: RpcError };

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** The code with which Ethereum nodes refuse a transaction. */
export const REJECTED = -32_000;

/** Too much is asked at the moment; nothing was done. */
export const LIMIT_EXCEEDED = -32_005;
/** The reason in the data of such an error: as many chains run as may. */
export const NO_ROOM = "no_room";

export const failure = (code: number, message: string, data?: unknown): RpcAnswer => ({
  error: { code, message, ...(data !== undefined && { data }) },
});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads what a node answered to one call. */
export const readAnswer = (value: unknown): RpcAnswer => {
  if (!isRecord(value)) return failure(INTERNAL_ERROR, "The node did not return a JSON-RPC answer.");
  const { error } = value;
  if (error === undefined || error === null) return { result: value.result };
  if (!isRecord(error) || typeof error.code !== "number" || typeof error.message !== "string") {
    return failure(INTERNAL_ERROR, "The node did not return a JSON-RPC answer.");
  }
  return failure(error.code, error.message, error.data);
};
