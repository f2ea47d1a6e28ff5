import { z } from "zod";
import { Failure, mayHaveHappened } from "../../../domain/errors.ts";
import type { RandomBytes } from "../../../domain/ids.ts";
import { inTrace } from "../../../domain/trace.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import { NOTHING_PAID, type Outcome } from "../../../kernel/contracts/charge.ts";
import type { Answer, Invocation, Kernel } from "../../../kernel/contracts/invocation.ts";
import type { JobQueue } from "../../../kernel/contracts/job.ts";
import type { OrderEnd, Workflow } from "../../../kernel/contracts/workflow.ts";
import { startHeartbeat } from "../../../platform/leased-queue/heartbeat.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment, Identity } from "../../../ports/identity.ts";
import type { Log } from "../../../ports/log.ts";
import type { JournaledStep, ReadKey, Run, RunCall, Runs } from "../runs.ts";
import { assessLoss } from "./assess-loss.ts";
import { Segment, type SegmentOptions } from "./segment.ts";
import type { SegmentEnd } from "./segment-end.ts";

export interface RunnerOptions {
  runs: Runs;
  workflows: readonly Workflow[];
  kernel: Pick<Kernel, "invoke" | "ask">;
  catalog: Catalog;
  identity: Pick<Identity, "findPrincipal" | "toPrincipal">;
  clock: Clock;
  random: RandomBytes;
  log: Log;
  workerId: string;
  /** Undefined: the environment is disabled, and its runs wait. */
  collectionAddress(environment: Environment): string | undefined;
}

/** How the step failed in its last attempt. */
const LastAttempt = z.object({ code: z.string().optional() });

const MOST_EXPECTED = 1_000;
/** The number of runs that a process executes at once. */
const AT_ONCE = 16;
/** A worker silent for this long counts as dead. */
const STALE_SECONDS = 10;
/** After an error that is not an answer, such as an unavailable database. */
const AFTER_ERROR_SECONDS = 5;

/** Executes runs of workflows: any number of processes share them by leases. */
export class WorkflowRunner {
  readonly #options: RunnerOptions;
  readonly #executing = new Map<string, Promise<void>>();
  readonly #gone = new AbortController();
  /** Runs that this process has just stored, as they were then. */
  readonly #expected = new Map<string, Run>();
  #leasing: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get workflows(): readonly Workflow[] {
    return this.#options.workflows;
  }

  get queue(): JobQueue {
    return this.#options.runs.queue(STALE_SECONDS);
  }

  /** For a run that was stored just now: it has no steps yet. */
  expect(run: Run): void {
    if (this.#expected.size >= MOST_EXPECTED) this.#expected.clear();
    this.#expected.set(run.id, run);
  }

  /** Looks for due runs. */
  wake(): void {
    if (this.#gone.signal.aborted) return;
    if (this.#leasing !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#leasing = inTrace(undefined, () => this.leaseRuns())
      .catch((err: unknown) => this.#options.log.warn({ err }, "runs could not be leased"))
      .then(() => {
        this.#leasing = undefined;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.wake();
      });
  }

  /** Resolves when this process has left the run; at once if it does not execute it. */
  async whenLeft(runId: string): Promise<void> {
    await this.#leasing;
    await this.#executing.get(runId);
  }

  /** Leases as many as there is room for. */
  async leaseRuns(): Promise<void> {
    const room = AT_ONCE - this.#executing.size;
    if (room <= 0 || this.#gone.signal.aborted) return;
    for (const run of await this.#options.runs.lease(this.#options.workerId, room, STALE_SECONDS)) {
      const { tenantId, environment, id: runId, tripId } = run;
      const subject = { tenantId, environment, runId, tripId: tripId ?? undefined };
      const executing = inTrace(run.traceId, () => this.#execute(run), subject).finally(() => {
        this.#executing.delete(run.id);
        this.wake();
      });
      this.#executing.set(run.id, executing);
    }
  }

  /** Lets current steps end, releases the leases, and takes no more. */
  async stop(): Promise<void> {
    this.#gone.abort();
    await this.#leasing;
    await Promise.all(this.#executing.values());
    await this.#options.runs.release(this.#options.workerId);
  }

  async #execute(run: Run): Promise<void> {
    const { runs, clock, log, workerId } = this.#options;
    const leased = { id: run.id, workerId };
    const stopBeating = startHeartbeat(() => runs.touch(leased));
    try {
      await this.#store(run, await this.#segment(run));
    } catch (err) {
      log.error({ err, runId: run.id, workflowId: run.workflowId }, "a run could not go on and is tried again");
      await runs.postpone(leased, clock.now().add({ seconds: AFTER_ERROR_SECONDS })).catch(() => undefined);
    } finally {
      await stopBeating();
    }
  }

  async #segment(run: Run): Promise<SegmentEnd> {
    const workflow = this.workflows.find(({ id }) => id === run.workflowId);
    const collectionAddress = this.#options.collectionAddress(run.environment);
    if (workflow === undefined || collectionAddress === undefined) {
      // A process of another version or configuration may know it.
      return { kind: "again", at: this.#options.clock.now().add({ minutes: 1 }) };
    }
    const journal = await this.#readJournal(run);
    const { runs, catalog, clock, random, workerId } = this.#options;
    const options = { runs, catalog, clock, random, workerId, collectionAddress, invoke: this.#invoke, ask: this.#ask };
    return await new Segment(options, workflow, run, journal).execute();
  }

  /** Each step changes its run: one that another process has begun meanwhile has changed since it was stored. */
  async #readJournal(run: Run): Promise<readonly JournaledStep[]> {
    const expected = this.#expected.get(run.id);
    this.#expected.delete(run.id);
    return expected?.updatedAt.equals(run.updatedAt) === true ? [] : await this.#options.runs.steps(run.id);
  }

  async #store(run: Run, end: SegmentEnd): Promise<void> {
    const { runs, log, workerId } = this.#options;
    const leased = { id: run.id, workerId };
    if (end.kind === "again") await runs.postpone(leased, end.at, end.failed);
    if (end.kind === "completed") {
      await runs.end(leased, run, { state: "completed", result: end.result, ended: end.ended });
    }
    if (end.kind === "failed") {
      await runs.end(leased, run, { state: "failed", failure: end.failure, ended: end.ended });
    }
    if (end.kind === "failed") log.warn({ runId: run.id, workflowId: run.workflowId, ...end.failure }, "a run failed");
    if (end.kind === "lost") log.warn({ runId: run.id }, "another process has taken a run over");
  }

  /** Returns what cancelling the run now would lose. `mayBuy`: unknown, since a spending step is under way. */
  async assess(run: Run): Promise<{ losses: readonly OrderEnd[]; steps: number; mayBuy: boolean }> {
    const journal = await this.#options.runs.steps(run.id);
    const workflow = this.workflows.find(({ id }) => id === run.workflowId);
    const collectionAddress = this.#options.collectionAddress(run.environment);
    const known = { steps: journal.length, mayBuy: journal.some((step) => this.#isSpending(step)) };
    if (workflow === undefined || collectionAddress === undefined) return { ...known, losses: [], mayBuy: true };
    const options = { collectionAddress, catalog: this.#options.catalog, invoke: this.#invoke };
    return { ...known, losses: await assessLoss(options, workflow, run, journal) };
  }

  /** Whether a purchase with an unknown outcome may exist. */
  #isSpending({ state, tool, outcome }: JournaledStep): boolean {
    if (state !== "running" || tool === undefined) return false;
    const { code } = LastAttempt.parse(outcome ?? {});
    return this.#options.catalog.find(tool)?.tool.effect === "spend" && (code === undefined || mayHaveHappened(code));
  }

  /** The tool's answer; undefined if the run's key may no longer call it. */
  readonly #invoke = async (run: Run, call: RunCall, read?: ReadKey): Promise<Answer | undefined> => {
    try {
      const invocation = await this.#buildInvocation(run, call, read);
      if (invocation === undefined) return undefined;
      return await this.#options.kernel.invoke(invocation);
    } catch (error) {
      const outcome = toOutcome(error);
      return outcome === undefined ? undefined : { outcome, receipt: NOTHING_PAID, latencyMs: 0, replayed: false };
    }
  };

  readonly #ask: SegmentOptions["ask"] = async (run, call) => {
    try {
      const invocation = await this.#buildInvocation(run, call);
      if (invocation === undefined) return undefined;
      const refusal = await this.#options.kernel.ask(invocation);
      return refusal === undefined ? "granted" : toOutcome(refusal);
    } catch (error) {
      return toOutcome(error);
    }
  };

  /** Undefined: the run's key is no longer valid in its environment. */
  async #buildInvocation(
    run: Run,
    { tool, args, policyId, purpose, cover, leadTravelerId, idempotencyKey, isKeyNew }: RunCall,
    read?: ReadKey,
  ): Promise<Invocation | undefined> {
    const { identity } = this.#options;
    const principal = await (read === undefined
      ? identity.findPrincipal(run.keyId, { fresh: false })
      : read.key && identity.toPrincipal(read.key));
    if (principal === undefined || principal.environment !== run.environment) return undefined;
    return {
      toolName: tool,
      args,
      principal,
      // Read by the statement with which the step begins.
      confirmPrincipal: async () =>
        read === undefined ? await identity.findPrincipal(run.keyId, { fresh: true }) : principal,
      idempotencyKey,
      isKeyNew,
      policyId,
      purpose,
      cover,
      leadTravelerId,
      userId: run.userId,
      surface: "workflow",
      runId: run.id,
      traceId: run.traceId,
      gone: { signal: this.#gone.signal },
      isPatient: true,
    };
  }
}

/** Converts a refusal for the journal; undefined: the key may no longer call the tool. Other errors are thrown. */
function toOutcome(error: unknown): (Outcome & { ok: false }) | undefined {
  if (!(error instanceof Failure)) throw error;
  if (error.code === "missing_scope" || error.code === "unauthorized") return undefined;
  const { code, detail, extra, issues, retryAfterSeconds } = error;
  return {
    ok: false,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...(extra === undefined ? {} : { extra }),
    ...(issues === undefined ? {} : { issues }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
