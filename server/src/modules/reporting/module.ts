import { setTimeout as delay } from "node:timers/promises";
import { defineJob } from "../../kernel/contracts/job.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { Clock } from "../../ports/clock.ts";
import { formatMonth } from "../charging/index.ts";
import { callRecords } from "./call-records.ts";
import { defineModule, type Stores } from "./context.ts";
import { FailedCallLog } from "./failed-call-log.ts";
import * as usageSums from "./migrations/0069-usage-sums.ts";
import * as failedCalls from "./migrations/0117-failed-calls.ts";
import * as usageByPayer from "./migrations/0211-usage-by-payer.ts";
import { usageRoutes } from "./routes.ts";
import { describeSpending } from "./spending.ts";
import { createFailedCalls } from "./store-failed-calls.ts";
import { createPayerSums } from "./store-payer-sums.ts";
import { createUsage } from "./store-usage.ts";
import { makeUsagePartitions, retireUsagePartitions } from "./store-usage-partitions.ts";
import { createUsageSums } from "./store-usage-sums.ts";
import { listFailedCalls } from "./tools/list-failed-calls.ts";
import { listUsage } from "./tools/list-usage.ts";
import type { Usage } from "./usage.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "reporting.usage": Usage;
    readonly "reporting.failedCallLog": FailedCallLog;
  }
  interface ModuleSettings {
    /** 0: kept permanently. */
    readonly "reporting.keepUsageMonths": number;
    readonly "reporting.usageExportDir": string | undefined;
  }
}

const SUM_MILLISECONDS = 60_000;
const PARTITIONS_MILLISECONDS = 3_600_000;

/** Sums what is not summed yet, two days at a time. */
async function sumUsage({ transaction }: Stores, clock: Clock): Promise<void> {
  while (await transaction(({ usageSums: sums }) => sums.sum(clock.now())));
}

/** Tells a tenant about its calls: records, sums and spending. Keeps records as long as the operator configured. */
export const reportingModule = defineModule({
  name: "reporting",
  tools: [listUsage, listFailedCalls],
  routes: usageRoutes,
  stores: ({ db, beside }) => ({
    failedCalls: createFailedCalls(db),
    usageRecords: createUsage(db, () => beside().callPayments),
    usageSums: createUsageSums(db),
    payerSums: createPayerSums(db),
  }),
  migrations: {
    "0069-usage-sums": usageSums,
    "0117-failed-calls": failedCalls,
    "0211-usage-by-payer": usageByPayer,
  },
  parts: {
    usage: ({ stores }) => stores.usageRecords,
    failedCallLog: ({ stores, log }) =>
      new FailedCallLog({
        add: (calls) => stores.transaction((transaction) => transaction.failedCalls.add(calls)),
        log,
        isTransient: isDatabaseAway,
        pause: (milliseconds) => delay(milliseconds),
      }),
    recordFailedCall:
      ({ failedCallLog }) =>
      (call) =>
        failedCallLog.record(call),
  },
  ports: ({ usage, failedCallLog }) => ({ usage, failedCallLog }),
  account: async ({ usage, clock }, { tenantId, environment }) => {
    const spending = describeSpending(await usage.totals(tenantId, environment, formatMonth(clock.now())), clock.now());
    return { facts: { spending } };
  },
  recordSources: ({ reads, failedCallLog }) => [callRecords({ reads, failedCallLog })],
  start: ({ db, clock }) => makeUsagePartitions(db, clock.now()),
  jobs({ db, clock, log, stores, settings }) {
    return [
      defineJob({ name: "sum-usage", everyMilliseconds: SUM_MILLISECONDS, run: () => sumUsage(stores, clock) }),
      defineJob({
        name: "usage-partitions",
        everyMilliseconds: PARTITIONS_MILLISECONDS,
        async run() {
          await makeUsagePartitions(db, clock.now());
          const { keepUsageMonths: keepMonths, usageExportDir: exportDir } = settings;
          await retireUsagePartitions({ db, now: clock.now(), keepMonths, exportDir, log });
        },
      }),
    ];
  },
  stop: ({ failedCallLog }) => failedCallLog.written(),
});
