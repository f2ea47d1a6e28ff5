import { defineJob, type Job } from "../../kernel/contracts/job.ts";
import { listEnvironments } from "../../kernel/contracts/parts.ts";
import type { Parts } from "./context.ts";
import { releaseTrips } from "./expiry/release-trips.ts";
import { payAllUncovered } from "./orders/pay-uncovered.ts";

const RELEASE_MILLISECONDS = 60_000;

export function escrowJobs({
  chains,
  submitters,
  stores,
  clock,
  log,
}: Pick<Parts, "chains" | "submitters" | "stores" | "clock" | "log">): readonly Job[] {
  return listEnvironments(chains).flatMap(([environment, { chain }]) => {
    const submission = submitters[environment];
    if (submission === undefined) return [];
    const run = () => releaseTrips({ stores, chain, submission, clock, log });
    const pay = () => payAllUncovered(stores, environment);
    return [
      defineJob({ name: `release-trips ${environment}`, everyMilliseconds: RELEASE_MILLISECONDS, run }),
      defineJob({ name: `pay-uncovered ${environment}`, everyMilliseconds: RELEASE_MILLISECONDS, run: pay }),
    ];
  });
}
