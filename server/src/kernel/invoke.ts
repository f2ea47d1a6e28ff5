import { Failure, isRetryable, statusByCode, unauthorized } from "../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../domain/ids.ts";
import { discounted, type Micro } from "../domain/money.ts";
import { hasScope } from "../domain/scopes.ts";
import type { Hex } from "../domain/tokens.ts";
import type { Clock } from "../ports/clock.ts";
import { discountPercentByPlan, type Environment, type Principal } from "../ports/identity.ts";
import type { Log } from "../ports/log.ts";
import { type Catalog, type CatalogEntry, findTool } from "./catalog.ts";
import type { Charge, Outcome, PendingCall } from "./charge.ts";
import { refuseKeyOnlyInputs } from "./key-only-inputs.ts";
import { type Caller, type CallInfo, type Ports, Replayed } from "./tool.ts";
import { validateArguments } from "./validate.ts";

/** Tells when nobody waits any more. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

/** Who calls without a key is known by what it pays with. */
export interface Payer {
  readonly payer: Hex;
  readonly environment: Environment;
}

export interface Invocation {
  toolName: string;
  args: unknown;
  principal: Principal | Payer;
  /** Pays for this call instead of the tenant. */
  charge?: Charge | undefined;
  /** Reads the key again from the database: what writes or spends must not rest on a cached answer. */
  confirmPrincipal(): Promise<Principal | undefined>;
  /** A user of the tenant; undefined: the key's service account. */
  userId: string | undefined;
  surface: string;
  traceId: string;
  idempotencyKey: string | undefined;
  /** Asked for its signal only by who needs one: making one costs as much as reading a body. */
  gone: SignalSource;
  /** Given by who watches the call. */
  progress?: ((step: string) => void) | undefined;
}

export interface Answer {
  outcome: Outcome;
  usageId: string | undefined;
  price: Micro;
  latencyMs: number;
  replayed: boolean;
}

export interface Kernel {
  invoke(invocation: Invocation): Promise<Answer>;
}

export interface KernelOptions {
  catalog: Catalog;
  charge: Charge;
  /** Undefined: this environment is switched off. */
  portsFor(environment: Environment): Ports | undefined;
  clock: Clock;
  random?: RandomBytes;
  log: Log;
  /** Turns what a port threw into a Failure where it is one, such as a database that is away. */
  translate(error: unknown): unknown;
  /** For metrics: `outcome` is `ok` or a code. */
  onCall?: (toolName: string, outcome: string, seconds: number) => void;
}

/**
 * The one path of a call: find → scope → admit → validate → reserve → run → check the output → capture or release.
 * Throws Failure for what ends before the run; a tool's own failure is an outcome.
 */
export function createKernel(options: KernelOptions): Kernel {
  const { catalog, clock, random = systemRandom, log } = options;

  async function invoke(invocation: Invocation): Promise<Answer> {
    const started = performance.now();
    const entry = findTool(catalog, invocation.toolName);
    const { tool } = entry;
    const { charge = options.charge } = invocation;
    const principal = await authorize(entry, invocation);
    const ports = options.portsFor(principal.environment);
    if (ports === undefined) {
      throw new Failure("sandbox_unavailable", {
        detail: "This deployment runs without the sandbox. Use a production key.",
      });
    }
    const call = pendingCall(entry, principal, invocation, { clock, random });
    await charge.admit(call);
    const input = validateArguments(tool.input, invocation.args);
    if (isPayer(principal)) refuseKeyOnlyInputs(tool.keyOnlyInputs, invocation.args);
    const reservation = await charge.reserve(call);
    const elapsed = () => Math.round((performance.now() - started) * 1000) / 1000;
    if (reservation.kind === "replay") {
      return { ...reservation, latencyMs: elapsed(), replayed: true };
    }
    const caller: Caller = {
      tenantId: call.tenantId,
      keyId: call.keyId,
      userId: call.subject,
      travelerId: travelerOf(invocation, principal),
      environment: principal.environment,
    };
    const callInfo = new RunningCall(call, invocation);
    let result: unknown;
    let firstCallId: string | undefined;
    try {
      const answer = await tool.run(input, ports, caller, callInfo);
      if (answer instanceof Replayed) firstCallId = answer.firstCallId;
      result = tool.output.parse(answer instanceof Replayed ? answer.result : answer);
    } catch (error) {
      const outcome = failureOutcome(options.translate(error), entry, call, log);
      await charge.release(call, outcome, !isRetryable(outcome.code) && outcome.code !== "tool_failed");
      options.onCall?.(tool.name, outcome.code, elapsed() / 1000);
      return { outcome, usageId: undefined, price: 0n, latencyMs: elapsed(), replayed: false };
    }
    const latencyMs = elapsed();
    const settled = await charge.capture(call, entry.redactResult(result), latencyMs, firstCallId);
    options.onCall?.(tool.name, "ok", latencyMs / 1000);
    return {
      outcome: { ok: true, result },
      usageId: settled.usageId,
      price: settled.price,
      latencyMs,
      replayed: settled.replayed,
    };
  }

  return { invoke };
}

/** A class, as accessors of an object literal would give each call a hidden class of its own, which only a full collection frees. */
class RunningCall implements CallInfo {
  readonly id: string;
  readonly traceId: string;
  readonly progress: CallInfo["progress"];
  readonly #gone: SignalSource;

  constructor({ id, traceId }: PendingCall, { gone, progress = nobodyWatches }: Invocation) {
    this.id = id;
    this.traceId = traceId;
    this.progress = progress;
    this.#gone = gone;
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }
}

function nobodyWatches(): void {}

async function authorize(entry: CatalogEntry, invocation: Invocation): Promise<Principal | Payer> {
  let { principal } = invocation;
  if (isPayer(principal)) {
    if (!entry.tool.payableWithoutKey) throw unauthorized();
    return principal;
  }
  if (entry.tool.effect !== "read") {
    const confirmed = await invocation.confirmPrincipal();
    if (confirmed === undefined) throw unauthorized();
    principal = confirmed;
  }
  if (!hasScope(principal.scopes, entry.scope)) {
    throw new Failure("missing_scope", {
      detail: `The key lacks the scope ${entry.scope}, which ${entry.tool.name} needs. Mint a key with it.`,
      extra: { scope: entry.scope },
    });
  }
  return principal;
}

function isPayer(principal: Principal | Payer): principal is Payer {
  return "payer" in principal;
}

/** Undefined for the key's own service account, whether it is named or left out. */
function userOf(invocation: Invocation, principal: Principal): string | undefined {
  return invocation.userId === principal.serviceAccountId ? undefined : invocation.userId;
}

function travelerOf(invocation: Invocation, principal: Principal | Payer): string {
  if (isPayer(principal)) return ownerNameOf(principal);
  return userOf(invocation, principal) ?? principal.defaultTravelerId ?? principal.serviceAccountId;
}

/** Stands where a tenant's or a user's id would: no record has it. */
const ownerNameOf = ({ payer }: Payer): string => `payer:${payer}`;

function ownerOf(invocation: Invocation, principal: Principal | Payer) {
  if (isPayer(principal)) {
    const name = ownerNameOf(principal);
    return { tenantId: name, keyId: "", subject: name, plan: "free" } as const;
  }
  const { tenantId, keyId, plan } = principal;
  return { tenantId, keyId, subject: userOf(invocation, principal) ?? principal.serviceAccountId, plan };
}

function pendingCall(
  entry: CatalogEntry,
  principal: Principal | Payer,
  invocation: Invocation,
  { clock, random }: { clock: Clock; random: RandomBytes },
): PendingCall {
  const { tool } = entry;
  const startedAt = clock.now();
  const owner = ownerOf(invocation, principal);
  const discountPercent = discountPercentByPlan[owner.plan];
  return {
    id: newId("call_", startedAt.epochMilliseconds, random),
    traceId: invocation.traceId,
    surface: invocation.surface,
    tool,
    ...owner,
    environment: principal.environment,
    listPrice: tool.price,
    discountPercent,
    price: discounted(tool.price, discountPercent),
    startedAt,
    idempotencyKey: invocation.idempotencyKey,
    args: invocation.args,
  };
}

/** A declared code passes; what the service itself may say passes; everything else is `tool_failed`, and the log has the cause. */
function failureOutcome(error: unknown, entry: CatalogEntry, call: PendingCall, log: Log): Outcome & { ok: false } {
  if (error instanceof Failure) {
    if (Object.hasOwn(entry.tool.errors, error.code) || Object.hasOwn(statusByCode, error.code)) {
      if (error.cause !== undefined)
        log.warn({ err: error.cause, code: error.code, traceId: call.traceId }, "tool failed");
      const detail = error.detail ?? entry.tool.errors[error.code];
      return {
        ok: false,
        code: error.code,
        ...(detail === undefined ? {} : { detail }),
        ...(error.issues === undefined ? {} : { issues: error.issues }),
        ...(error.extra === undefined ? {} : { extra: error.extra }),
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      };
    }
  }
  log.error({ err: error, tool: entry.tool.name, traceId: call.traceId }, "undeclared failure of a tool");
  return {
    ok: false,
    code: "tool_failed",
    detail: "The tool failed in a way that it does not declare. The call was not charged. Report the trace id.",
  };
}
