import { Failure, type Issue, invalidInput } from "../../domain/errors.ts";
import { nearest } from "../../domain/near-match.ts";
import { MAXIMUM_ISSUES } from "../../kernel/call/validate.ts";
import type { Answer, Kernel } from "../../kernel/contracts/invocation.ts";
import type { Identity, Principal } from "../../ports/identity.ts";
import { METER_ID_HEADER } from "../http/audit-headers.ts";
import { isObject, readMeasuredJson, requireObject } from "../http/bodies/json-body.ts";
import type { LargeBodies } from "../http/bodies/large-bodies.ts";
import { checkUser } from "../http/check-user.ts";
import type { HttpAnswer, HttpHandler } from "../http/http.ts";
import type { SignedAnswers, SignedExchange } from "../http/signed-exchange.ts";
import { type ErrorPlace, renderFailedCall, renderProblem } from "../render-error.ts";

export const DISPATCH_PATH = "/api/agent/dispatch";

const MEMBERS = ["tenantId", "tool", "args", "userId"] as const;

interface DispatchOptions {
  answerSigned: SignedAnswers;
  exchange: SignedExchange;
  kernel: Kernel;
  identity: Pick<Identity, "isUser">;
  largeBodies: LargeBodies;
}

/** `POST /api/agent/dispatch`: takes a tool's name and its arguments, returns the signed envelope. */
export function createDispatch(options: DispatchOptions): HttpHandler {
  const { answerSigned, exchange, kernel, identity, largeBodies } = options;
  return (request) => {
    if (request.method !== "POST") return answerSigned(request, async (place) => methodNotAllowed(place));
    return exchange(request, async ({ principal, confirm, traceId, appUrl }) => {
      const { value, bytes } = await readMeasuredJson(request, largeBodies.mostFor(principal.scopes));
      const envelope = readEnvelope(requireObject(value), (tool) => largeBodies.requireFits(bytes, tool));
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
  const detail = "Call tools with POST and a JSON body that has tool and args.";
  const answer = renderProblem({ code: "method_not_allowed", detail }, place);
  answer.headers.allow = "POST";
  return answer;
}

interface Envelope {
  /** Undefined: the key's own tenant. A key has only one, so naming another is reported as a mistake. */
  tenantId: string | undefined;
  tool: string;
  args: Record<string, unknown>;
  userId: string | undefined;
}

function readEnvelope(body: Record<string, unknown>, requireFits: (toolName: string | undefined) => void): Envelope {
  requireFits(typeof body.tool === "string" ? body.tool : undefined);
  const issues: Issue[] = [];
  for (const name of Object.keys(body)) {
    if (MEMBERS.some((member) => member === name)) continue;
    if (issues.length === MAXIMUM_ISSUES) break;
    const near = nearest(name, MEMBERS);
    issues.push({ path: name, message: `unknown property${near === undefined ? "" : `; did you mean "${near}"?`}` });
  }
  const { tenantId, tool, args, userId } = body;
  if (tenantId !== undefined && typeof tenantId !== "string") {
    issues.push({ path: "tenantId", message: "must be the calling tenant's id, a string, or left out" });
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
  envelope: Envelope,
  principal: Principal,
  identity: Pick<Identity, "isUser">,
): Promise<void> {
  if (envelope.tenantId !== undefined && envelope.tenantId !== principal.tenantId) {
    throw new Failure("tenant_not_found", {
      detail: "There is no such tenant for this key. Leave tenantId out, or send the key's own.",
    });
  }
  await checkUser(envelope.userId, principal, identity, "userId");
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
