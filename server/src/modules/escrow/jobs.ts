import { defineJob, type Job } from "../../kernel/job.ts";
import { listEnvironments, type Parts } from "../../kernel/parts.ts";
import { releaseTrips } from "./release-trips.ts";

const RELEASE_MILLISECONDS = 60_000;
const FORGET_MILLISECONDS = 3_600_000;

export function escrowJobs({
  networks,
  submitters,
  stores,
  clock,
  log,
}: Pick<Parts, "networks" | "submitters" | "stores" | "clock" | "log">): readonly Job[] {
  const releases = listEnvironments(networks).flatMap(([environment, { chain }]) => {
    const submission = submitters[environment];
    if (submission === undefined) return [];
    const run = () => releaseTrips({ stores, chain, submission, clock, log });
    return [defineJob({ name: `release-trips ${environment}`, everyMilliseconds: RELEASE_MILLISECONDS, run })];
  });
  // Yesterday's counts stay, as the clocks of several processes do not pass midnight together.
  const forget = () =>
    stores.guestMails.forgetCounts(clock.now().toZonedDateTimeISO("UTC").toPlainDate().subtract({ days: 1 }));
  return [
    ...releases,
    defineJob({ name: "forget-guest-mail-counts", everyMilliseconds: FORGET_MILLISECONDS, run: forget }),
  ];
}
