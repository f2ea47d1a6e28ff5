import { setTimeout as delay } from "node:timers/promises";
import { defineJob } from "../../kernel/contracts/job.ts";
import { measured } from "../../kernel/contracts/measured.ts";
import { type ByEnvironment, listEnvironments } from "../../kernel/contracts/parts.ts";
import { paymentEndings } from "./chain-endings.ts";
import type { PaymentCharges } from "./charge-by-payment.ts";
import { defineModule } from "./context.ts";
import type { GatherWindow } from "./gather-window.ts";
import * as payments from "./migrations/0008-payments.ts";
import * as paymentAnswers from "./migrations/0012-payment-answers.ts";
import * as paymentsUnderWay from "./migrations/0013-payments-under-way.ts";
import * as paymentBesides from "./migrations/0070-payment-besides.ts";
import { paymentBatch } from "./payment-batch-operation.ts";
import {
  createChargesOf,
  createGatherWindows,
  type MeasuredReceivables,
  paymentJobs,
  receivablesGauge,
} from "./payment-machines.ts";
import { payment } from "./payment-operation.ts";
import { settleUsage } from "./settle-usage-job.ts";
import { createPayments } from "./store.ts";
import { createCallPayments } from "./store-call-payments.ts";
import { sweepPayments } from "./sweep-payments.ts";
import { usageEndings } from "./usage-endings.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "payments.paymentCharges": PaymentCharges;
    readonly "payments.gatherWindows": ByEnvironment<GatherWindow>;
    readonly "payments.measuredReceivables": MeasuredReceivables;
  }
  interface ModuleSettings {
    readonly "payments.settleUsageSeconds": number;
    readonly "payments.paymentBatchWindowMilliseconds": number;
  }
}

const IDLE_MILLISECONDS = 3_000;
const SWEEP_MILLISECONDS = 2_000;
const MEASURE_MILLISECONDS = 10_000;
const PRUNE_MILLISECONDS = 600_000;

export const paymentsModule = defineModule({
  name: "payments",
  stores: ({ db, clock }) => ({
    payments: createPayments(db, clock),
    callPayments: createCallPayments(db),
  }),
  workTables: [{ table: "payment", kind: "payment", since: "created_at", open: [{ column: "state", in: ["earned"] }] }],
  personRecords: () => ({ tables: { naming: [{ table: "payment", column: "subject" }] } }),
  migrations: {
    "0008-payments": payments,
    "0012-payment-answers": paymentAnswers,
    "0013-payments-under-way": paymentsUnderWay,
    "0070-payment-besides": paymentBesides,
  },
  chainOperations: [payment, paymentBatch],
  chainEndings: { ...paymentEndings, ...usageEndings },
  parts: {
    paymentCharges: createChargesOf,
    gatherWindows: createGatherWindows,
    measuredReceivables: ({ stores: { payments } }) =>
      measured("measure-receivables", MEASURE_MILLISECONDS, () => payments.receivables()),
  },
  jobs(parts) {
    const { payments } = parts.stores;
    const { processId, clock, log } = parts;
    const { production: submission } = parts.submitters;
    return [
      defineJob({
        name: "sweep-payments",
        everyMilliseconds: SWEEP_MILLISECONDS,
        run: () => sweepPayments({ payments, processId, log }),
      }),
      defineJob({
        name: "prune-payments",
        everyMilliseconds: PRUNE_MILLISECONDS,
        run: () => payments.prune(clock.now()),
      }),
      parts.measuredReceivables.job,
      ...paymentJobs(parts),
      ...(submission === undefined
        ? []
        : [
            defineJob({
              name: "settle-usage",
              everyMilliseconds: parts.settings.settleUsageSeconds * 1_000,
              run: () => settleUsage({ stores: parts.stores, submission, clock, log }),
            }),
          ]),
    ];
  },
  async stop({ paymentCharges, gatherWindows }) {
    await Promise.all(listEnvironments(gatherWindows).map(([, window]) => window.stop()));
    await Promise.race([paymentCharges.idle(), delay(IDLE_MILLISECONDS, undefined, { ref: false })]);
  },
  gauges: ({ measuredReceivables }) => [
    receivablesGauge(
      measuredReceivables,
      { name: "wayfare_receivables", help: "Calls that were carried out and whose payment could not be fetched." },
      ({ count }) => count,
    ),
    receivablesGauge(
      measuredReceivables,
      {
        name: "wayfare_receivables_micro_usdc",
        help: "What payments that could not be fetched, of calls that were carried out, come to.",
      },
      ({ amount }) => Number(amount),
    ),
  ],
});
