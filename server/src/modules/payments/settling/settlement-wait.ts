import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Facilitator, PaymentOutcomes } from "../../../ports/facilitator.ts";
import type { Log } from "../../../ports/log.ts";
import { findPaymentChain, type Payment, type Payments } from "../payments.ts";
import type { PaymentNews } from "./payment-news.ts";
import { type OutsideSettlement, settleOutside } from "./settle-outside.ts";

export interface SettlementWaitOptions {
  log: Log;
  facilitatorFor(chain: ChainKey): Facilitator | undefined;
  submissionFor(chain: ChainKey): ChainSubmission | undefined;
  outcomesFor(chain: ChainKey): PaymentOutcomes | undefined;
  pause(milliseconds: number): Promise<void>;
}

interface Waiting {
  payments: Payments;
  news: PaymentNews;
  /** Ends every wait when the service stops. */
  stopping: AbortSignal;
}

interface Awaited {
  payment: Payment;
  /** The chain transaction that has ended. */
  over: string | undefined;
  /** Its own chain transaction was just stored. */
  isNew: boolean;
}

interface News {
  /** The chain transaction that has ended. */
  over?: string | undefined;
  /** The chain transaction that just took it in. */
  joined?: string | undefined;
}

/** How often waiters poll, in case another process settles the payment. */
const LOOK_MILLISECONDS = 200;
const OUTSIDE_PAUSE_MILLISECONDS = 500;
/** How often a facilitator may refuse an authorization that is still usable. */
const MOST_REFUSALS = 3;

/** Waits for earned payments. Never rejects: an unknown outcome counts as pending. */
export class SettlementWait {
  readonly #options: SettlementWaitOptions & Waiting;
  /** Payments being asked about at a facilitator, so that waiters for the same payment share a request. */
  readonly #outside = new Map<string, Promise<void>>();

  constructor(options: SettlementWaitOptions & Waiting) {
    this.#options = options;
  }

  /**
   * `deadline` is on the clock of `performance.now()`. Returns the last known payment: ended, or as it is at the deadline.
   * `isNew`: its answer was just stored, with its settling chain transaction if there is one.
   */
  async untilSettled(earned: Payment, deadline: number, isNew = false): Promise<Payment> {
    const { stopping } = this.#options;
    let awaited: Awaited = { payment: earned, over: undefined, isNew };
    // One per call: waiters on a long-lived promise would be retained with it.
    const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>();
    const onStop = () => stop(undefined);
    stopping.addEventListener("abort", onStop);
    try {
      while (awaited.payment.state === "earned" && performance.now() < deadline && !stopping.aborted) {
        const { payment, over } = awaited;
        const news = await Promise.race([this.#waitForNews(awaited, deadline), stopped]);
        if (news?.joined !== undefined) {
          awaited = { payment: { ...payment, chainTransactionId: news.joined }, over, isNew: true };
        } else if (!stopping.aborted) {
          const seen = (await this.#lookUp(payment.id)) ?? payment;
          awaited = { payment: seen, over: news?.over ?? over, isNew: false };
        }
      }
      return awaited.payment;
    } finally {
      stopping.removeEventListener("abort", onStop);
    }
  }

  /** Undefined: unknown, for example because the database is away. */
  async #lookUp(id: string): Promise<Payment | undefined> {
    const { payments, log, pause } = this.#options;
    try {
      return await payments.get(id);
    } catch (error) {
      log.warn({ err: error, paymentId: id }, "a payment cannot be looked up");
      await pause(LOOK_MILLISECONDS);
      return undefined;
    }
  }

  async #waitForNews({ payment, over, isNew }: Awaited, deadline: number): Promise<News> {
    const { news, submissionFor } = this.#options;
    const left = Math.max(0, deadline - performance.now());
    const parts = this.#outsideSettlement(payment);
    const { id, chainTransactionId } = payment;
    const submission = submissionFor(findPaymentChain(payment));
    if (parts !== undefined) {
      await this.#waitOutside(parts, payment, deadline);
      return {};
    }
    if (chainTransactionId === undefined || chainTransactionId === over || submission === undefined) {
      return { joined: await news.wait(id, Math.min(left, LOOK_MILLISECONDS)) };
    }
    const isOver = await submission.waitForEnd(chainTransactionId, left, isNew).catch(() => undefined);
    if (isOver !== undefined) return { over: chainTransactionId };
    return { joined: await news.wait(id, Math.min(LOOK_MILLISECONDS, Math.max(0, deadline - performance.now()))) };
  }

  /** Undefined: our own transaction settles it. */
  #outsideSettlement(payment: Payment): OutsideSettlement | undefined {
    const { payments, facilitatorFor, outcomesFor } = this.#options;
    const chain = findPaymentChain(payment);
    const settle = facilitatorFor(chain)?.settle;
    const outcomes = outcomesFor(chain);
    if (payment.chainTransactionId !== undefined || settle === undefined || outcomes === undefined) return undefined;
    return { payments, outcomes, settle };
  }

  async #waitOutside(parts: OutsideSettlement, payment: Payment, deadline: number): Promise<void> {
    const running =
      this.#outside.get(payment.id) ??
      this.#settleByFacilitator(parts, payment, deadline).finally(() => this.#outside.delete(payment.id));
    this.#outside.set(payment.id, running);
    await running;
  }

  async #settleByFacilitator(parts: OutsideSettlement, payment: Payment, deadline: number): Promise<void> {
    const { payments, log, pause, stopping } = this.#options;
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
      await pause(Math.max(0, Math.min(OUTSIDE_PAUSE_MILLISECONDS * attempt, deadline - performance.now())));
    }
  }
}
