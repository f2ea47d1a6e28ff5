import type { Cover, PurposeCall } from "../../kernel/contracts/call-plan.ts";
import type { JobQueue } from "../../kernel/contracts/job.ts";
import type { Environment, StoredKey } from "../../ports/identity.ts";
import type { NewTripEntry } from "../trip-record/index.ts";

type RunState = "running" | "paused" | "completed" | "failed";

export interface Run {
  id: string;
  tenantId: string;
  environment: Environment;
  workflowId: string;
  /** The workflow's version when the run began. */
  version: number;
  /** Undefined: the key's service account. */
  userId: string | undefined;
  /** The key whose scopes and environment its calls have. */
  keyId: string;
  input: Readonly<Record<string, unknown>>;
  tripId: string | undefined;
  state: RunState;
  cancelRequestedBy: string | undefined;
  result: unknown;
  failure: unknown;
  traceId: string;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
  endedAt: Temporal.Instant | undefined;
}

/** A call that a run makes. */
export interface RunCall {
  tool: string;
  args: object;
  policyId?: string | undefined;
  leadTravelerId?: string | undefined;
  purpose?: PurposeCall | undefined;
  cover?: Cover | undefined;
  /** Left out for calls without an effect. */
  idempotencyKey?: string;
  /** The step's first attempt. */
  isKeyNew?: boolean;
}

export interface NewRun
  extends Pick<Run, "id" | "tenantId" | "environment" | "workflowId" | "version" | "userId" | "keyId"> {
  input: Readonly<Record<string, unknown>>;
  tripId: string | undefined;
  traceId: string;
  idempotencyKey: string | undefined;
  /** Distinguishes a repetition from another request with the same key. */
  requestHash: string;
}

/** `running`: its call is under way or will be repeated · `waiting`: a pause · `done` and `failed`: it has an outcome. */
type StepState = "running" | "waiting" | "done" | "failed";

/** One line of a run's journal. */
export interface JournaledStep {
  stepId: string;
  position: number;
  /** Undefined: a pause. */
  tool: string | undefined;
  state: StepState;
  attempt: number;
  /** The outcome of the call or the pause. */
  outcome: unknown;
  meterId: string | undefined;
  priceMicro: bigint | undefined;
  startedAt: Temporal.Instant;
  endedAt: Temporal.Instant | undefined;
  /** For a pause. */
  remindedAt: Temporal.Instant | undefined;
}

export interface StepEnd {
  stepId: string;
  /** For the record of the run's trip. */
  entry: NewTripEntry | undefined;
  state: "done" | "failed";
  outcome: unknown;
  meterId: string | undefined;
  priceMicro: bigint | undefined;
}

/** The resolver of a pause that expires. */
export const TIMEOUT = "timeout";

/** Who may resolve a pause. */
export type DecidedBy = "caller" | "person" | "service";

export interface NewPause {
  sessionId: string;
  stepId: string;
  position: number;
  reason: string;
  decidedBy: DecidedBy;
  /** JSON Schema of the resolution. */
  expects: Readonly<Record<string, unknown>>;
  shown: object | undefined;
  event: { readonly name: string; readonly subject: string } | undefined;
  onTimeout: Readonly<Record<string, unknown>>;
  /** The run ends when its trip is closed. */
  needsOpenTrip: boolean;
  /** When everyone who can resolve it is reminded. */
  remindAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
}

export interface RunPause extends Omit<NewPause, "position" | "event" | "remindAt" | "needsOpenTrip"> {
  runId: string;
  /** The event that resolves it. */
  event: string | undefined;
  about: string | undefined;
  createdAt: Temporal.Instant;
}

/** A run is visible to its tenant in its environment. */
export type RunOwner = Pick<Run, "tenantId" | "environment">;

export interface RunTimeline {
  run: Run;
  pause: RunPause | undefined;
  steps: readonly JournaledStep[];
}

interface FoundSession {
  run: Run;
  pause: RunPause;
  /** False: it was resolved, or the run was cancelled. */
  isOpen: boolean;
}

/** A run leased by this worker. Every change returns false if another worker has it by now. */
interface LeasedRun {
  id: string;
  workerId: string;
}

/** The end of the step before, which is stored in the same statement. Lost with the change that is not made. */
export interface LastStep {
  ended: StepEnd | undefined;
}

/** The run's key as it was just read; undefined if it was revoked. */
export interface ReadKey {
  key: StoredKey | undefined;
}

/** `isMine` is false: another worker has the run by now. `cancelRequestedBy`: who has requested its cancellation meanwhile. */
export type Journaled = { isMine: false } | ({ isMine: true; cancelRequestedBy: string | undefined } & ReadKey);

export const NOTHING_JOURNALED: Journaled = { isMine: true, cancelRequestedBy: undefined, key: undefined };

/** The store of runs. */
export interface Runs {
  /**
   * Returns the new run, or the earlier one with the same idempotency key; `mismatch` if that was a different request, `no_user`
   * if the run's user was erased. No user of `keptUserIds`, among them the run's, is erased while the run is being stored.
   */
  insert(
    run: NewRun,
    keptUserIds?: readonly string[],
  ): Promise<{ kind: "new" | "same"; run: Run } | { kind: "mismatch" } | { kind: "no_user" }>;
  /** Whether a run was started with the key. */
  isKnown(of: { tenantId: string; environment: Environment }, idempotencyKey: string): Promise<boolean>;
  find(owners: readonly RunOwner[], runId: string): Promise<Run | undefined>;
  list(
    tenantId: string,
    environment: Environment,
    page: { limit: number; before: string | undefined; state: RunState | undefined },
  ): Promise<readonly Run[]>;
  /** The paused runs of a trip. */
  listPaused(owner: RunOwner, tripId: string): Promise<readonly Run[]>;
  steps(runId: string): Promise<readonly JournaledStep[]>;
  /** The run with its open pause and all its steps, in one statement. */
  read(owners: readonly RunOwner[], runId: string): Promise<RunTimeline | undefined>;

  /** Leases due runs without a worker whose heartbeat is recent enough. */
  lease(workerId: string, limit: number, staleSeconds: number): Promise<readonly Run[]>;
  /** The runs that `lease` would return. */
  queue(staleSeconds: number): JobQueue;
  touch(leased: LeasedRun): Promise<boolean>;
  /** Ends one step, begins the next one, or both at once. */
  journal(
    leased: LeasedRun,
    change: {
      ended?: StepEnd | undefined;
      begun?: { stepId: string; position: number; tool: string | undefined } | undefined;
    },
  ): Promise<Journaled>;
  /** Pauses the run; `already` if the awaited event has happened before. */
  park(leased: LeasedRun, run: Run, pause: NewPause & LastStep): Promise<"paused" | "already" | "lost">;
  /** Releases the run, which is executed again from `at` on. `failed`: the failed attempt at a step that causes this. */
  postpone(leased: LeasedRun, at: Temporal.Instant, failed?: { stepId: string; code: string }): Promise<boolean>;
  end(
    leased: LeasedRun,
    run: Run,
    end: ({ state: "completed"; result: unknown } | { state: "failed"; failure: unknown }) & LastStep,
  ): Promise<boolean>;
  /** Releases all leases of a stopping process. */
  release(workerId: string): Promise<void>;

  /** Finds the session's pause; undefined: none of these owners has it. */
  findSession(owners: readonly RunOwner[], sessionId: string): Promise<FoundSession | undefined>;
  /** False: it was resolved before. */
  resolve(sessionId: string, resolution: object, by: string, keyId?: string): Promise<boolean>;
  /** Resolves expired pauses; returns how many. */
  expire(limit: number): Promise<number>;
  /** `steps`: cancels only if no further step has begun, as the assessed loss covers only these; otherwise `gone_on`. */
  requestCancel(runId: string, by: string, steps?: number): Promise<"cancelled" | "ended" | "gone_on">;
  /** Removes older ended runs and events. */
  prune(before: Temporal.Instant): Promise<number>;
}

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "workflows.runs": Runs;
  }
}
