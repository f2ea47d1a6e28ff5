import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { Outcome } from "../../../kernel/contracts/charge.ts";
import { StepFailure, type Workflow } from "../../../kernel/contracts/workflow.ts";
import type { JournaledStep } from "../runs.ts";

export const PauseOutcome = z.object({ resolution: z.unknown() });

/** The journaled outcome of a step that is not a pause. */
export const StepOutcome = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), code: z.string(), detail: z.string().optional() }),
]);

export function isOver(step: JournaledStep | undefined): step is JournaledStep {
  return step?.state === "done" || step?.state === "failed";
}

/** The outcome of work that is not a call. An error that is not a Failure is thrown, and the run is retried later. */
export async function outcomeOfWork(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, result: JSON.parse(JSON.stringify((await work()) ?? null)) };
  } catch (error) {
    if (error instanceof StepFailure) return { ok: false, code: error.code, detail: error.message };
    if (!(error instanceof Failure)) throw error;
    const { code, detail = code, retryAfterSeconds } = error;
    return { ok: false, code, detail, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
}

/** Removes values shown once, which are not stored. */
export function keepOutcome(outcome: Outcome, redact: ((result: unknown) => unknown) | undefined): Outcome {
  if (!outcome.ok) return outcome;
  return { ok: true, result: redact === undefined ? outcome.result : redact(outcome.result) };
}

/**
 * Reads a new or journaled answer by its tool's schema. An answer of an earlier release may lack fields: the workflow names the
 * default values that it needs. Undefined: it differs in another way.
 */
export function readAnswer(
  catalog: Pick<Catalog, "find">,
  { earlierAnswers }: Pick<Workflow, "earlierAnswers">,
  tool: string,
  stored: unknown,
): { answer: unknown } | undefined {
  const earlier = earlierAnswers[tool];
  const complete: unknown = earlier === undefined ? stored : Object.assign({}, earlier, stored);
  const read = catalog.find(tool)?.tool.output.safeParse(complete);
  if (read === undefined) return undefined;
  if (read.success) return { answer: read.data };
  return read.error.issues.every(({ path }) => isMissing(complete, path)) ? { answer: complete } : undefined;
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return false;
    at = Object.getOwnPropertyDescriptor(at, name)?.value;
  }
  return at === undefined;
}
