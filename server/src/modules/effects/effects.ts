declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "effects.effects": Effects;
  }
}

/**
 * What a call that writes or spends did outside, so that a crash between its effect and its answer can be settled:
 * the sweep captures calls whose effect is done, releases those without one, and leaves those that are still open.
 */
export interface Effects {
  /** In the transaction that stores the intent: from now on the call's outcome is undecided. */
  open(callId: string): Promise<void>;
  /** In the transaction that stores the success, with the tool's result. */
  done(callId: string, result: unknown): Promise<void>;
  /** In the transaction that stores that nothing happened. */
  failed(callId: string): Promise<void>;
}
