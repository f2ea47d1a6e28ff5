import type { Hex } from "../../../domain/tokens.ts";
import type { RunOwner } from "../runs.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "workflows.pauseReminders": PauseReminders;
  }
}

/** A pause past half of its time. */
export interface DuePause extends RunOwner {
  sessionId: string;
  traceId: string | null;
  /** Everyone who can resolve it; undefined: the guest of the run's trip. */
  userIds: readonly (string | undefined)[];
}

/** The contents of the mail. */
export interface RemindedPause {
  runId: string;
  workflowId: string;
  tripId: Hex | undefined;
  reason: string;
  /** The event that resolves it. */
  event: string | undefined;
  about: string | undefined;
  onTimeout: Readonly<Record<string, unknown>>;
  expiresAt: Temporal.Instant;
}

export interface PauseReminders {
  isAnyDue(): Promise<boolean>;
  /**
   * Marks open pauses past half of their time as reminded, and returns who can resolve each: the guest for a claim, approvers
   * for a person's decision, otherwise the run's own user or else bookers.
   */
  takeDue(limit: number): Promise<readonly DuePause[]>;
  /** Undefined: it was resolved meanwhile. */
  find(owner: RunOwner, sessionId: string): Promise<RemindedPause | undefined>;
}
