import { defineJob, type Job } from "../../kernel/contracts/job.ts";
import type { Parts } from "./context.ts";

const FORGET_MILLISECONDS = 3_600_000;
const KEPT_DAYS = 90;

export function messageJobs({ stores, clock }: Pick<Parts, "stores" | "clock">): readonly Job[] {
  const forget = async () => {
    const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
    // Yesterday's counts are kept, since the clocks of several processes do not pass midnight together.
    await stores.messageCounts.forget(today.subtract({ days: 1 }));
    await stores.messages.forget(clock.now().subtract({ hours: 24 * KEPT_DAYS }));
  };
  return [defineJob({ name: "forget-messages", everyMilliseconds: FORGET_MILLISECONDS, run: forget })];
}
