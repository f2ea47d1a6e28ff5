import { defineModule } from "../../kernel/module.ts";
import { paymentEndings } from "./chain-endings.ts";
import * as payments from "./migrations/0008-payments.ts";
import * as paymentAnswers from "./migrations/0012-payment-answers.ts";
import * as paymentsUnderWay from "./migrations/0013-payments-under-way.ts";
import { paymentBatch } from "./payment-batch-operation.ts";
import { payment } from "./payment-operation.ts";
import { createPayments } from "./store.ts";

export const paymentsModule = defineModule({
  name: "payments",
  needs: ["chain", "usage"],
  stores: ({ db, clock }) => ({
    payments: createPayments(db, clock),
  }),
  migrations: {
    "0008-payments": payments,
    "0012-payment-answers": paymentAnswers,
    "0013-payments-under-way": paymentsUnderWay,
  },
  chainOperations: [payment, paymentBatch],
  chainEndings: paymentEndings,
});
