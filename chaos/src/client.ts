import { createHmac } from "node:crypto";
import { z } from "zod";
import type { Answer, CallRequest } from "./call.ts";
import type { History } from "./history.ts";

/** A caller of the service who has to live with outages. */
export interface Client {
  call(request: CallRequest, signal: AbortSignal): Promise<Answer>;
  /** PUT of a JSON body on a resource route, with the operator's key; rejects unless it succeeds. */
  put(path: string, body: unknown): Promise<void>;
}

interface ClientOptions {
  appUrl: string;
  tenantId: string;
  apiKey: string;
  /** The key of a person who may change the rules that bind the other key. */
  operatorKey: string;
  signingSecret: string;
  history: History;
}

/** A caller gives up on a call after this time and repeats it. */
const PATIENCE_MILLISECONDS = 8_000;

const Success = z.object({
  ok: z.literal(true),
  result: z.unknown(),
  priceMicroUsdc: z.string().regex(/^\d+$/),
});
const Problem = z.object({ code: z.string(), retryable: z.boolean(), approvalId: z.string().optional() });

export function createClient(options: ClientOptions): Client {
  const { appUrl, tenantId, apiKey, operatorKey, signingSecret, history } = options;
  const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };

  async function send({ tool, args, userId, key }: CallRequest, signal: AbortSignal): Promise<Answer> {
    const response = await fetch(`${appUrl}/api/agent/dispatch`, {
      method: "POST",
      headers: key === undefined ? headers : { ...headers, "idempotency-key": key },
      body: JSON.stringify({ tenantId, tool, args, ...(userId === undefined ? {} : { userId }) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    });
    const text = await response.text();
    const body = parseJson(text);
    if (response.status !== 200) {
      const problem = Problem.safeParse(body);
      return problem.success
        ? { kind: "refused", ...problem.data }
        : { kind: "refused", code: `http_${response.status}`, retryable: true };
    }
    const success = Success.safeParse(body);
    return {
      kind: "ok",
      result: success.data?.result,
      meterId: response.headers.get("x-service-meter-id") ?? undefined,
      priceMicroUsdc: success.success ? BigInt(success.data.priceMicroUsdc) : undefined,
      replayed: response.headers.get("idempotent-replayed") === "true",
      signed: isSigned(response.headers, text, signingSecret),
    };
  }

  return {
    async call(request, signal) {
      const answer = await send(request, signal).catch(
        (error: unknown): Answer => ({
          kind: "lost",
          code: signal.aborted ? "(round ended)" : describeLoss(error),
        }),
      );
      history.record(request, answer);
      return answer;
    },
    async put(path, body) {
      const response = await fetch(`${appUrl}${path}`, {
        method: "PUT",
        headers: { ...headers, authorization: `Bearer ${operatorKey}` },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`PUT ${path} was answered ${response.status}: ${await response.text()}`);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSigned(headers: Headers, body: string, secret: string): boolean {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get("x-service-sig") ?? "");
  const signed = `${match?.[1]}.${headers.get("x-service-trace-id")}.${body}`;
  return createHmac("sha256", secret).update(signed).digest("hex") === match?.[2];
}

/** How a call ended that had no answer. */
export function describeLoss(error: unknown): string {
  if (!(error instanceof Error)) return "(lost)";
  if (error.name === "TimeoutError") return "(no answer in time)";
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? `(${String(cause.code)})` : "(connection lost)";
}
