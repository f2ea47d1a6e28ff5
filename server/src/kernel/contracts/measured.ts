import { defineJob, type Job } from "./job.ts";

/** What a job has found out last, for metrics: those are read often and by many, and must not cost queries. */
export interface Measured<Value> {
  /** Undefined: the job has not ended for the first time. */
  latest(): Value | undefined;
  readonly job: Job;
}

export function measured<Value>(
  name: string,
  everyMilliseconds: number,
  measure: () => Promise<Value>,
): Measured<Value> {
  let latest: Value | undefined;
  return {
    latest: () => latest,
    job: defineJob({
      name,
      everyMilliseconds,
      async run() {
        latest = await measure();
      },
    }),
  };
}
