import { sql } from "kysely";
import { batch, batchLookUps } from "../../platform/batching/batch.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { type ClaimRequest, claimTogether } from "./paying/store-claims.ts";
import type { EarnedPayment, PaymentClaim, Payments } from "./payments.ts";
import { movePayment, type PaymentStorage, releasePayment } from "./settling/store-moves.ts";
import { createPaymentGathering, createPaymentUpkeep, createPaymentWatching } from "./settling/store-queues.ts";
import { authorizationKey, findIdentifiedPayment, findPayments, toPayment } from "./store-payment-rows.ts";
import { type EarnRequest, earnTogether, settlePayments } from "./store-payments-sql.ts";

const AT_ONCE = 64;

/** Joins the caller's transaction if `queryable` is one. */
export function createPayments(queryable: Queryable, clock: Clock): Payments {
  const storage: PaymentStorage = { db: queryable, clock };
  // Batches concurrent claims; within a transaction there are none.
  const claim = batch<ClaimRequest, PaymentClaim>(
    (requests) => claimTogether(queryable, requests, clock.now().toString()),
    { maximum: AT_ONCE },
  );
  const earn = batch<EarnRequest, EarnedPayment | undefined>(
    (requests) => earnTogether(queryable, requests, clock.now()),
    { maximum: AT_ONCE },
  );
  const find = batchLookUps(async (keys) => {
    const found = await findPayments(queryable, keys);
    return new Map(found.map((payment) => [authorizationKey(payment.environment, payment.signed), payment]));
  });
  const get = batchLookUps(async (ids) => {
    const rows = await queryable
      .selectFrom("payment")
      .selectAll()
      .where("id", "=", sql<string>`any (${[...ids]}::text[])`)
      .execute();
    return new Map(rows.map((row) => [row.id, toPayment(row)]));
  });

  return {
    find: (environment, authorization) => find(authorizationKey(environment, authorization)),

    findIdentified: (environment, payment) => findIdentifiedPayment(queryable, environment, payment),

    get,

    claim: (payment, balance) => claim({ payment, balance }),

    release: (id) => releasePayment(storage, id),

    earn: (id, earned) => earn({ id, ...earned }),

    async settle(lines, told = "id") {
      if (lines.length === 0) return 0;
      const { rows } = await settlePayments(lines, told, clock.now()).execute(queryable);
      return rows.length;
    },

    writeOff: (id, failure) => movePayment(storage, id, "earned", { state: "receivable", failure }),

    retry: ({ id, changedAt }, chainTransactionId) => {
      const change = { state: "earned", failure: null, chainTransactionId: chainTransactionId ?? null } as const;
      return movePayment(storage, id, "receivable", change, changedAt);
    },

    async keepAnswer(id, stored, whole) {
      await queryable
        .updateTable("payment")
        .set({ result: JSON.stringify(whole) })
        .where("id", "=", id)
        .where("result", "=", JSON.stringify(stored))
        .execute();
      return (await get(id))?.result ?? whole;
    },

    ...createPaymentGathering(storage),
    ...createPaymentWatching(storage),
    ...createPaymentUpkeep(storage),
  };
}
