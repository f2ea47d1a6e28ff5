import { Failure, invalidInput } from "../../domain/errors.ts";
import type { Answer, Kernel } from "../../kernel/contracts/invocation.ts";
import type { Identity, Principal } from "../../ports/identity.ts";
import { METER_ID_HEADER } from "../http/audit-headers.ts";
import { isObject, readMeasuredJson, requireObject } from "../http/bodies/json-body.ts";
import type { LargeBodies } from "../http/bodies/large-bodies.ts";
import { checkUser } from "../http/check-user.ts";
import type { HttpAnswer, HttpHandler } from "../http/http.ts";
import type { SignedAnswers, SignedExchange } from "../http/signed-exchange.ts";
import { type ErrorPlace, renderFailedCall, renderProblem } from "../render-error.ts";
import { isTurn, listForeignMembers } from "./read-turn.ts";
import { answerTurn, type BeginTurn } from "./turns.ts";

export const DISPATCH_PATH = "/api/agent/dispatch";

interface DispatchOptions {
  answerSigned: SignedAnswers;
  exchange: SignedExchange;
  kernel: Kernel;
  identity: Pick<Identity, "isUser">;
  largeBodies: LargeBodies;
  beginTurn: BeginTurn;
}

/**
 * `POST /api/agent/dispatch`: takes a tool's name and its arguments, and returns the signed envelope. Without a tool it takes
 * what a user said, and returns the events of the turn.
 */
export function createDispatch(options: DispatchOptions): HttpHandler {
  const { answerSigned, exchange, kernel, identity, largeBodies, beginTurn } = options;
  const turns = {
    beginTurn,
    checkCaller: (asked: CallerNames, principal: Principal) => checkTenant(asked, principal, identity),
  };
  return (request) => {
    if (request.method !== "POST") return answerSigned(request, async (place) => methodNotAllowed(place));
    return exchange(request, async (session) => {
      const { principal, confirm, traceId, appUrl } = session;
      const { value, bytes } = await readMeasuredJson(request, largeBodies.mostFor(principal.scopes));
      const body = requireObject(value);
      if (body.tool === undefined && isTurn(body)) {
        largeBodies.requireFits(bytes, undefined);
        return await answerTurn(request, body, session, turns);
      }
      const envelope = readEnvelope(body, (tool) => largeBodies.requireFits(bytes, tool));
      await checkTenant(envelope, principal, identity);
      const answer = await kernel.invoke({
        toolName: envelope.tool,
        args: envelope.args,
        principal,
        confirmPrincipal: confirm,
        userId: envelope.userId,
        surface: "dispatch",
        traceId,
        idempotencyKey: request.header("idempotency-key"),
        gone: request,
      });
      return render(answer, { traceId, appUrl });
    });
  };
}

/** Answered with or without a key. */
function methodNotAllowed(place: ErrorPlace): HttpAnswer {
  const detail =
    "Call tools with POST and a JSON body that has tool and args. Send what a user says with channel and input, or channel and text.";
  const answer = renderProblem({ code: "method_not_allowed", detail }, place);
  answer.headers.allow = "POST";
  return answer;
}

interface CallerNames {
  /** Undefined: the key's own tenant. A key has only one, so naming another is reported as a mistake. */
  tenantId: string | undefined;
  userId: string | undefined;
}

interface Envelope extends CallerNames {
  tool: string;
  args: Record<string, unknown>;
}

function readEnvelope(body: Record<string, unknown>, requireFits: (toolName: string | undefined) => void): Envelope {
  requireFits(typeof body.tool === "string" ? body.tool : undefined);
  const issues = listForeignMembers(body, "tool");
  const { tenantId, tool, args, userId } = body;
  if (tenantId !== undefined && typeof tenantId !== "string") {
    issues.push({ path: "tenantId", message: "must be the calling tenant's id, a string, or be omitted" });
  }
  if (typeof tool !== "string") issues.push({ path: "tool", message: "must be a tool's name, a string" });
  if (!isObject(args)) issues.push({ path: "args", message: "must be the tool's arguments, an object" });
  if (userId !== undefined && (typeof userId !== "string" || userId === "" || userId.length > 128)) {
    issues.push({ path: "userId", message: "must be a user of the tenant, 1 to 128 characters" });
  }
  if (issues.length > 0 || typeof tool !== "string" || !isObject(args)) {
    throw invalidInput(issues);
  }
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { tenantId: text(tenantId), tool, args, userId: text(userId) };
}

async function checkTenant(
  { tenantId, userId }: CallerNames,
  principal: Principal,
  identity: Pick<Identity, "isUser">,
): Promise<void> {
  if (tenantId !== undefined && tenantId !== principal.tenantId) {
    throw new Failure("tenant_not_found", {
      detail: "There is no such tenant for this key. Omit tenantId, or send the key's own.",
    });
  }
  await checkUser(userId, principal, identity, "userId");
}

function render(answer: Answer, place: ErrorPlace): HttpAnswer {
  const { outcome } = answer;
  const rendered = outcome.ok
    ? renderResult(answer, outcome.result)
    : renderFailedCall({ ...outcome, replayed: answer.replayed }, place);
  if (answer.replayed) rendered.headers["idempotent-replayed"] = "true";
  return rendered;
}

function renderResult(answer: Answer, result: unknown): HttpAnswer {
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  const { usageId, price } = answer.receipt;
  if (usageId !== undefined) headers[METER_ID_HEADER] = usageId;
  const body = JSON.stringify({
    ok: true,
    result,
    ...(answer.replayed ? { replayed: true } : {}),
    latencyMs: answer.latencyMs,
    priceMicroUsdc: price.toString(),
  });
  return { status: 200, headers, body };
}
