import { z } from "zod";
import { Failure, invalidInput, unauthorized } from "../../domain/errors.ts";
import type { Kernel, SignalSource } from "../../kernel/contracts/invocation.ts";
import type { Identity } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { METER_ID_HEADER } from "../http/audit-headers.ts";
import { isObject } from "../http/bodies/json-body.ts";
import { checkUser } from "../http/check-user.ts";
import { continuedTraceId } from "../http/trace.ts";
import { buildProblem, describeError, type ErrorPlace, type ProblemFields } from "../render-error.ts";
import type { Visit } from "./visit.ts";

/** Keys of `_meta` that belong to this service; the protocol uses other names. */
const USER_ID_KEY = "wayfare/userId";
const TRACE_ID_KEY = "wayfare/traceId";
const METER_ID_KEY = "wayfare/meterId";
const PRICE_KEY = "wayfare/priceMicroUsdc";
const REPLAYED_KEY = "wayfare/replayed";

/** The indentation of text for models: as small as possible with a line per member. */
const INDENT = 1;

export interface ToolAnswer {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta: Record<string, unknown>;
}

export interface ToolCall {
  name: string;
  args: Readonly<Record<string, unknown>>;
  meta: Readonly<Record<string, unknown>>;
  gone: SignalSource;
  progress?: ((step: string) => void) | undefined;
}

/** Failures of the call are results that a model can act on; only a refused key throws. */
export type CallTool = (visit: Visit, call: ToolCall) => Promise<ToolAnswer>;

export interface CallToolOptions {
  kernel: Kernel;
  identity: Pick<Identity, "isUser">;
  /** Turns a port's error into a Failure where possible. */
  translate(error: unknown): unknown;
  log: Log;
}

const MetaArgument = z.strictObject({ idempotencyKey: z.string() });

/** Many clients let a model write arguments only, so the protocol's `_meta` is accepted among them. */
function takeKey(given: ToolCall["args"]): { args: ToolCall["args"]; idempotencyKey?: string } {
  if (given._meta === undefined) return { args: given };
  const { _meta, ...args } = given;
  const meta = MetaArgument.safeParse(_meta).data;
  return meta === undefined ? { args: given } : { args, idempotencyKey: meta.idempotencyKey };
}

export function createCallTool({ kernel, identity, translate, log }: CallToolOptions): CallTool {
  return async (visit, call) => {
    const { exchange, caller } = visit;
    if (caller === undefined) throw unauthorized();
    const { meta } = call;
    const { args, idempotencyKey } = takeKey(call.args);
    if (typeof meta.traceparent === "string") {
      exchange.traceId = continuedTraceId(meta.traceparent) ?? exchange.traceId;
    }
    const { traceId } = exchange;
    try {
      const userId = text(meta, USER_ID_KEY);
      if (userId !== undefined) await checkUser(userId, caller.principal, identity, `_meta.${USER_ID_KEY}`);
      const answer = await kernel.invoke({
        toolName: call.name,
        args,
        principal: caller.principal,
        confirmPrincipal: caller.confirm,
        userId,
        surface: "mcp",
        traceId,
        idempotencyKey: text(meta, "idempotencyKey") ?? idempotencyKey ?? visit.request.header("idempotency-key"),
        gone: call.gone,
        progress: call.progress,
      });
      const { outcome, replayed } = answer;
      const { usageId, price } = answer.receipt;
      if (replayed) visit.headers["idempotent-replayed"] = "true";
      if (usageId !== undefined && outcome.ok) visit.headers[METER_ID_HEADER] = usageId;
      const about = { [TRACE_ID_KEY]: traceId, ...(replayed ? { [REPLAYED_KEY]: true } : {}) };
      if (!outcome.ok) return failed({ ...outcome, replayed }, exchange, about);
      const told = requireObject(outcome.result);
      const result = replayed ? { ...told, replayed } : told;
      return {
        content: [{ type: "text", text: JSON.stringify(result, null, INDENT) }],
        structuredContent: result,
        _meta: {
          ...about,
          ...(usageId === undefined ? {} : { [METER_ID_KEY]: usageId }),
          [PRICE_KEY]: price.toString(),
        },
      };
    } catch (thrown) {
      const error = translate(thrown);
      if (error instanceof Failure && error.code === "unauthorized") throw error;
      return failed(describeError(error, traceId, log), exchange, { [TRACE_ID_KEY]: traceId });
    }
  };
}

/** Without structured content: clients validate it against the result schema and would hide the error. */
function failed(fields: ProblemFields, place: ErrorPlace, about: Record<string, unknown>): ToolAnswer {
  const { retryAfterSeconds } = fields;
  const problem = { ...buildProblem(fields, place), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return { content: [{ type: "text", text: JSON.stringify(problem, null, INDENT) }], isError: true, _meta: about };
}

function text(meta: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = meta[name];
  if (value === undefined || (typeof value === "string" && value !== "" && value.length <= 255)) return value;
  throw invalidInput([{ path: `_meta.${name}`, message: "must be a string of 1 to 255 characters" }]);
}

/** Every tool's output is an object, as the protocol requires before 2026-07-28. */
function requireObject(result: unknown): Record<string, unknown> {
  if (isObject(result)) return result;
  throw new Error("A tool's result is not an object.");
}
