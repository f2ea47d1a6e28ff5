import { Failure, isRetryable, statusByCode } from "../../domain/errors.ts";
import { inTrace } from "../../domain/trace.ts";
import type { Log } from "../../ports/log.ts";
import type { CatalogEntry } from "../contracts/catalog.ts";
import { type Charge, NOTHING_PAID, type Outcome, type PendingCall, type Replay } from "../contracts/charge.ts";
import type { RecordFailedCall } from "../contracts/failed-call.ts";
import {
  ConfirmationRequired,
  findRefusal,
  findReserving,
  type Gate,
  gateReservations,
  sayRefusal,
  settleGates,
} from "../contracts/gate.ts";
import type { Answer, Invocation, Kernel } from "../contracts/invocation.ts";
import { PREVIEW_SURFACE, type Preview, type PreviewOptions } from "../contracts/preview-answer.ts";
import { type CallInfo, Replayed } from "../contracts/tool.ts";
import { type CostlyCalls, isCostly, type Turn } from "./costly-calls.ts";
import { type CallFailure, describeFailedCall } from "./describe-failed-call.ts";
import { describeSubject } from "./describe-subject.ts";
import { type PreparedCall, type PreparingOptions, prepareCall } from "./prepare-call.ts";
import { previewCall } from "./preview.ts";

const NONE: readonly Gate[] = [];

export interface KernelOptions extends PreparingOptions {
  log: Log;
  /** Turns an error of a port, such as an unreachable database, into a Failure where it is one. */
  translate(error: unknown): unknown;
  costlyCalls: CostlyCalls;
  recordFailedCall: RecordFailedCall;
  /** For metrics: `outcome` is `ok` or a code. */
  onCall?: (toolName: string, outcome: string, seconds: number) => void;
}

/**
 * The one path of a call: find → scope → validate → plan → gates → admit → wait, if it is costly → reserve → run →
 * check the output → capture or release. Nothing outside is asked for a call with invalid arguments or one that a gate
 * refuses. Throws a Failure for errors before the run; a tool's own failure is an outcome.
 */
export function createKernel(options: KernelOptions): Kernel {
  return {
    invoke: (invocation) => within(invocation, () => invokeAndRecord(options, invocation)),
    ask: (invocation) => within(invocation, () => ask(options, invocation)),
    preview: (invocation) =>
      within(invocation, () =>
        previewCall(options, invocation, (prepared) => createTurn(options, invocation, prepared)),
      ),
  };
}

const within = <Result>(invocation: Invocation, work: () => Result): Result =>
  inTrace(invocation.traceId, work, describeSubject(invocation));

async function ask(options: KernelOptions, invocation: Invocation): Promise<Failure | undefined> {
  const { call, plan } = await prepareCall(options, invocation);
  call.rulesVersion = null;
  const refusal = await findRefusal(options.gates, call, plan);
  return refusal === undefined ? undefined : await sayRefusal(options.gates, refusal, call, plan);
}

/** Records the call unless it succeeds. */
async function invokeAndRecord(options: KernelOptions, invocation: Invocation): Promise<Answer> {
  try {
    const answer = await invoke(options, invocation);
    if (!answer.outcome.ok) recordFailure(options, invocation, answer.outcome);
    return answer;
  } catch (error) {
    const known = options.translate(error);
    const failure = known instanceof Failure ? known : { code: "internal_error" };
    recordFailure(options, invocation, failure);
    // Not the name as it was sent: anybody can send a long one.
    const tool = options.catalog.find(invocation.toolName)?.tool.name;
    options.log.info({ tool, code: failure.code, surface: invocation.surface }, "a call was refused");
    throw error;
  }
}

function recordFailure(options: KernelOptions, invocation: Invocation, failure: CallFailure): void {
  // The same call follows with the person's answer.
  if (failure instanceof ConfirmationRequired) return;
  const { catalog, clock, recordFailedCall } = options;
  const failed = describeFailedCall(catalog, invocation, failure, clock.now());
  if (failed !== undefined) recordFailedCall(failed);
}

async function invoke(options: KernelOptions, invocation: Invocation): Promise<Answer> {
  const started = performance.now();
  const prepared = await prepareCall(options, invocation);
  const turn = isCostly(prepared.entry.tool) ? createTurn(options, invocation, prepared) : undefined;
  try {
    return await reserveAndRun(options, { invocation, prepared, started, turn });
  } finally {
    turn?.leave();
  }
}

function createTurn(
  { costlyCalls }: KernelOptions,
  { isPatient = false, gone }: Invocation,
  { call }: PreparedCall,
): Turn {
  return costlyCalls.createTurn({ owner: call.tenantId, isPatient, gone });
}

interface Prepared {
  invocation: Invocation;
  prepared: PreparedCall;
  /** A `performance.now()` value. */
  started: number;
  /** Set for costly calls. */
  turn: Turn | undefined;
}

async function reserveAndRun(
  options: KernelOptions,
  { invocation, prepared, started, turn }: Prepared,
): Promise<Answer> {
  const { entry, charge, call, caller, ports, input, plan } = prepared;
  const { reservation, reserving } = await judgeAndReserve(options, prepared, turn);
  if (reservation.kind === "replay") return await replayed(options, prepared, reservation, started);
  const isRepeat = entry.tool.effect === "spend" && (await plan()).isRepeat === true;
  const run = () => entry.tool.run(input, ports, caller, new RunningCall(call, isRepeat, invocation, options));
  return await runAndSettle(options, { entry, call, charge, started, reserving, run });
}

interface Reserved {
  reservation: Replay | { kind: "run" };
  /** Gates that have reserved something for the call. */
  reserving: readonly Gate[];
}

async function judgeAndReserve(
  options: KernelOptions,
  prepared: PreparedCall,
  turn: Turn | undefined,
): Promise<Reserved> {
  const { entry, charge, call, plan } = prepared;
  const refusal = await findRefusal(options.gates, call, plan);
  if (refusal !== undefined) {
    const replay = await charge.recall?.(call);
    if (replay === undefined) throw await sayRefusal(options.gates, refusal, call, plan);
    return { reservation: replay, reserving: NONE };
  }
  const admitting = charge.admit?.(call);
  if (admitting !== undefined) await admitting;
  if (turn !== undefined) await turn.take();
  const reserving = entry.tool.effect === "read" ? NONE : await findReserving(options.gates, call, plan);
  const reservation = await charge.reserve(call, gateReservations(reserving, call, plan));
  if (reservation.kind !== "rules_changed") return { reservation, reserving };
  // Recurses at most once, as no gate judges from memory any more.
  call.rulesVersion = null;
  return await judgeAndReserve(options, prepared, turn);
}

async function replayed(
  options: KernelOptions,
  prepared: PreparedCall,
  replay: Replay,
  started: number,
): Promise<Answer> {
  const outcome = await answerAgain(options, prepared, replay);
  const { id, tool, surface } = prepared.call;
  options.log.info({ tool: tool.name, callId: id, surface }, "a call was answered as before");
  return { outcome, receipt: replay.receipt, latencyMs: millisecondsSince(started), replayed: true };
}

interface Running {
  entry: CatalogEntry;
  call: PendingCall;
  charge: Charge;
  /** A `performance.now()` value. */
  started: number;
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
    await charge.release(call, outcome, isFinal(outcome));
    if (reserving.length > 0) await settleGates(reserving, call, options.log);
    const latencyMs = millisecondsSince(started);
    const { surface } = call;
    options.log.info({ tool: tool.name, callId: call.id, code: outcome.code, surface, latencyMs }, "a call failed");
    options.onCall?.(tool.name, outcome.code, latencyMs / 1000);
    return { outcome, receipt: NOTHING_PAID, latencyMs, replayed: false };
  }
  const latencyMs = millisecondsSince(started);
  // Not released if this fails: the effect has happened, and the sweep finds out about it.
  const receipt = await charge.capture(call, entry.redactResult(result), latencyMs, firstCallId);
  if (reserving.length > 0) await settleGates(reserving, call, options.log);
  options.log.info({ tool: tool.name, callId: call.id, surface: call.surface, latencyMs }, "a call succeeded");
  options.onCall?.(tool.name, "ok", latencyMs / 1000);
  return { outcome: { ok: true, result }, receipt, latencyMs, replayed: receipt.replayed };
}

/** Whether the same call would fail the same way. A spend limit may allow the call later. */
function isFinal({ code, retryAfterSeconds }: Outcome & { ok: false }): boolean {
  return !isRetryable(code, retryAfterSeconds) && code !== "tool_failed" && code !== "spend_limit_exceeded";
}

/** To the microsecond. */
function millisecondsSince(started: number): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}

/** A class because accessors of an object literal would give each call its own hidden class, which only a full collection frees. */
class RunningCall implements CallInfo {
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  readonly traceId: string;
  readonly isRepeat: boolean;
  readonly progress: CallInfo["progress"];
  readonly #tool: PendingCall["tool"];
  readonly #invocation: Invocation;
  readonly #options: KernelOptions;

  constructor(
    { id, idempotencyKey, traceId, tool }: PendingCall,
    isRepeat: boolean,
    invocation: Invocation,
    options: KernelOptions,
  ) {
    this.id = id;
    this.isRepeat = isRepeat;
    this.idempotencyKey = idempotencyKey;
    this.traceId = traceId;
    this.progress = invocation.progress ?? nobodyWatches;
    this.#tool = tool;
    this.#invocation = invocation;
    this.#options = options;
  }

  async preview(toolName: string, args: unknown, { isAsked = false }: PreviewOptions = {}): Promise<Preview> {
    const { confirming } = this.#invocation;
    const invocation = {
      ...this.#invocation,
      toolName,
      args,
      idempotencyKey: undefined,
      confirming: confirming && { isPreview: true },
    };
    const takeTurn = (prepared: PreparedCall) => createTurn(this.#options, invocation, prepared);
    const preview = await previewCall(this.#options, invocation, isCostly(this.#tool) ? undefined : takeTurn);
    if (isAsked && preview.refusal !== undefined) {
      recordFailure(this.#options, { ...invocation, surface: PREVIEW_SURFACE }, preview.refusal);
    }
    return preview;
  }

  get signal(): AbortSignal {
    return this.#invocation.gone.signal;
  }
}

function nobodyWatches(): void {}

/** Passes declared codes and those of the service; everything else becomes `tool_failed`, with the cause in the log. */
function failureOutcome(error: unknown, call: PendingCall, log: Log): Outcome & { ok: false } {
  if (error instanceof Failure) {
    if (Object.hasOwn(call.tool.errors, error.code) || Object.hasOwn(statusByCode, error.code)) {
      if (error.cause !== undefined)
        log.warn({ err: error.cause, code: error.code, traceId: call.traceId }, "tool failed");
      const detail = error.detail ?? call.tool.errors[error.code];
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
  log.error({ err: error, tool: call.tool.name, traceId: call.traceId }, "undeclared failure of a tool");
  return {
    ok: false,
    code: "tool_failed",
    detail: "The tool failed in a way that it does not declare. The call was not charged. Report the trace id.",
  };
}

/**
 * Returns the stored outcome of a call to a caller that sends it again. If another process finished the call, only the
 * result of its effect is stored: the tool completes it once, and the whole answer is stored. Answers stored by an
 * earlier release are brought up to the current shape.
 */
async function answerAgain(
  { log, translate }: { log: Log; translate(error: unknown): unknown },
  prepared: PreparedCall,
  { outcome, keep }: Replay,
): Promise<Outcome> {
  if (!outcome.ok) return outcome;
  const { tool } = prepared.entry;
  const result = await completeResult(prepared, outcome.result, keep).catch((error: unknown) => {
    throw translate(error);
  });
  const read = tool.output.safeParse(result);
  if (read.success) return { ok: true, result: read.data };
  // The call is done and paid for, so an incomplete answer is better than an error.
  log.error({ err: read.error, tool: tool.name }, "a stored answer does not fit the output of its tool");
  return { ok: true, result };
}

async function completeResult(
  { entry, ports, caller }: PreparedCall,
  stored: unknown,
  keep: Replay["keep"],
): Promise<unknown> {
  const { complete } = entry.tool;
  if (complete === undefined || !lacksMembers(entry.outputSchema, stored)) return stored;
  return await keep(entry.redactResult(await complete(stored, ports, caller)));
}

/** Whether it lacks a required member of the output. */
function lacksMembers({ required }: Readonly<Record<string, unknown>>, result: unknown): boolean {
  if (!Array.isArray(required) || typeof result !== "object" || result === null) return false;
  return required.some((name) => !Object.hasOwn(result, name));
}
