import { z } from "zod";
import { Failure, invalidInput, unauthorized } from "../../../domain/errors.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import { ConfirmationRequired } from "../../../kernel/contracts/gate.ts";
import type { Kernel } from "../../../kernel/contracts/invocation.ts";
import type { Identity } from "../../../ports/identity.ts";
import type { Log } from "../../../ports/log.ts";
import { checkUser } from "../../http/check-user.ts";
import { continuedTraceId } from "../../http/trace.ts";
import { describeError } from "../../render-error.ts";
import { readParams } from "../json-rpc.ts";
import { movesMoney } from "../tool-list.ts";
import type { Visit } from "../visit.ts";
import { type Confirmations, canAsk } from "./confirmations.ts";
import { isPaying } from "./pay-for-call.ts";
import {
  type CallAnswer,
  type CallTool,
  renderAnswer,
  renderFailure,
  renderQuestion,
  type ToolCall,
} from "./tool-answer.ts";

const USER_ID_KEY = "wayfare/userId";

export interface CallToolOptions {
  kernel: Kernel;
  catalog: Catalog;
  identity: Pick<Identity, "isUser">;
  confirmations: Confirmations;
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

/** `pay`: for endpoints that take payments for single calls. */
export function createCallTool(options: CallToolOptions, pay: CallTool | undefined): CallTool {
  const { catalog, translate, log } = options;
  return async (visit, call) => {
    const { exchange } = visit;
    const { meta } = call;
    if (typeof meta.traceparent === "string") {
      exchange.traceId = continuedTraceId(meta.traceparent) ?? exchange.traceId;
    }
    try {
      requireOffered(visit, call.name, catalog);
      if (pay !== undefined && (visit.isPayer || isPaying(meta)))
        return await pay(visit, { ...call, args: takeKey(call.args).args });
      return await callByKey(options, visit, call);
    } catch (thrown) {
      const error = translate(thrown);
      if (error instanceof Failure && error.code === "unauthorized") throw error;
      return renderFailure(describeError(error, exchange.traceId, log), exchange);
    }
  };
}

/** Directories that bar tools which move money list an address that has none of them. */
function requireOffered({ list }: Visit, name: string, catalog: Catalog): void {
  const entry = list.withoutMoney ? catalog.find(name) : undefined;
  if (entry === undefined || !movesMoney(entry)) return;
  throw new Failure("tool_not_found", {
    detail: `${name} moves money, and this URL has money=0, which excludes such tools. Use the URL without it.`,
  });
}

async function callByKey(options: CallToolOptions, visit: Visit, call: ToolCall): Promise<CallAnswer> {
  const { kernel, identity, catalog, confirmations } = options;
  const { caller, exchange } = visit;
  if (caller === undefined) throw unauthorized();
  const { meta } = call;
  const { principal } = caller;
  const { args, idempotencyKey: ofArguments } = takeKey(call.args);
  const userId = text(meta, USER_ID_KEY);
  if (userId !== undefined) await checkUser(userId, principal, identity, `_meta.${USER_ID_KEY}`);
  const idempotencyKey = text(meta, "idempotencyKey") ?? ofArguments ?? visit.request.header("idempotency-key");
  const tool = catalog.find(call.name)?.tool.name ?? call.name;
  const asked = { tool, args, principal, userId, idempotencyKey };
  const read = canAsk(meta) ? confirmations.read(readParams(visit.message), asked) : undefined;
  try {
    const answer = await kernel.invoke({
      toolName: call.name,
      args,
      principal,
      confirmPrincipal: caller.confirm,
      userId,
      surface: "mcp",
      traceId: exchange.traceId,
      idempotencyKey: idempotencyKey ?? read?.idempotencyKey,
      confirming: read?.confirming,
      gone: call.gone,
      progress: call.progress,
    });
    return renderAnswer(answer, visit);
  } catch (error) {
    if (!(error instanceof ConfirmationRequired)) throw error;
    return renderQuestion(error.question, confirmations.seal(error, asked), exchange);
  }
}

function text(meta: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = meta[name];
  if (value === undefined || (typeof value === "string" && value !== "" && value.length <= 255)) return value;
  throw invalidInput([{ path: `_meta.${name}`, message: "must be a string of 1 to 255 characters" }]);
}
