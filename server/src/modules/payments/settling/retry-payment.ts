import { PaymentRefused } from "../../../domain/payments.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Facilitator, PaymentOutcomes } from "../../../ports/facilitator.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Stores } from "../context.ts";
import { notGoodAgain, notNow, notSettled, reaching } from "../paying/payment-failures.ts";
import type { Payment } from "../payments.ts";
import { intentOfPayment } from "./payment-intents.ts";
import { storeOutcome } from "./settle-outside.ts";

export interface RetryOptions {
  stores: Pick<Stores, "payments" | "transaction">;
  clock: Clock;
  facilitatorFor(environment: Environment): Facilitator | undefined;
  submissionFor(environment: Environment): ChainSubmission | undefined;
  outcomesFor(environment: Environment): PaymentOutcomes | undefined;
  /** Whether an earned payment is stored together with the chain transaction that settles it. */
  settlesItself(environment: Environment): boolean;
  /** Starts the window in which payments that are settled together are gathered. */
  gather?(environment: Environment): void;
  /** Names a try where no chain transaction was before it. */
  newTryId(): string;
  pause(milliseconds: number): Promise<void>;
}

/** An authorization that is over by then is not tried again. */
const RETRY_MARGIN_SECONDS = 10n;
/** A try that is due so soon is waited for. */
const WAIT_FOR_TRY_MILLISECONDS = 5_000;

/** Somebody else tries the same just now, or has. */
class TriedMeanwhile extends Error {}

function refuseAgain(error: unknown): never {
  throw error instanceof PaymentRefused ? notGoodAgain(error) : error;
}

/** Receivable → earned, when its authorization is still good. Answers the payment as it is then; throws when it cannot be tried. */
export function createRetry(options: RetryOptions): (payment: Payment) => Promise<Payment> {
  const { stores, clock } = options;
  const { payments } = stores;

  const reload = async (payment: Payment): Promise<Payment> => (await payments.get(payment.id)) ?? payment;

  /**
   * A try costs gas also when it fails, which a wallet with code can bring about as often as it likes. So a payment is tried again
   * when it is twice as old as at the last failure.
   */
  async function untilDue({ createdAt, changedAt }: Payment): Promise<void> {
    const due = changedAt.add(createdAt.until(changedAt));
    const left = clock.now().until(due).total("milliseconds");
    if (left > WAIT_FOR_TRY_MILLISECONDS) throw notSettled(due);
    if (left > 0) await options.pause(left);
  }

  return async (payment) => {
    const { environment, signed, terms, chainTransactionId } = payment;
    const outcomes = options.outcomesFor(environment);
    const facilitator = options.facilitatorFor(environment);
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
        const transactionIntent = options.settlesItself(environment)
          ? intentOfPayment(payment, chainTransactionId ?? options.newTryId())
          : undefined;
        const transaction = transactionIntent && (await aggregates.chainTransactions.enqueue(transactionIntent));
        if (!(await aggregates.payments.retry(payment, transaction?.id))) throw new TriedMeanwhile();
      })
      .catch((error: unknown) => {
        if (!(error instanceof TriedMeanwhile)) throw error;
      });
    options.submissionFor(environment)?.wake();
    options.gather?.(environment);
    return await reload(payment);
  };
}
