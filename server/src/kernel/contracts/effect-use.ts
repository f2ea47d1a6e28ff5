import type { Log } from "../../ports/log.ts";

/** One kind of effects outside whose outcome can become unknown, and that are finished without a caller. */
export interface EffectUse {
  name: string;
  /** Works on every record that waits for it; how many that were. Never throws for one record's trouble. */
  reconcile(reconciler: Reconciler): Promise<number>;
}

export interface Reconciler {
  /** Differs between processes, so that they never take one record for their own. */
  workerId: string;
  log: Log;
  staleSeconds?: number;
}
