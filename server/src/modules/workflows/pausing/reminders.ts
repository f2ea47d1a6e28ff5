import type { Hex } from "../../../domain/tokens.ts";
import type { RunOwner } from "../runs.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "workflows.pauseReminders": PauseReminders;
  }
}

/** A pause of which half of the time is over. */
export interface DuePause extends RunOwner {
  sessionId: string;
  traceId: string | null;
  /** Whoever can resolve it; undefined: the guest of the run's trip. */
  userIds: readonly (string | undefined)[];
}

/** What the mail says. */
export interface RemindedPause {
  runId: string;
  workflowId: string;
  tripId: Hex | undefined;
  reason: string;
  /** Of what resolves it by happening. */
  event: string | undefined;
  about: string | undefined;
  onTimeout: Readonly<Record<string, unknown>>;
  expiresAt: Temporal.Instant;
}

export interface PauseReminders {
  isAnyDue(): Promise<boolean>;
  /**
   * Marks open pauses of which half of the time is over as reminded, with whoever can resolve each: the guest for a claim, approvers
   * for what a person decides, the run's own user or else bookers for the rest.
   */
  takeDue(limit: number): Promise<readonly DuePause[]>;
  /** Undefined: it was resolved meanwhile. */
  find(owner: RunOwner, sessionId: string): Promise<RemindedPause | undefined>;
}
