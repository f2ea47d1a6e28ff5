import { z } from "zod";
import { isRetryable, mayHaveHappened } from "../../../domain/errors.ts";
import { type RandomBytes, randomBase62 } from "../../../domain/ids.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { Outcome } from "../../../kernel/contracts/charge.ts";
import type { Answer } from "../../../kernel/contracts/invocation.ts";
import type { TripNote } from "../../../kernel/contracts/trip-note.ts";
import {
  type Approvable,
  type Naming,
  type Pause,
  StepFailure,
  type Steps,
  type UndoEnd,
  type Workflow,
} from "../../../kernel/contracts/workflow.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { NewTripEntry } from "../../trip-record/index.ts";
import {
  type Journaled,
  type JournaledStep,
  NOTHING_JOURNALED,
  type ReadKey,
  type Run,
  type RunCall,
  type Runs,
  type StepEnd,
  TIMEOUT,
} from "../runs.ts";
import { approvalPause } from "./approval-pause.ts";
import { Decided, findRefusal } from "./decided-questions.ts";
import { isOver, keepOutcome, outcomeOfWork, PauseOutcome, readAnswer, StepOutcome } from "./journaled-answer.ts";
import { entryOfRun, noteOfFailure } from "./remember-run.ts";
import type { Leaving, SegmentEnd } from "./segment-end.ts";
import { sumEnds, type Undone } from "./undone.ts";

export interface SegmentOptions {
  runs: Runs;
  catalog: Pick<Catalog, "find">;
  clock: Clock;
  random: RandomBytes;
  workerId: string;
  collectionAddress: string;
  /** Calls a tool for the run, with the key that was just read. `undefined`: the run's key may no longer call. */
  invoke(run: Run, call: RunCall, read: ReadKey): Promise<Answer | undefined>;
  /** Asks for the approvals that such a call needs, without making it: returns its refusal, or `granted`. */
  ask(run: Run, call: RunCall): Promise<(Outcome & { ok: false }) | "granted" | undefined>;
}

/** Repeated calls wait a second at first, and ever longer. */
const FIRST_RETRY_SECONDS = 1;
const LONGEST_RETRY_SECONDS = 60;
/** About three hours; then a person is asked. */
const MOST_ATTEMPTS = 180;
const SESSION_CHARACTERS = 32;
const STUCK_HOURS = 30 * 24;

const KEY_IS_GONE = "The key of the run was revoked or may no longer call this tool. Resume the run with another key.";

const Retried = z.strictObject({ status: z.enum(["retry", "cancelled"]) });

/** One execution of a run, from its beginning to the next pause or its end; journaled steps are not repeated. */
export class Segment implements Steps {
  readonly run: Run & Steps["run"];
  readonly #options: SegmentOptions;
  readonly #workflow: Workflow;
  readonly #journal: ReadonlyMap<string, JournaledStep>;
  readonly #seen = new Map<string, number>();
  readonly #undos: { step: string; work: () => Promise<UndoEnd | undefined> }[] = [];
  /** Written with the beginning of the next step, or when the segment ends. */
  #ended: StepEnd | undefined;
  #position = 0;
  #lastStep = "start";
  #isUndoing = false;
  #isKept = false;
  #leadTravelerId: string | undefined;
  #leave: (leaving: Leaving) => void = () => undefined;

  constructor(options: SegmentOptions, workflow: Workflow, run: Run, journal: readonly JournaledStep[]) {
    this.#options = options;
    this.#workflow = workflow;
    this.#journal = new Map(journal.map((step) => [step.stepId, step]));
    this.run = { ...run, collectionAddress: options.collectionAddress };
  }

  async execute(): Promise<SegmentEnd> {
    const left = new Promise<Leaving>((resolve) => {
      this.#leave = resolve;
    });
    const end = await Promise.race([left, this.#runToEnd()]);
    // No step, pause or end follows with which the last step's end would be stored.
    if (end.kind === "again") await this.#write(undefined);
    return end;
  }

  async #runToEnd(): Promise<SegmentEnd> {
    try {
      return { kind: "completed", result: await this.#workflow.run(this.run.input, this), ended: this.#ended };
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      const { code, message: detail } = error;
      const failure = { code, detail, ...(await this.#undoAll()) };
      return { kind: "failed", failure, ended: this.#ended };
    }
  }

  // Bound, since workflows destructure these.
  readonly call = async (tool: string, args: object, { step = tool, ...more }: Naming = {}): Promise<unknown> => {
    const stepId = this.#nextId(step);
    const journaled = this.#journal.get(stepId);
    if (journaled !== undefined && journaled.tool !== tool) return await this.#isChanged(stepId, tool);
    const outcome = isOver(journaled)
      ? StepOutcome.parse(journaled.outcome)
      : await this.#callOnce(stepId, { tool, args, ...more }, journaled);
    if (!outcome.ok) throw new StepFailure(outcome.code, outcome.detail ?? `${tool} failed with ${outcome.code}.`);
    const read = readAnswer(this.#options.catalog, this.#workflow, tool, outcome.result);
    return read === undefined ? await this.#isChanged(stepId, `${tool} with other answers`) : read.answer;
  };

  readonly step = async <Result extends z.ZodType>(
    name: string,
    result: Result,
    work: () => Promise<z.input<Result>>,
  ): Promise<z.output<Result>> => {
    if (this.#seen.has(this.#named(name))) throw new Error(`Two steps of the run have the name ${name}.`);
    const stepId = this.#nextId(name);
    const journaled = this.#journal.get(stepId);
    const outcome = isOver(journaled)
      ? StepOutcome.safeParse(journaled.outcome).data
      : await this.#workOnce(stepId, work, journaled);
    if (outcome?.ok === false) throw new StepFailure(outcome.code, outcome.detail ?? outcome.code);
    const read = result.safeParse(outcome?.result);
    if (journaled?.tool === undefined && outcome !== undefined && read.success) return read.data;
    return await this.#isChanged(stepId, "other work");
  };

  readonly pause = async <Resolution extends z.ZodObject>(pause: Pause<Resolution>): Promise<z.output<Resolution>> => {
    const stepId = this.#nextId(pause.step);
    const journaled = this.#journal.get(stepId);
    if (journaled !== undefined && journaled.tool !== undefined) return await this.#isChanged(stepId, "a pause");
    if (journaled?.state === "done") {
      const read = pause.resolution.safeParse(PauseOutcome.parse(journaled.outcome).resolution);
      return read.success ? read.data : await this.#isChanged(stepId, "another pause");
    }
    if (this.run.cancelRequestedBy !== undefined && !this.#isUndoing) throw this.#cancelled(stepId);
    return await this.#park(stepId, pause);
  };

  readonly approve = async ({
    step,
    tool,
    args,
    policyId,
    shown,
    needsOpenTrip = false,
    cover,
  }: Approvable): Promise<void> => {
    const stepId = this.#nextId(step);
    const journaled = this.#journal.get(stepId);
    if (journaled?.state === "done") {
      const { resolution, by } = Decided.safeParse(journaled.outcome).data ?? {};
      if (resolution?.status === "approved") return;
      if (by === TIMEOUT) throw new StepFailure("approval_expired", "Nobody decided about the offer in time.");
      throw new StepFailure("approval_rejected", "The offer was not approved.");
    }
    this.#refuseWhenDecided(stepId);
    const written = await this.#write({ stepId, position: this.#position, tool: undefined });
    if (!written.isMine) return await this.#leaveNow({ kind: "lost" });
    if (written.cancelRequestedBy !== undefined && !this.#isUndoing) throw this.#cancelled(stepId);
    const leadTravelerId = this.#leadTravelerId;
    const answer = await this.#options.ask(this.run, { tool, args, policyId, cover, leadTravelerId });
    if (answer === undefined) return await this.#askAbout(stepId, "key", KEY_IS_GONE);
    if (answer === "granted") return this.#endStep(stepId, "done", { resolution: { status: "approved" } });
    if (answer.code !== "approval_required" && !isRetryable(answer.code)) {
      throw this.#refused(stepId, answer.code, answer.detail ?? `${tool} is refused with ${answer.code}.`);
    }
    if (answer.code !== "approval_required") return await this.#tryLater(stepId, (journaled?.attempt ?? 0) + 1, answer);
    const asked = approvalPause(tool, answer, shown, this.#options.clock.now());
    await this.#park(stepId, { step, ...asked, by: "person", needsOpenTrip });
  };

  readonly undo = (work: () => Promise<UndoEnd | undefined>): void => {
    this.#undos.push({ step: this.#lastStep, work });
  };

  readonly keep = (): void => {
    this.#isKept = true;
    this.#undos.length = 0;
  };

  readonly leadBy = (userId: string): void => {
    this.#leadTravelerId = userId;
  };

  readonly isSince = (version: number): boolean => this.run.version >= version;

  /** Runs, journals, and schedules retries for what can succeed later. */
  async #callOnce(
    stepId: string,
    made: RunCall,
    journaled: JournaledStep | undefined,
  ): Promise<z.output<typeof StepOutcome>> {
    const { tool, args } = made;
    const { isCancelled, key } = await this.#begin(stepId, tool, journaled);
    const more = { idempotencyKey: `${this.run.id}:${stepId}`, isKeyNew: journaled === undefined };
    const leadTravelerId = this.#leadTravelerId;
    const answer = await this.#options.invoke(this.run, { ...made, ...more, leadTravelerId }, { key });
    if (answer === undefined) return await this.#askAbout(stepId, "key", KEY_IS_GONE);
    const { outcome, receipt } = answer;
    if (!outcome.ok && outcome.code === "approval_required") return await this.#askForApproval(stepId, tool, outcome);
    if (!outcome.ok && isRetryable(outcome.code)) {
      if (isCancelled && !mayHaveHappened(outcome.code)) throw this.#cancelled(stepId);
      return await this.#tryLater(stepId, (journaled?.attempt ?? 0) + 1, outcome);
    }
    const entry = this.#options.catalog.find(tool);
    const kept = keepOutcome(outcome, entry?.redactResult);
    this.#ended = {
      stepId,
      state: outcome.ok ? "done" : "failed",
      outcome: kept,
      meterId: receipt.usageId,
      priceMicro: receipt.price,
      entry: this.#buildEntry(
        stepId,
        outcome.ok ? entry?.tool.remember(args, outcome.result) : noteOfFailure(stepId, outcome.code),
      ),
    };
    return StepOutcome.parse(kept);
  }

  /** Runs the work and journals its end; the result is read back as the journal will return it. */
  async #workOnce(
    stepId: string,
    work: () => Promise<unknown>,
    journaled: JournaledStep | undefined,
  ): Promise<z.output<typeof StepOutcome>> {
    await this.#begin(stepId, undefined, journaled);
    const outcome = await outcomeOfWork(work);
    if (!outcome.ok && isRetryable(outcome.code)) {
      return await this.#tryLater(stepId, (journaled?.attempt ?? 0) + 1, outcome);
    }
    if (outcome.ok) this.#endStep(stepId, "done", outcome);
    else this.#endStep(stepId, "failed", outcome, noteOfFailure(stepId, outcome.code));
    return StepOutcome.parse(outcome);
  }

  /** Journals the beginning of a step. Throws if the run was cancelled before it. */
  async #begin(stepId: string, tool: string | undefined, journaled: JournaledStep | undefined) {
    this.#refuseWhenDecided(stepId);
    const written = await this.#write({ stepId, position: this.#position, tool });
    if (!written.isMine) return await this.#leaveNow({ kind: "lost" });
    // A step that was begun may have happened: its outcome is found out first, so that it can be undone.
    const isCancelled = written.cancelRequestedBy !== undefined && !this.#isUndoing && !this.#isKept;
    if (isCancelled && journaled === undefined) throw this.#cancelled(stepId);
    return { isCancelled, key: written.key };
  }

  async #tryLater(stepId: string, attempt: number, outcome: Outcome & { ok: false }): Promise<never> {
    if (attempt % MOST_ATTEMPTS === 0) {
      const reason = `This failed after ${attempt} attempts: ${outcome.detail ?? outcome.code}`;
      return await this.#askAbout(stepId, "stuck", reason);
    }
    const backedOff = FIRST_RETRY_SECONDS * 2 ** Math.min(attempt - 1, 10);
    const seconds = Math.min(Math.max(backedOff, outcome.retryAfterSeconds ?? 0), LONGEST_RETRY_SECONDS);
    const at = this.#options.clock.now().add({ seconds });
    return await this.#leaveNow({ kind: "again", at, failed: { stepId, code: outcome.code } });
  }

  /** Once approved, the same call is repeated with the same key: the approval allows it once. */
  #askForApproval(stepId: string, tool: string, refusal: Outcome & { ok: false }): Promise<never> {
    const { extra } = refusal;
    const shown = { tool, ...(typeof extra === "object" ? extra : {}) };
    const asked = approvalPause(tool, refusal, shown, this.#options.clock.now());
    return this.#park(this.#questionId(stepId, "approval"), { step: stepId, ...asked, by: "person" });
  }

  #endStep(stepId: string, state: StepEnd["state"], outcome: object, note?: TripNote): void {
    const entry = this.#buildEntry(stepId, note);
    this.#ended = { stepId, state, outcome, meterId: undefined, priceMicro: undefined, entry };
  }

  /** The code differs from the one that wrote the journal, and does not handle older runs (`isSince`). */
  #isChanged(stepId: string, now: string): Promise<never> {
    this.#refuseWhenDecided(stepId);
    const was = this.#journal.get(stepId)?.tool ?? "a pause or other work";
    const reason = `The workflow was changed: its step ${stepId} was ${was} when the run did it, and is now ${now}. Deploy a workflow that knows runs of version ${this.run.version}, then retry, or cancel the run.`;
    return this.#askAbout(stepId, "changed", reason);
  }

  /** A person decides between another try and the end of the run. */
  #askAbout(stepId: string, question: string, reason: string): Promise<never> {
    return this.#park(this.#questionId(stepId, question), {
      step: stepId,
      reason,
      resolution: Retried,
      by: "caller",
      timeoutHours: STUCK_HOURS,
      onTimeout: { status: "cancelled" },
    });
  }

  /** Each repetition is a separate question. */
  #questionId(stepId: string, question: string): string {
    const prefix = `${stepId}:${question}:`;
    return `${prefix}${[...this.#journal.keys()].filter((id) => id.startsWith(prefix)).length + 1}`;
  }

  /** Throws if a person has declined the step. */
  #refuseWhenDecided(stepId: string): void {
    const refusal = findRefusal(this.#journal, stepId);
    if (refusal !== undefined) throw this.#refused(stepId, refusal.code, refusal.detail);
  }

  #cancelled(stepId: string): StepFailure {
    return this.#refused(
      stepId,
      "run_cancelled",
      `The run was cancelled by ${this.run.cancelRequestedBy ?? "its tenant"}.`,
    );
  }

  #refused(stepId: string, code: string, detail: string): StepFailure {
    this.#endStep(stepId, "failed", { ok: false, code, detail }, noteOfFailure(stepId, code));
    return new StepFailure(code, detail);
  }

  #buildEntry(stepId: string, note: TripNote | undefined): NewTripEntry | undefined {
    return note === undefined ? undefined : entryOfRun(this.run, stepId, note, this.#options.clock.now());
  }

  async #park<Resolution extends z.ZodObject>(stepId: string, pause: Pause<Resolution>): Promise<never> {
    const { runs, clock, random, workerId } = this.#options;
    const leased = { id: this.run.id, workerId };
    const parked = await runs.park(leased, this.run, {
      ended: this.#ended,
      sessionId: `ses_${randomBase62(SESSION_CHARACTERS, random)}`,
      stepId,
      position: this.#position,
      reason: pause.reason,
      decidedBy: pause.by,
      shown: pause.shown,
      event: pause.event,
      expects: z.toJSONSchema(pause.resolution),
      onTimeout: pause.onTimeout,
      needsOpenTrip: pause.needsOpenTrip ?? false,
      remindAt: clock.now().add({ seconds: Math.round(pause.timeoutHours * 1_800) }),
      expiresAt: clock.now().add({ seconds: Math.round(pause.timeoutHours * 3_600) }),
    });
    if (parked === "lost") {
      if (!(await this.#write(undefined)).isMine) return await this.#leaveNow({ kind: "lost" });
      // Cancelled just now: the next worker sees that.
      await runs.postpone(leased, clock.now());
    }
    return await this.#leaveNow({ kind: "parked" });
  }

  /** Undoes everything in reverse order and reports what cannot be undone. */
  async #undoAll(): Promise<Undone> {
    this.#isUndoing = true;
    const [undone, notUndone, ends]: [string[], string[], UndoEnd[]] = [[], [], []];
    for (const { step, work } of this.#undos.toReversed()) {
      try {
        const end = await work();
        if (end !== undefined) ends.push(end);
        undone.push(step);
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        notUndone.push(`${step}: ${error.code}: ${error.message}`);
      }
    }
    return { undone, notUndone, ...sumEnds(ends) };
  }

  #named(step: string): string {
    return this.#isUndoing ? `undo:${step}` : step;
  }

  /** A repeated step is numbered, so that each has a unique name. */
  #nextId(step: string): string {
    const name = this.#named(step);
    const count = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, count);
    this.#position += 1;
    this.#lastStep = count === 1 ? name : `${name}:${count}`;
    return this.#lastStep;
  }

  async #write(begun: { stepId: string; position: number; tool: string | undefined } | undefined): Promise<Journaled> {
    const ended = this.#ended;
    if (ended === undefined && begun === undefined) return NOTHING_JOURNALED;
    this.#ended = undefined;
    return await this.#options.runs.journal({ id: this.run.id, workerId: this.#options.workerId }, { ended, begun });
  }

  /** The workflow's function is abandoned where it stands. */
  #leaveNow(leaving: Leaving): Promise<never> {
    this.#leave(leaving);
    return new Promise<never>(() => undefined);
  }
}
