import type { Log } from "../../ports/log.ts";
import type { JobQueue } from "./job.ts";

/** A kind of effect outside whose outcome can become unknown, and that is finished without a caller. */
export interface EffectUse {
  name: string;
  queue: JobQueue;
  /** Works on every record that waits, and returns their number. Never throws because of one record. */
  reconcile(reconciler: Reconciler): Promise<number>;
}

export interface Reconciler {
  /** Unique per process, so that two processes never lease the same record. */
  workerId: string;
  log: Log;
  staleSeconds?: number;
}
