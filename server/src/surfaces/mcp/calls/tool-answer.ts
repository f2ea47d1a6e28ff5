import type { InputRequest } from "@modelcontextprotocol/server";
import type { Answer, SignalSource } from "../../../kernel/contracts/invocation.ts";
import { METER_ID_HEADER } from "../../http/audit-headers.ts";
import { isObject } from "../../http/bodies/json-body.ts";
import { buildProblem, type ErrorPlace, type ProblemFields } from "../../render-error.ts";
import type { Visit } from "../visit.ts";

/** Keys of `_meta` that belong to this service; the protocol uses other names. */
const TRACE_ID_KEY = "wayfare/traceId";
const METER_ID_KEY = "wayfare/meterId";
const PRICE_KEY = "wayfare/priceMicroUsdc";
const REPLAYED_KEY = "wayfare/replayed";

/** The name of the only question. */
export const CONFIRM = "confirm";

/** The indentation of text for models: as small as possible with a line per member. */
const INDENT = 1;

export interface ToolAnswer {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta: Record<string, unknown>;
}

/** Asks the person at the client, who answers with the same call (MCP 2026-07-28, "Multi Round-Trip Requests"). */
export interface Question {
  [member: string]: unknown;
  resultType: "input_required";
  inputRequests: Record<string, InputRequest>;
  requestState: string;
  _meta: Record<string, unknown>;
}

export type CallAnswer = ToolAnswer | Question;

export function isQuestion(answer: CallAnswer): answer is Question {
  return answer.resultType === "input_required";
}

export interface ToolCall {
  name: string;
  args: Readonly<Record<string, unknown>>;
  meta: Readonly<Record<string, unknown>>;
  gone: SignalSource;
  progress?: ((step: string) => void) | undefined;
}

/** Failures of the call are results that a model can act on; only a refused key throws. */
export type CallTool = (visit: Visit, call: ToolCall) => Promise<CallAnswer>;

/** The result of a call that the kernel has answered. */
export function renderAnswer({ outcome, receipt, replayed }: Answer, visit: Visit): ToolAnswer {
  const { exchange } = visit;
  const { usageId, price } = receipt;
  if (replayed) visit.headers["idempotent-replayed"] = "true";
  if (usageId !== undefined && outcome.ok) visit.headers[METER_ID_HEADER] = usageId;
  const about = replayed ? { [REPLAYED_KEY]: true } : {};
  if (!outcome.ok) return renderFailure({ ...outcome, replayed }, exchange, about);
  const told = requireObject(outcome.result);
  const result = replayed ? { ...told, replayed } : told;
  return {
    content: [{ type: "text", text: JSON.stringify(result, null, INDENT) }],
    structuredContent: result,
    _meta: {
      [TRACE_ID_KEY]: exchange.traceId,
      ...about,
      ...(usageId === undefined ? {} : { [METER_ID_KEY]: usageId }),
      [PRICE_KEY]: price.toString(),
    },
  };
}

export function renderQuestion(message: string, requestState: string, { traceId }: ErrorPlace): Question {
  const confirm: InputRequest = {
    method: "elicitation/create",
    // Nothing to fill in: the client offers to accept or to decline.
    params: { mode: "form", message, requestedSchema: { type: "object", properties: {} } },
  };
  return {
    resultType: "input_required",
    inputRequests: { [CONFIRM]: confirm },
    requestState,
    _meta: { [TRACE_ID_KEY]: traceId },
  };
}

/** Without structured content: clients validate it against the result schema and would hide the error. */
export function renderFailure(
  fields: ProblemFields,
  place: ErrorPlace,
  about: Readonly<Record<string, unknown>> = {},
): ToolAnswer {
  const { retryAfterSeconds } = fields;
  const problem = { ...buildProblem(fields, place), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return {
    content: [{ type: "text", text: JSON.stringify(problem, null, INDENT) }],
    isError: true,
    _meta: { [TRACE_ID_KEY]: place.traceId, ...about },
  };
}

/** Every tool's output is an object, as the protocol requires before 2026-07-28. */
function requireObject(result: unknown): Record<string, unknown> {
  if (isObject(result)) return result;
  throw new Error("A tool's result is not an object.");
}
