import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { Answer } from "../../kernel/invoke.ts";
import {
  type Naming,
  type OrderEnd,
  type Pause,
  StepFailure,
  type Steps,
  type Workflow,
} from "../../kernel/workflow.ts";
import type { JournaledStep, Run, RunCall } from "./runs.ts";

const CallOutcome = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), code: z.string(), detail: z.string().optional() }),
]);
const PauseOutcome = z.object({ resolution: z.unknown() });
const Approved = z.object({ resolution: z.object({ status: z.literal("approved") }) });

/** The run has got as far as its journal says. */
class EndOfJournal extends Error {}

export interface AssessOptions {
  collectionAddress: string;
  invoke(run: Run, call: RunCall): Promise<Answer | undefined>;
}

/**
 * What would be lost if the run were cancelled where it is. Its function runs through what the journal has, and then the undos say what
 * they expect; their questions are asked anew each time and leave nothing in the journal.
 */
export async function assessLoss(
  options: AssessOptions,
  workflow: Workflow,
  run: Run,
  journal: readonly JournaledStep[],
): Promise<readonly OrderEnd[]> {
  const assessment = new Assessment(options, run, journal);
  try {
    await workflow.run(run.input, assessment);
  } catch (error) {
    if (!(error instanceof EndOfJournal)) {
      // It undoes what it did already, whether or not it is cancelled.
      if (error instanceof StepFailure) return [];
      throw error;
    }
  }
  const ends = await assessment.expectedEnds();
  return ends.filter(({ lostUsdc }) => (parseDecimal(lostUsdc) ?? 0n) > 0n);
}

class Assessment implements Steps {
  readonly run: Steps["run"];
  readonly #options: AssessOptions;
  readonly #run: Run;
  readonly #journal: ReadonlyMap<string, JournaledStep>;
  readonly #seen = new Map<string, number>();
  readonly #expected: (() => Promise<OrderEnd | undefined>)[] = [];
  #isAsking = false;

  constructor(options: AssessOptions, run: Run, journal: readonly JournaledStep[]) {
    this.#options = options;
    this.#run = run;
    this.run = { ...run, collectionAddress: options.collectionAddress };
    this.#journal = new Map(journal.map((step) => [step.stepId, step]));
  }

  async expectedEnds(): Promise<readonly OrderEnd[]> {
    this.#isAsking = true;
    const ends: OrderEnd[] = [];
    for (const ask of this.#expected) {
      const end = await ask();
      if (end !== undefined) ends.push(end);
    }
    return ends;
  }

  readonly call = async <Output extends z.ZodType>(
    tool: string,
    args: object,
    answer: Output,
    { step = tool }: Naming = {},
  ): Promise<z.output<Output>> => {
    const outcome = this.#isAsking ? await this.#ask(tool, args) : CallOutcome.parse(this.#next(step).outcome);
    if (!outcome.ok) throw new StepFailure(outcome.code, outcome.detail ?? outcome.code);
    return answer.parse(outcome.result);
  };

  readonly pause = async <Resolution extends z.ZodObject>({
    step,
    resolution,
  }: Pause<Resolution>): Promise<z.output<Resolution>> =>
    resolution.parse(PauseOutcome.parse(this.#next(step).outcome).resolution);

  readonly approve: Steps["approve"] = async ({ step }) => {
    if (!Approved.safeParse(this.#next(step).outcome).success) throw new StepFailure("approval_rejected", "rejected");
  };

  readonly undo: Steps["undo"] = (_work, expected) => {
    if (expected !== undefined) this.#expected.push(expected);
  };

  readonly keep = (): void => {
    this.#expected.length = 0;
  };

  /** Orders are quoted whoever travels. */
  readonly leadBy = (): void => undefined;

  readonly isSince = (version: number): boolean => this.#run.version >= version;

  /** Throws where the run has not come to the end of this step. */
  #next(step: string): JournaledStep {
    const count = (this.#seen.get(step) ?? 0) + 1;
    this.#seen.set(step, count);
    const journaled = this.#journal.get(count === 1 ? step : `${step}:${count}`);
    // Without an outcome it is a pause that ended with the run.
    const isOver = (journaled?.state === "done" || journaled?.state === "failed") && journaled.outcome !== undefined;
    if (!isOver) throw new EndOfJournal();
    return journaled;
  }

  async #ask(tool: string, args: object): Promise<z.output<typeof CallOutcome>> {
    const answer = await this.#options.invoke(this.#run, { tool, args });
    if (answer !== undefined) return CallOutcome.parse(answer.outcome);
    throw new Failure("missing_scope", {
      detail: `The run's key may not call ${tool} any more, so that nobody knows what cancelling would lose. Accept the loss, or resume the run with another key.`,
    });
  }
}
