import { Failure } from "../../../domain/errors.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Facilitator, PaymentOutcomes } from "../../../ports/facilitator.ts";
import type { Log } from "../../../ports/log.ts";
import type { Stores } from "../context.ts";
import type { Payment } from "../payments.ts";
import { intentOfPayment } from "./payment-intents.ts";
import { settleOutside, storeOutcome } from "./settle-outside.ts";

export interface WatchPaymentsOptions {
  stores: Stores;
  chain: ChainKey;
  facilitator: Facilitator;
  outcomes: PaymentOutcomes;
  submission: Pick<ChainSubmission, "wake">;
  log: Log;
  /** Wakes this process's calls that wait for these payments. */
  tell(paymentIds: readonly string[]): void;
  /** How long an earned payment at an external facilitator is left to the call that waits for it. */
  quietSeconds?: number;
  /** How often a receivable is checked. */
  receivableSeconds?: number;
}

export const WATCH_SECONDS = 30;
const BATCH = 50;

/**
 * Finds the outcome of payments that no transaction of ours decides: those that a batch leaves ambiguous, those left at a
 * facilitator when their process died, and receivables that somebody broadcasts after all. Returns how many ended. Safe to run
 * concurrently.
 */
export async function watchPayments(options: WatchPaymentsOptions): Promise<number> {
  const { stores, chain, facilitator, log } = options;
  const { quietSeconds = WATCH_SECONDS, receivableSeconds = WATCH_SECONDS } = options;
  const { payments } = stores;
  const { settle } = facilitator;
  let ended = 0;

  async function each(some: readonly Payment[], work: (payment: Payment) => Promise<boolean>): Promise<void> {
    for (const payment of some) {
      try {
        if (!(await work(payment))) continue;
        ended += 1;
        options.tell([payment.id]);
      } catch (error) {
        // A failing payment must not block the others, but an unreachable chain concerns them all.
        if (error instanceof Failure) throw error;
        log.error({ err: error, paymentId: payment.id }, "a payment does not get on");
      }
    }
  }

  await each(await payments.listLoose(chain, BATCH), (payment) => settleLoose(options, payment));
  if (settle !== undefined) {
    const left = await payments.takeUnsettled(chain, "earned", quietSeconds, BATCH);
    await each(left, async (payment) => {
      const step = await settleOutside({ ...options, payments, settle }, payment, { look: true, ask: true });
      if (step.kind === "refused") await payments.writeOff(payment.id, `the facilitator refuses it: ${step.reason}`);
      return step.kind !== "sent";
    });
  }
  const owed = await payments.takeUnsettled(chain, "receivable", receivableSeconds, BATCH);
  await each(owed, async (payment) => (await storeOutcome({ ...options, payments }, payment)) === "settled");
  return ended;
}

/**
 * Settles a payment whose transaction has ended, by the state of its authorization. A payment that failed alone becomes a
 * receivable; one whose whole batch failed is retried alone.
 */
async function settleLoose({ stores, outcomes, submission }: WatchPaymentsOptions, payment: Payment): Promise<boolean> {
  const { payments } = stores;
  if ((await storeOutcome({ outcomes, payments }, payment)) !== undefined) return true;
  const { id, chainTransactionId } = payment;
  if (chainTransactionId === undefined) return false;
  const transaction = await stores.chainTransactions.get(chainTransactionId);
  if (transaction?.state === "confirmed") return await payments.writeOff(id, "it failed in its batch");
  if (transaction?.state !== "reverted") return false;
  await stores.transaction(async (aggregates) => {
    const alone = await aggregates.chainTransactions.enqueue(intentOfPayment(payment, chainTransactionId));
    await aggregates.payments.assign([id], alone.id, chainTransactionId);
  });
  submission.wake();
  return true;
}
