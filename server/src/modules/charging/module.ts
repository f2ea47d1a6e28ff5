import { setTimeout as delay } from "node:timers/promises";
import { defineJob } from "../../kernel/contracts/job.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { Calls } from "./calls.ts";
import { ChargeByKey } from "./charge-by-key.ts";
import { defineModule } from "./context.ts";
import * as billing from "./migrations/0002-billing.ts";
import * as keyedReads from "./migrations/0018-keyed-reads.ts";
import * as usageByNetwork from "./migrations/0019-usage-by-network.ts";
import * as traceIds from "./migrations/0059-trace-ids.ts";
import * as usagePartitions from "./migrations/0068-usage-partitions.ts";
import * as spendCapIsTold from "./migrations/0147-spend-cap-is-told.ts";
import { createCalls } from "./store-calls.ts";
import { createKeyFees } from "./store-key-fees.ts";
import { createCallingPersons } from "./store-persons.ts";
import { createCallReservations } from "./store-reservations.ts";
import { createUsageSettlements } from "./store-settlements.ts";
import { abandonedQueue, sweepAbandonedCalls } from "./sweep-calls.ts";
import { spendCapEvents } from "./tenant-events.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "charging.calls": Calls;
    readonly "charging.chargeByKey": ChargeByKey;
  }
}

const HEARTBEAT_MILLISECONDS = 2_000;
const PRUNE_MILLISECONDS = 60_000;
/** How long a call waits for an unavailable database: longer than the embedded one needs to restart. */
const DATABASE_RETRY_MILLISECONDS = 8_000;

/** Charges calls: the monthly cap, one charge for each call, and the journal of calls. */
export const chargingModule = defineModule({
  name: "charging",
  stores: ({ db }) => ({
    callReservations: createCallReservations(db),
    usageSettlements: createUsageSettlements(db),
    keyFees: createKeyFees(db),
  }),
  personRecords: ({ db }) => createCallingPersons(db),
  migrations: {
    "0002-billing": billing,
    "0018-keyed-reads": keyedReads,
    "0019-usage-by-network": usageByNetwork,
    "0059-trace-ids": traceIds,
    "0068-usage-partitions": usagePartitions,
    "0147-spend-cap-is-told": spendCapIsTold,
  },
  tenantEvents: spendCapEvents,
  // In the order of insertion: the reverse would split every index page as it fills.
  indexes: {
    usage_record_of_tenant: "on usage_record (tenant_id, network, id)",
    usage_record_of_tool: "on usage_record (tenant_id, network, tool, id)",
  },
  formerIndexes: ["usage_record_tenant", "usage_record_tool"],
  parts: {
    calls: ({ pool, stores }) => createCalls(pool, stores.callPayments),
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
  gates: ({ chargeByKey }) => [chargeByKey.gate],
  start: ({ calls, processId }) => calls.heartbeat(processId),
  jobs({ calls, processId, clock, log }) {
    return [
      defineJob({
        name: "heartbeat",
        everyMilliseconds: HEARTBEAT_MILLISECONDS,
        run: () => calls.heartbeat(processId),
      }),
      defineJob({
        name: "sweep-calls",
        queue: abandonedQueue(processId),
        run: () => sweepAbandonedCalls({ calls, processId, clock, log }),
      }),
      defineJob({ name: "prune", everyMilliseconds: PRUNE_MILLISECONDS, run: () => calls.prune(clock.now()) }),
    ];
  },
  stop: ({ chargeByKey }) => chargeByKey.idle(),
});
