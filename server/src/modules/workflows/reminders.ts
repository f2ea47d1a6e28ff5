import type { Hex } from "../../domain/tokens.ts";
import type { EffectRecord, EffectStore } from "../effects/index.ts";
import type { RunOwner } from "./runs.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "workflows.pauseReminders": PauseReminders;
  }
}

/** A mail to somebody who can resolve a pause. */
export interface PauseReminder extends EffectRecord, RunOwner {
  sessionId: string;
  /** Undefined: the guest of the run's trip. */
  userId: string | undefined;
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

export interface PauseReminders extends EffectStore<PauseReminder> {
  /**
   * Marks open pauses of which half of the time is over as reminded, and stores a mail for each who can resolve one: the guest for a
   * claim, approvers for what a person decides, the run's own user or else bookers for the rest. How many pauses that were.
   */
  remind(limit: number): Promise<number>;
  /** Undefined: it was resolved meanwhile. */
  pauseOf(reminder: PauseReminder): Promise<RemindedPause | undefined>;
}
