import { PaymentRefused } from "../../../domain/payments.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Facilitator, PaymentOutcomes } from "../../../ports/facilitator.ts";
import type { Stores } from "../context.ts";
import { notGoodAgain, notNow, notSettled, reaching } from "../paying/payment-failures.ts";
import { findPaymentChain, type Payment } from "../payments.ts";
import { intentOfPayment, type Settleable } from "./payment-intents.ts";
import { storeOutcome } from "./settle-outside.ts";

export interface RetryOptions {
  stores: Pick<Stores, "payments" | "transaction">;
  clock: Clock;
  facilitatorFor(chain: ChainKey): Facilitator | undefined;
  submissionFor(chain: ChainKey): ChainSubmission | undefined;
  outcomesFor(chain: ChainKey): PaymentOutcomes | undefined;
  /** Whether an earned payment is stored together with its settling chain transaction. */
  settlesItself(chain: ChainKey): boolean;
  /** Puts an earned payment into the window in which payments are batched. */
  gather?(chain: ChainKey, earned: Settleable): void;
  /** Names a try that follows no chain transaction. */
  newTryId(): string;
  pause(milliseconds: number): Promise<void>;
}

/** An authorization that expires by then is not retried. */
const RETRY_MARGIN_SECONDS = 10n;
/** A call waits for a retry that is due this soon. */
const WAIT_FOR_TRY_MILLISECONDS = 5_000;

/** Another process is retrying the same payment, or has done so. */
class TriedMeanwhile extends Error {}

function refuseAgain(error: unknown): never {
  throw error instanceof PaymentRefused ? notGoodAgain(error) : error;
}

/** Receivable → earned, if its authorization is still valid. Returns the payment afterwards; throws if it cannot be retried. */
export function createRetry(options: RetryOptions): (payment: Payment) => Promise<Payment> {
  const { stores, clock } = options;
  const { payments } = stores;

  const reload = async (payment: Payment): Promise<Payment> => (await payments.get(payment.id)) ?? payment;

  /**
   * A failed try costs gas too, and a contract wallet can make tries fail at will. So a payment is retried only when it is
   * twice as old as at its last failure.
   */
  async function untilDue({ createdAt, changedAt }: Payment): Promise<void> {
    const due = changedAt.add(createdAt.until(changedAt));
    const left = clock.now().until(due).total("milliseconds");
    if (left > WAIT_FOR_TRY_MILLISECONDS) throw notSettled(due);
    if (left > 0) await options.pause(left);
  }

  return async (payment) => {
    const { signed, terms, chainTransactionId } = payment;
    const chain = findPaymentChain(payment);
    const outcomes = options.outcomesFor(chain);
    const facilitator = options.facilitatorFor(chain);
    if (outcomes === undefined || facilitator === undefined) throw notNow();
    const outcome = await reaching(storeOutcome({ payments, outcomes }, payment));
    if (outcome === "settled") return await reload(payment);
    if (outcome === "receivable") throw notSettled();
    const seconds = BigInt(Math.floor(clock.now().epochMilliseconds / 1000));
    if (signed.validBefore < seconds + RETRY_MARGIN_SECONDS) throw notSettled();
    await untilDue(payment);
    await reaching(facilitator.verify(signed, terms).catch(refuseAgain));
    await stores
      .transaction(async (aggregates) => {
        const transactionIntent = options.settlesItself(chain)
          ? intentOfPayment(payment, chainTransactionId ?? options.newTryId())
          : undefined;
        const transaction = transactionIntent && (await aggregates.chainTransactions.enqueue(transactionIntent));
        if (!(await aggregates.payments.retry(payment, transaction?.id))) throw new TriedMeanwhile();
      })
      .catch((error: unknown) => {
        if (!(error instanceof TriedMeanwhile)) throw error;
      });
    options.submissionFor(chain)?.wake();
    options.gather?.(chain, payment);
    return await reload(payment);
  };
}
