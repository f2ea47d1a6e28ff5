import { currentSubject, currentTraceId } from "../../domain/trace.ts";
import type { ThirdParty } from "../../ports/channel-records.ts";
import type { OutsideCallLog, OutsideCallState } from "../../ports/outside-calls.ts";
import type { HttpClient, HttpRequest } from "./http-client.ts";
import { HttpFailure } from "./http-failure.ts";

interface EndedCall {
  operation: string;
  state: OutsideCallState;
  status?: number | undefined;
  problem?: string | undefined;
  requestId?: string | undefined;
}

/** Records the end of a call; whose it is and when it began is known. */
export type RecordEnd = (ended: EndedCall) => void;

const LONGEST_OPERATION = 160;
const MOST_METHODS = 3;
/** Words of a path. Ids, keys, coordinates and addresses have digits or other signs. */
const PATH_WORD = /^(?:v\d{1,2}|[a-z][a-z_.:-]{0,39})$/i;
const REQUEST_ID = /^[\w.:-]{1,80}$/;

/**
 * Begins the record of a call to a third party. Undefined: it is done for no tenant, such as a look of a job, which metrics
 * tell of.
 */
export function beginRecord(log: OutsideCallLog, party: ThirdParty): RecordEnd | undefined {
  const subject = currentSubject();
  if (subject === undefined) return undefined;
  const traceId = currentTraceId();
  const started = performance.now();
  return ({ operation, state, status, problem, requestId }) =>
    log.record({
      ...subject,
      party,
      operation: operation.slice(0, LONGEST_OPERATION),
      state,
      status,
      problem,
      requestId: requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : undefined,
      latencyMs: Math.round(performance.now() - started),
      traceId,
      at: Temporal.Now.instant(),
    });
}

/** The client for one third party: what it sends for tenants is recorded, without addresses, arguments and answers. */
export function recordedClient(http: HttpClient, party: ThirdParty, log: OutsideCallLog): HttpClient {
  return {
    close: () => http.close(),
    async send(request) {
      const end = beginRecord(log, party);
      if (end === undefined) return await http.send(request);
      const operation = party === "chain" ? describeRpc(request) : describeRequest(request.method, request.url);
      try {
        const response = await http.send(request);
        const { status } = response;
        end({ operation, state: stateOfStatus(status), status, requestId: response.header("x-request-id") });
        return response;
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        const { problem, delivery } = error;
        end({ operation, state: delivery === "unanswered" ? "unanswered" : "failed", problem });
        throw error;
      }
    },
  };
}

export function stateOfStatus(status: number): OutsideCallState {
  if (status < 400) return "answered";
  return status < 500 ? "refused" : "failed";
}

/** The path's words; everything else of it is a star. The query is left out. */
export function describeRequest(method: string, url: string | URL): string {
  const { pathname } = new URL(url);
  const steps = pathname.split("/").map((step) => (step === "" || PATH_WORD.test(step) ? step : "*"));
  return `${method} ${steps.join("/")}`;
}

/** A node's path often is the operator's key: only the names of the methods are kept. */
function describeRpc({ method, url, json }: HttpRequest): string {
  const questions = Array.isArray(json) ? json : [json];
  const methods = new Set(questions.flatMap((question) => readMethod(question) ?? []));
  if (methods.size === 0) return describeRequest(method, url);
  const named = [...methods].slice(0, MOST_METHODS).join(", ");
  return methods.size > MOST_METHODS ? `${named}, …` : named;
}

function readMethod(question: unknown): string | undefined {
  if (typeof question !== "object" || question === null || !("method" in question)) return undefined;
  return typeof question.method === "string" ? question.method : undefined;
}
