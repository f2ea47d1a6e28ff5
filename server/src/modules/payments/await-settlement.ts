import type { ChainSubmission } from "../../ports/chain-transactions.ts";
import type { Facilitator, PaymentOutcomes } from "../../ports/facilitator.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { PaymentNews } from "./payment-news.ts";
import type { Payment, Payments } from "./payments.ts";
import { type OutsideSettlement, settleOutside } from "./settle-outside.ts";

export interface AwaitSettlementOptions {
  log: Log;
  facilitatorFor(environment: Environment): Facilitator | undefined;
  submissionFor(environment: Environment): ChainSubmission | undefined;
  outcomesFor(environment: Environment): PaymentOutcomes | undefined;
  pause(milliseconds: number): Promise<void>;
}

interface Waiting {
  payments: Payments;
  news: PaymentNews;
  /** Ends every wait: the service stops, and nothing is asked any more. */
  stopping: AbortSignal;
}

/** Waiters look for themselves so often, in case another process brings the end about. */
const LOOK_MS = 200;
const OUTSIDE_PAUSE_MS = 500;
/** So often a facilitator may refuse an authorization that can still be used. */
const MOST_REFUSALS = 3;

/** Waits until an earned payment has its end, or the time is over. It never rejects: what is not known is not there yet. */
export function createAwaitSettlement(options: AwaitSettlementOptions & Waiting) {
  const { payments, news, log, pause, stopping } = options;
  /** Payments that a facilitator is asked about, so that those who wait for the same one ask once. */
  const outside = new Map<string, Promise<void>>();

  /** Undefined: the database is away, or it is not known for another reason. */
  async function lookUp(id: string): Promise<Payment | undefined> {
    try {
      return await payments.get(id);
    } catch (error) {
      log.warn({ err: error, paymentId: id }, "a payment cannot be looked up");
      await pause(LOOK_MS);
      return undefined;
    }
  }

  async function settleByFacilitator(parts: OutsideSettlement, payment: Payment, deadline: number): Promise<void> {
    let isSent = false;
    let refusals = 0;
    for (let attempt = 1; performance.now() < deadline && !stopping.aborted; attempt += 1) {
      try {
        const step = await settleOutside(parts, payment, { look: attempt > 1, ask: !isSent });
        if (step.kind === "settled" || step.kind === "receivable") return;
        isSent = step.kind === "sent";
        if (step.kind === "refused") refusals += 1;
        if (step.kind === "refused" && refusals >= MOST_REFUSALS) {
          await payments.writeOff(payment.id, `the facilitator refuses it: ${step.reason}`);
          return;
        }
      } catch (error) {
        log.warn({ err: error, paymentId: payment.id }, "the settlement of a payment is not known yet");
      }
      await pause(Math.max(0, Math.min(OUTSIDE_PAUSE_MS * attempt, deadline - performance.now())));
    }
  }

  function outsideSettlement({ environment, chainTransactionId }: Payment): OutsideSettlement | undefined {
    const settle = options.facilitatorFor(environment)?.settle;
    const outcomes = options.outcomesFor(environment);
    if (chainTransactionId !== undefined || settle === undefined || outcomes === undefined) return undefined;
    return { payments, outcomes, settle };
  }

  async function waitOutside(parts: OutsideSettlement, payment: Payment, deadline: number): Promise<void> {
    const running =
      outside.get(payment.id) ??
      settleByFacilitator(parts, payment, deadline).finally(() => outside.delete(payment.id));
    outside.set(payment.id, running);
    await running;
  }

  async function waitForNews(
    payment: Payment,
    over: string | undefined,
    deadline: number,
  ): Promise<string | undefined> {
    const left = Math.max(0, deadline - performance.now());
    const parts = outsideSettlement(payment);
    const { chainTransactionId } = payment;
    const submission = options.submissionFor(payment.environment);
    if (parts !== undefined) await waitOutside(parts, payment, deadline);
    else if (chainTransactionId !== undefined && chainTransactionId !== over && submission !== undefined) {
      const isOver = await submission.waitForEnd(chainTransactionId, left).catch(() => undefined);
      if (isOver !== undefined) return chainTransactionId;
      await news.wait(payment.id, Math.min(LOOK_MS, Math.max(0, deadline - performance.now())));
    } else await news.wait(payment.id, Math.min(left, LOOK_MS));
    return over;
  }

  /** `deadline` in the words of `performance.now()`. The payment as it was seen last. */
  return async function awaitSettlement(earned: Payment, deadline: number): Promise<Payment> {
    let payment = earned;
    /** The chain transaction that is over. */
    let over: string | undefined;
    // One for each call: what waits for a promise that lives on is kept with it.
    const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>();
    const onStop = () => stop(undefined);
    stopping.addEventListener("abort", onStop);
    try {
      while (payment.state === "earned" && performance.now() < deadline && !stopping.aborted) {
        over = (await Promise.race([waitForNews(payment, over, deadline), stopped])) ?? over;
        if (!stopping.aborted) payment = (await lookUp(payment.id)) ?? payment;
      }
      return payment;
    } finally {
      stopping.removeEventListener("abort", onStop);
    }
  };
}
