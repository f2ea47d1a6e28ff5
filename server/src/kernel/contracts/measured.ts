import { defineJob, type Job } from "./job.ts";

/** The last result of a job, for metrics: they are read often and must not cost queries. */
export interface Measured<Value> {
  /** Undefined until the job has ended once. */
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
