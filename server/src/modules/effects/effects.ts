import type { Write } from "../../platform/database/write-together.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "effects.effects": Effects;
  }
}

/** A call before its effect was opened. */
export interface CallBefore {
  state: string;
  effect: string;
}

/**
 * The effects outside of calls that write or spend, so that a crash between effect and answer can be settled: the sweep
 * captures calls whose effect is done, releases those without one, and leaves open ones.
 */
export interface Effects {
  /** In the transaction that stores the intent: from now on the call's outcome is undecided. */
  open(callId: string): Promise<void>;
  /** The rest of `open` after `openCall` in the same transaction. `before`: its answer. */
  opened(callId: string, before: CallBefore | undefined): Promise<void>;
  /** In the transaction that stores the success, with the tool's result. `writes` come first, in the same statement. */
  done(callId: string, result: unknown, writes?: readonly Write[]): Promise<void>;
  /** In the transaction that stores that nothing happened. */
  failed(callId: string): Promise<void>;
}
