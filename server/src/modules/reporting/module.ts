import { defineJob } from "../../kernel/contracts/job.ts";
import type { Clock } from "../../ports/clock.ts";
import { defineModule, type Stores } from "./context.ts";
import * as usageSums from "./migrations/0069-usage-sums.ts";
import { usageRoutes } from "./routes.ts";
import { describeSpending, formatMonth } from "./spending.ts";
import { createUsage } from "./store-usage.ts";
import { makeUsagePartitions, retireUsagePartitions } from "./store-usage-partitions.ts";
import { createUsageSums } from "./store-usage-sums.ts";
import { listUsage } from "./tools/list-usage.ts";
import type { Usage } from "./usage.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "reporting.usage": Usage;
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
  tools: [listUsage],
  routes: usageRoutes,
  stores: ({ db, beside }) => ({
    usageRecords: createUsage(db, () => beside().callPayments),
    usageSums: createUsageSums(db),
  }),
  migrations: { "0069-usage-sums": usageSums },
  parts: { usage: ({ stores }) => stores.usageRecords },
  ports: ({ usage }) => ({ usage }),
  account: async ({ usage, clock }, { tenantId, environment }) => {
    const spending = describeSpending(await usage.totals(tenantId, environment, formatMonth(clock.now())), clock.now());
    return { facts: { spending } };
  },
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
});
