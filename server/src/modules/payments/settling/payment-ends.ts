import { newId, type RandomBytes, systemRandom } from "../../../domain/ids.ts";
import { retryUntilStored } from "../../../platform/batching/retry-until-stored.ts";
import { UnfinishedWork } from "../../../platform/batching/unfinished-work.ts";
import { within } from "../../../platform/batching/within.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Stores } from "../context.ts";
import { inProgress, pending } from "../paying/payment-failures.ts";
import type { NewPayment, Payment } from "../payments.ts";
import { intentOfPayment } from "./payment-intents.ts";
import { createPaymentNews } from "./payment-news.ts";
import { createRetry } from "./retry-payment.ts";
import { SettlementWait, type SettlementWaitOptions } from "./settlement-wait.ts";

export interface PaymentEndsOptions extends SettlementWaitOptions {
  stores: Pick<Stores, "payments" | "transaction">;
  clock: Clock;
  random?: RandomBytes;
  isTransient(error: unknown): boolean;
  /** More than 0: payments are settled together, by gather-payments.ts. */
  batchWindowMilliseconds: number;
  /** Starts the window in which payments that are settled together are gathered. */
  gather?(environment: Environment): void;
  /** How long a call waits for its settlement. */
  waitMilliseconds?: number;
}

const WAIT_MILLISECONDS = 25_000;
const RETRY_PAUSE_MILLISECONDS = 200;
/** A claim of which nobody knows whether it was made can still be on its way to the database. */
const STRAGGLER_MILLISECONDS = 1_000;

/**
 * Brings claimed payments to one of their ends: released when the tool has failed, or earned and settled when it has succeeded.
 * What a call does not wait for any more goes on without it.
 */
export class PaymentEnds {
  readonly #options: PaymentEndsOptions;
  readonly #waitMilliseconds: number;
  readonly #news = createPaymentNews();
  readonly #stopping = new AbortController();
  readonly #wait: SettlementWait;
  readonly #tryAgain: (payment: Payment) => Promise<Payment>;
  readonly #unfinished: UnfinishedWork;

  constructor(options: PaymentEndsOptions) {
    const { stores, clock, log, random = systemRandom, waitMilliseconds = WAIT_MILLISECONDS } = options;
    this.#options = options;
    this.#waitMilliseconds = waitMilliseconds;
    this.#wait = new SettlementWait({
      ...options,
      payments: stores.payments,
      news: this.#news,
      stopping: this.#stopping.signal,
    });
    this.#tryAgain = createRetry({
      ...options,
      settlesItself: (environment) => this.#settlesItself(environment),
      newTryId: () => newId("try_", clock.now().epochMilliseconds, random),
    });
    this.#unfinished = new UnfinishedWork((error) =>
      log.error({ err: error }, "a payment could not be brought to its end"),
    );
  }

  /** Stores that the tool has succeeded, and waits for the money. The payment as it was seen last; throws when that takes too long. */
  async earn(claimed: NewPayment, result: unknown, latencyMs: number): Promise<Payment> {
    const deadline = performance.now() + this.#waitMilliseconds;
    const earning = this.#unfinished.hold(this.#earn(claimed, result, latencyMs));
    const earned = await within(this.#waitMilliseconds, earning);
    if (earned === undefined) {
      this.#unfinished.track(earning);
      throw pending();
    }
    // The process was silent for so long that its claim was given free.
    if (earned.result === undefined) throw inProgress();
    return await this.#wait.untilSettled(earned.result, deadline, true);
  }

  /** What the same request gets that was made before: its payment as it was seen last. */
  async resume(known: Payment): Promise<Payment> {
    if (known.state === "claimed") throw inProgress();
    const payment = known.state === "receivable" ? await this.#tryAgain(known) : known;
    return await this.#wait.untilSettled(payment, performance.now() + this.#waitMilliseconds);
  }

  async release(paymentId: string): Promise<void> {
    const releasing = this.#unfinished.hold(this.#release(paymentId));
    if ((await within(this.#waitMilliseconds, releasing)) === undefined) this.#unfinished.track(releasing);
  }

  /** Undoes a claim of which nobody knows whether it was made. */
  abandon(paymentId: string): void {
    this.#unfinished.track(
      this.#release(paymentId).then(async (isReleased) => {
        if (isReleased) return;
        await this.#options.pause(STRAGGLER_MILLISECONDS);
        await this.#release(paymentId);
      }),
    );
  }

  /** Wakes calls that wait for these payments. `chainTransactionId`: what they were put into a moment ago. */
  tell(paymentIds: readonly string[], chainTransactionId?: string): void {
    this.#news.tell(paymentIds, chainTransactionId);
  }

  /** Ends the waits for settlements, and resolves when nothing is left to be written down. */
  async idle(): Promise<void> {
    this.#stopping.abort();
    await within(this.#waitMilliseconds, this.#unfinished.ended());
  }

  /**
   * Undefined: the claim is not this call's any more. After a lost answer it is looked up what was stored: the intent of the chain
   * transaction follows from the payment, and a payment is earned once.
   */
  async #earn(claimed: NewPayment, result: unknown, latencyMs: number): Promise<Payment | undefined> {
    const { stores, clock, gather, submissionFor } = this.#options;
    const { id, environment } = claimed;
    const transactionIntent = this.#settlesItself(environment) ? intentOfPayment(claimed) : undefined;
    const earned = await this.#untilStored(() => stores.payments.earn(id, { result, latencyMs, transactionIntent }));
    if (transactionIntent === undefined) gather?.(environment);
    else submissionFor(environment)?.wake();
    if (earned !== undefined) return asEarned(claimed, { ...earned, result, latencyMs }, clock.now());
    const payment = await this.#untilStored(() => stores.payments.get(id));
    return payment?.state === "claimed" ? undefined : payment;
  }

  #release(paymentId: string): Promise<boolean> {
    return this.#untilStored(() => this.#options.stores.payments.release(paymentId));
  }

  #untilStored<Result>(write: () => Promise<Result>): Promise<Result> {
    const { isTransient, pause } = this.#options;
    return retryUntilStored({ isTransient, pause, pauseMilliseconds: RETRY_PAUSE_MILLISECONDS }, write);
  }

  /** Whether the chain transaction that settles it is stored together with its answer; else something settles it later, or somebody else. */
  #settlesItself(environment: Environment): boolean {
    return (
      this.#options.batchWindowMilliseconds === 0 && this.#options.facilitatorFor(environment)?.settle === undefined
    );
  }
}

/** As it is stored by then. */
function asEarned(
  { hasEffects: _, ...claimed }: NewPayment,
  earned: Pick<Payment, "chainTransactionId" | "result" | "latencyMs">,
  at: Temporal.Instant,
): Payment {
  const none = { usageId: undefined, transactionHash: undefined, failure: undefined };
  return { ...claimed, ...none, ...earned, state: "earned", createdAt: at, changedAt: at };
}
