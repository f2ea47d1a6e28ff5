import type { ClientCode, Problem, Refusal } from "./answers.ts";

/** A response that arrived whole. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type Refused = Refusal<string>;

/** Answers of proxies in front of the service. */
const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

const advice: Readonly<Record<ClientCode, string>> = {
  connection_failed: "The service could not be reached, or the connection broke. Check the address, then try again.",
  timed_out: "The service did not answer in time. Send the call again with the same idempotency key.",
  unexpected_answer: "This is not a complete answer of the service. Check the address, and proxies on the way.",
  signature_invalid:
    "The answer is not signed with this tenant's secret. Do not use it; check the signing secret and the address.",
};

/** A refusal that this client makes. */
export function refuse(
  code: ClientCode,
  { status = 0, traceId = "", detail }: { status?: number; traceId?: string; detail?: string } = {},
): Refused {
  const problem: Problem<string> = {
    code,
    detail: detail === undefined ? advice[code] : `${advice[code]} (${detail})`,
    title: code.replaceAll("_", " "),
    type: "about:blank",
    status,
    retryable: code === "connection_failed" || code === "timed_out" || GATEWAY_FAILURES.has(status),
    traceId,
  };
  return { ok: false, problem, traceId, body: {}, attempts: 1 };
}

/** The refusal that an answer of the service contains. */
export function readRefusal({ status, headers, bytes }: Received): Refused {
  const body = readObject(readJson(bytes));
  const traceId = headers.get("x-service-trace-id") ?? "";
  if (body === undefined || typeof body.code !== "string" || body.ok !== false) {
    return refuse("unexpected_answer", { status, traceId, detail: `HTTP status ${status}` });
  }
  const { code, detail, title, type, retryable, ...others } = body;
  const problem: Problem<string> = {
    ...others,
    code,
    detail: String(detail ?? ""),
    title: String(title ?? code),
    type: String(type ?? "about:blank"),
    status,
    retryable: retryable === true,
    traceId: String(body.traceId ?? traceId),
  };
  return { ok: false, problem, traceId: problem.traceId, body, attempts: 1 };
}

/** Undefined: this is no JSON. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Undefined: this is no object. */
export function readObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
}

export function describeCause(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
