import { setTimeout as delay } from "node:timers/promises";
import { type ByChain, listChains } from "../../kernel/contracts/by-chain.ts";
import { defineJob } from "../../kernel/contracts/job.ts";
import { measured } from "../../kernel/contracts/measured.ts";
import { defineModule } from "./context.ts";
import * as payments from "./migrations/0008-payments.ts";
import * as paymentAnswers from "./migrations/0012-payment-answers.ts";
import * as paymentsUnderWay from "./migrations/0013-payments-under-way.ts";
import * as paymentBesides from "./migrations/0070-payment-besides.ts";
import * as paymentsByChain from "./migrations/0116-payments-by-chain.ts";
import * as claimsRefuse from "./migrations/0123-claims-refuse.ts";
import * as paymentIdentifiers from "./migrations/0127-payment-identifiers.ts";
import type { PaymentCharges } from "./paying/charge-by-payment.ts";
import { paymentEndings } from "./settling/chain-endings.ts";
import type { GatherWindow } from "./settling/gather-window.ts";
import { paymentBatch } from "./settling/payment-batch-operation.ts";
import type { Settleable } from "./settling/payment-intents.ts";
import {
  createCharges,
  createGatherWindows,
  type MeasuredReceivables,
  paymentJobs,
  receivablesGauge,
} from "./settling/payment-machines.ts";
import { payment } from "./settling/payment-operation.ts";
import { abandonedQueue, sweepPayments } from "./settling/sweep-payments.ts";
import { settleUsage } from "./settling-usage/settle-usage-job.ts";
import { createCallPayments } from "./settling-usage/store-call-payments.ts";
import { usageEndings } from "./settling-usage/usage-endings.ts";
import { createPayments } from "./store.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "payments.paymentCharges": PaymentCharges;
    readonly "payments.gatherWindows": ByChain<GatherWindow<Settleable>>;
    readonly "payments.measuredReceivables": MeasuredReceivables;
  }
  interface ModuleSettings {
    readonly "payments.settleUsageSeconds": number;
    readonly "payments.paymentBatchWindowMilliseconds": number;
  }
}

const IDLE_MILLISECONDS = 3_000;
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
    "0116-payments-by-chain": paymentsByChain,
    "0123-claims-refuse": claimsRefuse,
    "0127-payment-identifiers": paymentIdentifiers,
  },
  chainOperations: [payment, paymentBatch],
  chainEndings: { ...paymentEndings, ...usageEndings },
  parts: {
    paymentCharges: createCharges,
    gatherWindows: createGatherWindows,
    measuredReceivables: ({ stores: { payments } }) =>
      measured("measure-receivables", MEASURE_MILLISECONDS, () => payments.receivables()),
  },
  jobs(parts) {
    const { payments } = parts.stores;
    const { processId, clock, log } = parts;
    const submission = parts.submitters.home("production");
    return [
      defineJob({
        name: "sweep-payments",
        queue: abandonedQueue(processId),
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
    await Promise.all(listChains(gatherWindows).map(([, window]) => window.stop()));
    await Promise.race([paymentCharges.idle(), delay(IDLE_MILLISECONDS, undefined, { ref: false })]);
  },
  gauges: ({ measuredReceivables }) => [
    receivablesGauge(
      measuredReceivables,
      { name: "wayfare_receivables", help: "Calls that were carried out but whose payment could not be collected." },
      ({ count }) => count,
    ),
    receivablesGauge(
      measuredReceivables,
      {
        name: "wayfare_receivables_micro_usdc",
        help: "Total of payments that could not be collected for calls that were carried out.",
      },
      ({ amount }) => Number(amount),
    ),
  ],
});
