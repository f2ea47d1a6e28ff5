import { setTimeout as delay } from "node:timers/promises";
import { defineJob } from "../../kernel/contracts/job.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Calls } from "./charging/calls.ts";
import { ChargeByKey } from "./charging/charge-by-key.ts";
import { withCapPreview } from "./charging/preview-cap.ts";
import { createCalls } from "./charging/store-calls.ts";
import { createCallReservations } from "./charging/store-reservations.ts";
import { sweepAbandonedCalls } from "./charging/sweep-calls.ts";
import { defineModule, type Stores } from "./context.ts";
import * as billing from "./migrations/0002-billing.ts";
import * as keyedReads from "./migrations/0018-keyed-reads.ts";
import * as usageByNetwork from "./migrations/0019-usage-by-network.ts";
import * as traceIds from "./migrations/0059-trace-ids.ts";
import * as usagePartitions from "./migrations/0068-usage-partitions.ts";
import * as usageSums from "./migrations/0069-usage-sums.ts";
import { usageRoutes } from "./reporting/routes.ts";
import { describeSpending, periodOf } from "./reporting/spending.ts";
import { createUsage } from "./reporting/store-usage.ts";
import { makeUsagePartitions, retireUsagePartitions } from "./reporting/store-usage-partitions.ts";
import { createUsageSums } from "./reporting/store-usage-sums.ts";
import type { Usage } from "./reporting/usage.ts";
import { createCallingPersons } from "./store-persons.ts";
import { createUsageSettlements } from "./store-settlements.ts";
import { listUsage } from "./tools/list-usage.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "usage.calls": Calls;
    readonly "usage.usage": Usage;
    readonly "usage.chargeByKey": ChargeByKey;
  }
  interface ModuleSettings {
    /** 0: kept permanently. */
    readonly "usage.keepUsageMonths": number;
    readonly "usage.usageExportDir": string | undefined;
  }
}

const HEARTBEAT_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS = 2_000;
const PRUNE_MILLISECONDS = 60_000;
const SUM_MILLISECONDS = 60_000;
const PARTITIONS_MILLISECONDS = 3_600_000;
/** How long a call waits for an unavailable database: longer than the embedded one needs to restart. */
const DATABASE_RETRY_MILLISECONDS = 8_000;

/** Sums what is not summed yet, two days at a time. */
async function sumUsage({ transaction }: Stores, clock: Clock): Promise<void> {
  while (await transaction(({ usageSums: sums }) => sums.sum(clock.now())));
}

export const usageModule = defineModule({
  name: "usage",
  tools: [listUsage],
  routes: usageRoutes,
  stores: ({ db, beside }) => ({
    callReservations: createCallReservations(db),
    usageSettlements: createUsageSettlements(db),
    usageRecords: createUsage(db, () => beside().callPayments),
    usageSums: createUsageSums(db),
  }),
  personRecords: ({ db }) => createCallingPersons(db),
  migrations: {
    "0002-billing": billing,
    "0018-keyed-reads": keyedReads,
    "0019-usage-by-network": usageByNetwork,
    "0059-trace-ids": traceIds,
    "0068-usage-partitions": usagePartitions,
    "0069-usage-sums": usageSums,
  },
  // In the order of insertion: the reverse would split every index page as it fills.
  indexes: {
    usage_record_of_tenant: "on usage_record (tenant_id, network, id)",
    usage_record_of_tool: "on usage_record (tenant_id, network, tool, id)",
  },
  formerIndexes: ["usage_record_tenant", "usage_record_tool"],
  parts: {
    calls: ({ pool, stores }) => createCalls(pool, stores.callPayments),
    usage: ({ stores }) => stores.usageRecords,
    chargeByKey: ({ calls, stores, processId, clock, random, log }) =>
      new ChargeByKey({
        calls,
        stores,
        processId,
        clock,
        random,
        isTransient: isDatabaseAway,
        pause: (milliseconds) => delay(milliseconds),
        retryMilliseconds: DATABASE_RETRY_MILLISECONDS,
        onLooseEnd: (error) => log.error({ err: error }, "a call could not be settled"),
      }),
    charge: ({ chargeByKey }) => chargeByKey,
  },
  ports: ({ usage }) => ({ usage }),
  account: async ({ usage, clock }, { tenantId, environment }) => {
    const spending = describeSpending(await usage.totals(tenantId, environment, periodOf(clock.now())), clock.now());
    return { facts: { spending } };
  },
  gates: ({ chargeByKey, usage }) => [withCapPreview(chargeByKey.gate, usage)],
  async start({ calls, processId, db, clock }) {
    await makeUsagePartitions(db, clock.now());
    await calls.heartbeat(processId);
  },
  jobs({ calls, processId, db, clock, log, stores, settings }) {
    return [
      defineJob({
        name: "heartbeat",
        everyMilliseconds: HEARTBEAT_MILLISECONDS,
        run: () => calls.heartbeat(processId),
      }),
      defineJob({
        name: "sweep-calls",
        everyMilliseconds: SWEEP_MILLISECONDS,
        run: () => sweepAbandonedCalls({ calls, processId, clock, log }),
      }),
      defineJob({ name: "prune", everyMilliseconds: PRUNE_MILLISECONDS, run: () => calls.prune(clock.now()) }),
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
  stop: ({ chargeByKey }) => chargeByKey.idle(),
});
