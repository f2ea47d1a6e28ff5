import { setTimeout as delay } from "node:timers/promises";
import { defineJob } from "../../kernel/job.ts";
import { defineModule } from "../../kernel/module.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { Calls } from "./calls.ts";
import { usageEndings } from "./chain-endings.ts";
import { ChargeByKey } from "./charge-by-key.ts";
import * as billing from "./migrations/0002-billing.ts";
import * as keyedReads from "./migrations/0018-keyed-reads.ts";
import * as usageByNetwork from "./migrations/0019-usage-by-network.ts";
import * as traceIds from "./migrations/0059-trace-ids.ts";
import { withCapPreview } from "./preview-cap.ts";
import { usageRoutes } from "./routes.ts";
import { settleUsage } from "./settle-usage-job.ts";
import { describeSpending, periodOf } from "./spending.ts";
import { createCalls } from "./store-calls.ts";
import { createCallReservations } from "./store-reservations.ts";
import { createUsageSettlements } from "./store-settlements.ts";
import { createUsage } from "./store-usage.ts";
import { sweepAbandonedCalls } from "./sweep-calls.ts";
import { listUsage } from "./tools/list-usage.ts";
import type { Usage } from "./usage.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    readonly calls: Calls;
    readonly usage: Usage;
    readonly chargeByKey: ChargeByKey;
  }
  interface Settings {
    readonly settleUsageSeconds: number;
  }
}

const HEARTBEAT_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS = 2_000;
const PRUNE_MILLISECONDS = 60_000;
/** How long a call waits for a database that is away: longer than the embedded one needs to come back. */
const DATABASE_RETRY_MILLISECONDS = 8_000;

export const usageModule = defineModule({
  name: "usage",
  needs: ["treasury"],
  tools: [listUsage],
  routes: usageRoutes,
  stores: ({ db }) => ({
    callReservations: createCallReservations(db),
    usageSettlements: createUsageSettlements(db),
    usageRecords: createUsage(db),
  }),
  migrations: {
    "0002-billing": billing,
    "0018-keyed-reads": keyedReads,
    "0019-usage-by-network": usageByNetwork,
    "0059-trace-ids": traceIds,
  },
  indexes: { usage_record_tool: "on usage_record (tenant_id, network, tool, id desc)" },
  chainEndings: usageEndings,
  parts: {
    calls: ({ pool }) => createCalls(pool),
    usage: ({ stores }) => stores.usageRecords,
    chargeByKey: ({ calls, stores, processId, clock, random, log }) =>
      new ChargeByKey({
        ...{ calls, stores, processId, clock, random },
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
  start: ({ calls, processId }) => calls.heartbeat(processId),
  jobs({ calls, processId, clock, log, stores, settings, submitters: { production } }) {
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
      ...(production === undefined
        ? []
        : [
            defineJob({
              name: "settle-usage",
              everyMilliseconds: settings.settleUsageSeconds * 1_000,
              run: () => settleUsage({ stores, submission: production, clock, log }),
            }),
          ]),
    ];
  },
  stop: ({ chargeByKey }) => chargeByKey.idle(),
});
