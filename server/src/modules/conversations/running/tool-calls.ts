import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { Failure, isRetryable, mayHaveHappened } from "../../../domain/errors.ts";
import type { Catalog, CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import { NOTHING_PAID, type Outcome, type Receipt } from "../../../kernel/contracts/charge.ts";
import type { Invocation, Kernel } from "../../../kernel/contracts/invocation.ts";
import type { Principal } from "../../../ports/identity.ts";
import { redactText } from "../guards/redact.ts";
import type { LeasedTurn } from "../turns.ts";

const FIRST_RETRY_MILLISECONDS = 250;
const LONGEST_RETRY_MILLISECONDS = 2_000;
/** A longer result does not fit a model's input either. */
const MOST_RESULT_CHARACTERS = 200_000;

export interface CallerOptions {
  kernel: Kernel;
  catalog: Catalog;
  turn: LeasedTurn;
  principal: Principal;
  confirmPrincipal(): Promise<Principal | undefined>;
  signal: AbortSignal;
  /** When what is unknown by then stays unknown: a `performance.now()` value. */
  until: number;
}

interface MadeCall {
  tool: string;
  args: unknown;
  /** The same for every attempt at the call, in any process. */
  idempotencyKey: string;
  /** True: no attempt was made before. */
  isNew: boolean;
}

/** How a call ended, without secrets. */
export interface EndedCall {
  readonly outcome: "ok" | "failed" | "awaits_approval";
  readonly result: unknown;
  readonly receipt: Receipt;
  readonly problem: { readonly code: string; readonly detail: string } | undefined;
  readonly approvalId: string | undefined;
}

const AskedApproval = z.looseObject({ approvalId: z.string() });

/** Calls the tool as the conversation's key. A call whose outcome is unknown is asked again until it is known. */
export async function callTool(options: CallerOptions, made: MadeCall): Promise<EndedCall> {
  const entry = options.catalog.find(made.tool);
  for (let attempt = 1; ; attempt += 1) {
    const { outcome, receipt } = await attemptCall(options, made, attempt);
    const isOpen = !outcome.ok && mayHaveHappened(outcome.code);
    if (!isOpen || performance.now() > options.until || options.signal.aborted) return endCall(entry, outcome, receipt);
    const backedOff = FIRST_RETRY_MILLISECONDS * 2 ** (attempt - 1);
    await delay(Math.min(backedOff, LONGEST_RETRY_MILLISECONDS), undefined, { signal: options.signal }).catch(
      () => undefined,
    );
  }
}

async function attemptCall(
  options: CallerOptions,
  { tool, args, idempotencyKey, isNew }: MadeCall,
  attempt: number,
): Promise<{ outcome: Outcome; receipt: Receipt }> {
  try {
    const isKeyNew = isNew && attempt === 1;
    return await options.kernel.invoke({ ...buildInvocation(options, tool, args), idempotencyKey, isKeyNew });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, detail, extra, issues, retryAfterSeconds } = error;
    const outcome: Outcome = {
      ok: false,
      code,
      ...(detail === undefined ? {} : { detail }),
      ...(extra === undefined ? {} : { extra }),
      ...(issues === undefined ? {} : { issues }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
    return { outcome, receipt: NOTHING_PAID };
  }
}

export function buildInvocation(
  { turn, principal, confirmPrincipal, signal }: CallerOptions,
  toolName: string,
  args: unknown,
): Invocation {
  return {
    toolName,
    args,
    principal,
    confirmPrincipal,
    userId: turn.userId,
    surface: "conversation",
    traceId: turn.traceId,
    idempotencyKey: undefined,
    gone: { signal },
    isPatient: true,
  };
}

function endCall(entry: CatalogEntry | undefined, outcome: Outcome, receipt: Receipt): EndedCall {
  if (outcome.ok) {
    const redacted = entry === undefined ? outcome.result : entry.redactResult(outcome.result);
    return { outcome: "ok", result: bound(redactText(redacted)), receipt, problem: undefined, approvalId: undefined };
  }
  const { code, extra } = outcome;
  const { approvalId } = AskedApproval.safeParse(extra).data ?? {};
  const isAsked = approvalId !== undefined && code.startsWith("approval_") && isRetryable(code);
  const { problem, result } = describeProblem(outcome);
  return {
    outcome: isAsked ? "awaits_approval" : "failed",
    result,
    receipt,
    problem,
    approvalId: isAsked ? approvalId : undefined,
  };
}

/** As a model reads it, and as an event shows it. */
export function describeProblem({ code, detail = code, extra, issues }: Omit<Outcome & { ok: false }, "ok">) {
  const members = typeof extra === "object" && extra !== null ? extra : {};
  const result = bound(redactText({ ...members, code, detail, ...(issues === undefined ? {} : { issues }) }));
  return { problem: { code, detail: String(redactText(detail)) }, result };
}

function bound(result: unknown): unknown {
  const text = JSON.stringify(result ?? null);
  return text.length <= MOST_RESULT_CHARACTERS
    ? result
    : { note: "The result is too long to be shown in full.", beginning: text.slice(0, MOST_RESULT_CHARACTERS) };
}
