import type { TripNote } from "../../../kernel/contracts/trip-note.ts";
import type { NewTripEntry } from "../../trip-record/index.ts";
import type { Run } from "../runs.ts";

/** The fields of a run that its trip's record needs. */
export type Runner = Pick<Run, "id" | "userId" | "keyId">;

/** `told`: the part of the run that the entry is about, such as a step. */
export function entryOfRun(run: Runner, told: string, note: TripNote, at: Temporal.Instant): NewTripEntry {
  const { id: runId, userId, keyId } = run;
  const details = { ...note.details, runId };
  return { ...note, key: note.key ?? `${runId}:${told}`, details, userId: userId ?? `svc:${keyId}`, at };
}

export const noteOfFailure = (stepId: string, code: string): TripNote => ({
  kind: "run",
  text: `The step ${stepId} failed: ${code}.`,
  details: { step: stepId, code },
});
