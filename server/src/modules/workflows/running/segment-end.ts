import type { LastStep } from "../runs.ts";
import type { Undone } from "./undone.ts";

/** Why a worker leaves a run: it waits, it is retried later, or another worker has it. */
export type Leaving =
  | { kind: "parked" }
  | { kind: "again"; at: Temporal.Instant; failed?: { stepId: string; code: string } }
  | { kind: "lost" };

export type SegmentEnd = Leaving | RunEnd;

type RunEnd = LastStep &
  ({ kind: "completed"; result: unknown } | { kind: "failed"; failure: { code: string; detail: string } & Undone });
