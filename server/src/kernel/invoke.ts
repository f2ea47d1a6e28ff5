import { Failure, isRetryable } from "../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../domain/ids.ts";
import { discounted } from "../domain/money.ts";
import type { Clock } from "../ports/clock.ts";
import type { Environment, Principal } from "../ports/identity.ts";
import type { Log } from "../ports/log.ts";
import { authorize, type Calling, callerOf, discountOf, ownerOf, type Payer } from "./caller.ts";
import { type Catalog, type CatalogEntry, findTool } from "./catalog.ts";
import { type Charge, NOTHING_PAID, type Outcome, type PendingCall, type Receipt, type Replay } from "./charge.ts";
import { failureOutcome } from "./failure-outcome.ts";
import { findRefusal, findReserving, type Gate, gateReservations, sayRefusal, settleGates } from "./gate.ts";
import { planNothing, planOnce } from "./plan.ts";
import { readArguments } from "./read-arguments.ts";
import { type CallInfo, type Ports, Replayed, type Tool } from "./tool.ts";

/** Tells when nobody waits any more. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

interface Invocation extends Calling {
  toolName: string;
  args: unknown;
  /** Pays for this call instead of the tenant. */
  charge?: Charge | undefined;
  surface: string;
  traceId: string;
  idempotencyKey: string | undefined;
  /** Asked for its signal only by who needs one: making one costs as much as reading a body. */
  gone: SignalSource;
  /** Given by who watches the call. */
  progress?: ((step: string) => void) | undefined;
}

const NONE: readonly Gate[] = [];

export interface Answer {
  outcome: Outcome;
  /** What was paid and by whom: a surface shows it, and knows nothing else of the charge. */
  receipt: Receipt;
  latencyMs: number;
  replayed: boolean;
}

export interface Kernel {
  invoke(invocation: Invocation): Promise<Answer>;
}

export interface KernelOptions {
  catalog: Catalog;
  charge: Charge;
  /** In the order in which they are asked. */
  gates: readonly Gate[];
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
 * The one path of a call: find → scope → validate → plan → gates → admit → reserve → run → check the output → capture or release.
 * Nothing outside is asked for a call whose arguments do not fit or that a gate refuses. Throws Failure for what ends before the
 * run; a tool's own failure is an outcome.
 */
export function createKernel(options: KernelOptions): Kernel {
  return { invoke: (invocation) => invoke(options, invocation) };
}

async function invoke(options: KernelOptions, invocation: Invocation): Promise<Answer> {
  const started = performance.now();
  const entry = findTool(options.catalog, invocation.toolName);
  const { charge = options.charge } = invocation;
  const principal = await authorize(entry, invocation);
  const ports = requirePorts(options, principal.environment);
  const input = readArguments(entry.tool, invocation.args, principal, ports);
  const call = pendingCall(entry.tool, principal, invocation, charge, options);
  const caller = callerOf(call, principal);
  const { plan: work } = entry.tool;
  const plan = work === undefined ? planNothing : planOnce(() => work(input, ports, caller));
  const refusal = await findRefusal(options.gates, call, plan);
  if (refusal !== undefined) {
    const replay = await charge.recall?.(call);
    if (replay === undefined) throw await sayRefusal(refusal, call, plan);
    return replayed(replay, started);
  }
  const admitting = charge.admit?.(call);
  if (admitting !== undefined) await admitting;
  const reserving = entry.tool.effect === "read" ? NONE : await findReserving(options.gates, call, plan);
  const reservation = await charge.reserve(call, gateReservations(reserving, call, plan));
  if (reservation.kind === "replay") return replayed(reservation, started);
  const run = () => entry.tool.run(input, ports, caller, new RunningCall(call, invocation));
  return await runAndSettle(options, { entry, call, charge, started, reserving, run });
}

function replayed({ outcome, receipt }: Replay, started: number): Answer {
  return { outcome, receipt, latencyMs: millisecondsSince(started), replayed: true };
}

interface Running {
  entry: CatalogEntry;
  call: PendingCall;
  charge: Charge;
  /** In the words of `performance.now()`. */
  started: number;
  /** Gates that have reserved something for the call. */
  reserving: readonly Gate[];
  run(): Promise<unknown>;
}

async function runAndSettle(options: KernelOptions, running: Running): Promise<Answer> {
  const { entry, call, charge, started, reserving, run } = running;
  const { tool } = entry;
  let result: unknown;
  let firstCallId: string | undefined;
  try {
    const answer = await run();
    if (answer instanceof Replayed) firstCallId = answer.firstCallId;
    result = tool.output.parse(answer instanceof Replayed ? answer.result : answer);
  } catch (error) {
    const outcome = failureOutcome(options.translate(error), call, options.log);
    await charge.release(call, outcome, isFinal(outcome.code));
    if (reserving.length > 0) await settleGates(reserving, call, options.log);
    const latencyMs = millisecondsSince(started);
    options.onCall?.(tool.name, outcome.code, latencyMs / 1000);
    return { outcome, receipt: NOTHING_PAID, latencyMs, replayed: false };
  }
  const latencyMs = millisecondsSince(started);
  // Not released when this fails: the effect is there, and the sweep finds out what the call has done.
  const receipt = await charge.capture(call, entry.redactResult(result), latencyMs, firstCallId);
  if (reserving.length > 0) await settleGates(reserving, call, options.log);
  options.onCall?.(tool.name, "ok", latencyMs / 1000);
  return { outcome: { ok: true, result }, receipt, latencyMs, replayed: receipt.replayed };
}

/** Whether the same call would fail the same way. What is too much to spend now may not be later. */
function isFinal(code: string): boolean {
  return !isRetryable(code) && code !== "tool_failed" && code !== "spend_limit_exceeded";
}

/** To the microsecond. */
function millisecondsSince(started: number): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}

function requirePorts({ portsFor }: KernelOptions, environment: Environment): Ports {
  const ports = portsFor(environment);
  if (ports !== undefined) return ports;
  throw new Failure("sandbox_unavailable", {
    detail: "This deployment runs without the sandbox. Use a production key.",
  });
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

function pendingCall(
  tool: Tool,
  principal: Principal | Payer,
  { userId, traceId, surface, idempotencyKey, args }: Invocation,
  { paidBy }: Charge,
  { clock, random = systemRandom }: KernelOptions,
): PendingCall {
  const startedAt = clock.now();
  const { tenantId, keyId, subject, travelerId } = ownerOf(userId, principal);
  const discountPercent = discountOf(principal);
  return {
    id: newId("call_", startedAt.epochMilliseconds, random),
    traceId,
    surface,
    tool,
    tenantId,
    keyId,
    subject,
    travelerId,
    environment: principal.environment,
    paidBy,
    listPrice: tool.price,
    discountPercent,
    price: discounted(tool.price, discountPercent),
    startedAt,
    idempotencyKey,
    args,
  };
}
