import type { Cover, PurposeCall } from "../../kernel/contracts/plan.ts";
import type { Environment } from "../../ports/identity.ts";
import type { NewTripEntry } from "../memory/index.ts";

type RunState = "running" | "paused" | "completed" | "failed";

export interface Run {
  id: string;
  tenantId: string;
  environment: Environment;
  workflowId: string;
  /** Of the workflow that it began with. */
  version: number;
  /** Undefined: the key's service account. */
  userId: string | undefined;
  /** Whose scopes and environment its calls have. */
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
  /** Left out where nothing is done. */
  idempotencyKey?: string;
}

export interface NewRun
  extends Pick<Run, "id" | "tenantId" | "environment" | "workflowId" | "version" | "userId" | "keyId"> {
  input: Readonly<Record<string, unknown>>;
  tripId: string | undefined;
  traceId: string;
  idempotencyKey: string | undefined;
  /** Of what was asked for, to tell a repeat from another request with the same key. */
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
  /** What the call or the pause ended with. */
  outcome: unknown;
  meterId: string | undefined;
  priceMicro: bigint | undefined;
  startedAt: Temporal.Instant;
  endedAt: Temporal.Instant | undefined;
  /** Of a pause. */
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

/** Who gives the resolution when the time of a pause is over. */
export const TIMEOUT = "timeout";

/** Who may give the resolution of a pause. */
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
  /** Whoever can resolve it is reminded then. */
  remindAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
}

export interface RunPause extends Omit<NewPause, "position" | "event" | "remindAt" | "needsOpenTrip"> {
  runId: string;
  /** What resolves it by happening. */
  event: string | undefined;
  about: string | undefined;
  createdAt: Temporal.Instant;
}

/** A run is there for its tenant, in its environment. */
export type RunOwner = Pick<Run, "tenantId" | "environment">;

interface FoundSession {
  run: Run;
  pause: RunPause;
  /** False: it was resolved, or the run was cancelled. */
  isOpen: boolean;
}

/** Of a run whose lease this worker has. Every change answers false when another worker has it by now. */
interface LeasedRun {
  id: string;
  workerId: string;
}

export interface Journaled {
  /** False: another worker has the run by now. */
  isMine: boolean;
  /** Who has asked for the end of the run meanwhile. */
  cancelRequestedBy: string | undefined;
}

/** What is stored of runs. */
export interface Runs {
  /** The run, new or, for the same idempotency key, the one that was made before; `mismatch` when that was another request. */
  insert(run: NewRun): Promise<{ kind: "new" | "same"; run: Run } | { kind: "mismatch" }>;
  /** Whether the key has started a run. */
  isKnown(of: { tenantId: string; environment: Environment }, idempotencyKey: string): Promise<boolean>;
  find(owners: readonly RunOwner[], runId: string): Promise<Run | undefined>;
  list(
    tenantId: string,
    environment: Environment,
    page: { limit: number; before: string | undefined; state: RunState | undefined },
  ): Promise<readonly Run[]>;
  /** Of a trip. */
  pausedOf(owner: RunOwner, tripId: string): Promise<readonly Run[]>;
  steps(runId: string): Promise<readonly JournaledStep[]>;
  openPause(runId: string): Promise<RunPause | undefined>;

  /** Takes over runs that are to be executed and that no worker has which has said within so many seconds that it lives. */
  lease(workerId: string, limit: number, staleSeconds: number): Promise<readonly Run[]>;
  touch(leased: LeasedRun): Promise<boolean>;
  /** Ends one step, begins the next one, or both at once. */
  journal(
    leased: LeasedRun,
    change: {
      ended?: StepEnd | undefined;
      begun?: { stepId: string; position: number; tool: string | undefined } | undefined;
    },
  ): Promise<Journaled>;
  /** The run waits; `already` when what it waits for has happened before. */
  park(leased: LeasedRun, run: Run, pause: NewPause): Promise<"paused" | "already" | "lost">;
  /** The worker lets go, and the run is executed again from `at` on. `failed`: the attempt at a step after which it is. */
  postpone(leased: LeasedRun, at: Temporal.Instant, failed?: { stepId: string; code: string }): Promise<boolean>;
  end(
    leased: LeasedRun,
    end: { state: "completed"; result: unknown } | { state: "failed"; failure: unknown },
  ): Promise<boolean>;
  /** Leases of a process that stops are free at once. */
  release(workerId: string): Promise<void>;

  /** What a session is of: undefined: none of these owners has it. */
  findSession(owners: readonly RunOwner[], sessionId: string): Promise<FoundSession | undefined>;
  /** False: it was resolved before. */
  resolve(sessionId: string, resolution: object, by: string, keyId?: string): Promise<boolean>;
  /** Resolves pauses whose time is over; how many those were. */
  expire(limit: number): Promise<number>;
  /** `steps`: only while it has begun so many, as what it would lose is known of these; else it has `gone_on`. */
  requestCancel(runId: string, by: string, steps?: number): Promise<"cancelled" | "ended" | "gone_on">;
  /** Removes runs that ended before then, and events that old. */
  prune(before: Temporal.Instant): Promise<number>;
}

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "workflows.runs": Runs;
  }
}
