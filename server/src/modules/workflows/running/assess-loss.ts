import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { parseDecimal } from "../../../domain/money.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { Answer } from "../../../kernel/contracts/invocation.ts";
import {
  type Naming,
  type OrderEnd,
  type Pause,
  StepFailure,
  type Steps,
  type Workflow,
} from "../../../kernel/contracts/workflow.ts";
import type { JournaledStep, Run, RunCall } from "../runs.ts";
import { isOver, outcomeOfWork, PauseOutcome, readAnswer, StepOutcome } from "./journaled-answer.ts";

const Approved = z.object({ resolution: z.object({ status: z.literal("approved") }) });

/** The end of the journal is reached. */
class EndOfJournal extends Error {}

export interface AssessOptions {
  catalog: Pick<Catalog, "find">;
  collectionAddress: string;
  invoke(run: Run, call: RunCall): Promise<Answer | undefined>;
}

/**
 * Computes what cancelling the run now would lose. Its function replays the journal, then the undos state their expected
 * results; their questions are asked anew and not journaled.
 */
export async function assessLoss(
  options: AssessOptions,
  workflow: Workflow,
  run: Run,
  journal: readonly JournaledStep[],
): Promise<readonly OrderEnd[]> {
  const assessment = new Assessment(options, workflow, run, journal);
  try {
    await workflow.run(run.input, assessment);
  } catch (error) {
    if (!(error instanceof EndOfJournal)) {
      // The run is undoing already, whether or not it is cancelled.
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
  readonly #workflow: Workflow;
  readonly #run: Run;
  readonly #journal: ReadonlyMap<string, JournaledStep>;
  readonly #seen = new Map<string, number>();
  readonly #expected: (() => Promise<OrderEnd | undefined>)[] = [];
  #isAsking = false;

  constructor(options: AssessOptions, workflow: Workflow, run: Run, journal: readonly JournaledStep[]) {
    this.#options = options;
    this.#workflow = workflow;
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

  readonly call = async (tool: string, args: object, { step = tool }: Naming = {}): Promise<unknown> => {
    const outcome = this.#isAsking ? await this.#ask(tool, args) : StepOutcome.parse(this.#next(step).outcome);
    if (!outcome.ok) throw new StepFailure(outcome.code, outcome.detail ?? outcome.code);
    const read = readAnswer(this.#options.catalog, this.#workflow, tool, outcome.result);
    if (read === undefined) throw new Error(`The journal has an answer of ${tool} that its schema does not know.`);
    return read.answer;
  };

  readonly step = async <Result extends z.ZodType>(
    name: string,
    result: Result,
    work: () => Promise<z.input<Result>>,
  ): Promise<z.output<Result>> => {
    const outcome = this.#isAsking ? await outcomeOfWork(work) : StepOutcome.parse(this.#next(name).outcome);
    if (!outcome.ok) throw new StepFailure(outcome.code, outcome.detail ?? outcome.code);
    return result.parse(outcome.result);
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

  /** Quotes of orders do not depend on the lead traveler. */
  readonly leadBy = (): void => undefined;

  readonly isSince = (version: number): boolean => this.#run.version >= version;

  /** Throws if the run has not completed this step. */
  #next(step: string): JournaledStep {
    const count = (this.#seen.get(step) ?? 0) + 1;
    this.#seen.set(step, count);
    const journaled = this.#journal.get(count === 1 ? step : `${step}:${count}`);
    // Without an outcome, it is a pause that ended with the run.
    if (!isOver(journaled) || journaled.outcome === undefined) throw new EndOfJournal();
    return journaled;
  }

  async #ask(tool: string, args: object): Promise<z.output<typeof StepOutcome>> {
    const answer = await this.#options.invoke(this.#run, { tool, args });
    if (answer !== undefined) return StepOutcome.parse(answer.outcome);
    throw new Failure("missing_scope", {
      detail: `The run's key may no longer call ${tool}, so the loss from cancelling is unknown. Accept the loss, or resume the run with another key.`,
    });
  }
}
