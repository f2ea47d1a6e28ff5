import { newId, type RandomBytes, systemRandom } from "../../../domain/ids.ts";
import { retryUntilStored } from "../../../platform/batching/retry-until-stored.ts";
import { UnfinishedWork } from "../../../platform/batching/unfinished-work.ts";
import { within } from "../../../platform/batching/within.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Stores } from "../context.ts";
import { inProgress, pending } from "../paying/payment-failures.ts";
import { findPaymentChain, type NewPayment, type Payment } from "../payments.ts";
import { intentOfPayment, type Settleable } from "./payment-intents.ts";
import { createPaymentNews } from "./payment-news.ts";
import { createRetry } from "./retry-payment.ts";
import { SettlementWait, type SettlementWaitOptions } from "./settlement-wait.ts";

export interface PaymentEndsOptions extends SettlementWaitOptions {
  stores: Pick<Stores, "payments" | "transaction">;
  clock: Clock;
  random?: RandomBytes;
  isTransient(error: unknown): boolean;
  /** Above 0, payments are batched by gather-payments.ts. */
  batchWindowMilliseconds: number;
  /** Puts an earned payment into the window in which payments are batched. */
  gather?(chain: ChainKey, earned: Settleable): void;
  /** How long a call waits for its settlement. */
  waitMilliseconds?: number;
}

const WAIT_MILLISECONDS = 25_000;
const RETRY_PAUSE_MILLISECONDS = 200;
/** A claim with an unknown outcome may still be on its way to the database. */
const STRAGGLER_MILLISECONDS = 1_000;

/**
 * Ends claimed payments: released if the tool failed, or earned and settled if it succeeded. Settlement continues if the call
 * stops waiting.
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
      settlesItself: (chain) => this.#settlesItself(chain),
      newTryId: () => newId("try_", clock.now().epochMilliseconds, random),
    });
    this.#unfinished = new UnfinishedWork((error) =>
      log.error({ err: error }, "a payment could not be brought to its end"),
    );
  }

  /** Stores that the tool succeeded and waits for the settlement. Returns the last known payment; throws on timeout. */
  async earn(claimed: NewPayment, result: unknown, latencyMs: number): Promise<Payment> {
    const deadline = performance.now() + this.#waitMilliseconds;
    const earning = this.#unfinished.hold(this.#earn(claimed, result, latencyMs));
    const earned = await within(this.#waitMilliseconds, earning);
    if (earned === undefined) {
      this.#unfinished.track(earning);
      throw pending();
    }
    // The process was silent for so long that its claim was released.
    if (earned.result === undefined) throw inProgress();
    return await this.#wait.untilSettled(earned.result, deadline, true);
  }

  /** Answers a repeated request with the last known state of its payment. */
  async resume(known: Payment): Promise<Payment> {
    if (known.state === "claimed") throw inProgress();
    const payment = known.state === "receivable" ? await this.#tryAgain(known) : known;
    return await this.#wait.untilSettled(payment, performance.now() + this.#waitMilliseconds);
  }

  async release(paymentId: string): Promise<void> {
    const releasing = this.#unfinished.hold(this.#release(paymentId));
    if ((await within(this.#waitMilliseconds, releasing)) === undefined) this.#unfinished.track(releasing);
  }

  /** Releases a claim whose outcome is unknown. */
  abandon(paymentId: string): void {
    this.#unfinished.track(
      this.#release(paymentId).then(async (isReleased) => {
        if (isReleased) return;
        await this.#options.pause(STRAGGLER_MILLISECONDS);
        await this.#release(paymentId);
      }),
    );
  }

  /** Wakes calls that wait for these payments. `chainTransactionId`: the transaction that now contains them. */
  tell(paymentIds: readonly string[], chainTransactionId?: string): void {
    this.#news.tell(paymentIds, chainTransactionId);
  }

  /** Ends the waits for settlements, and resolves when nothing is left to store. */
  async idle(): Promise<void> {
    this.#stopping.abort();
    await within(this.#waitMilliseconds, this.#unfinished.ended());
  }

  /**
   * Undefined: this call no longer holds the claim. If the database's answer is lost, the stored state is read: the chain
   * transaction's intent is derived from the payment, and a payment is earned once.
   */
  async #earn(claimed: NewPayment, result: unknown, latencyMs: number): Promise<Payment | undefined> {
    const { stores, clock, gather, submissionFor } = this.#options;
    const { id } = claimed;
    const chain = findPaymentChain(claimed);
    const transactionIntent = this.#settlesItself(chain) ? intentOfPayment(claimed) : undefined;
    const earned = await this.#untilStored(() => stores.payments.earn(id, { result, latencyMs, transactionIntent }));
    if (transactionIntent === undefined) gather?.(chain, claimed);
    else submissionFor(chain)?.wake();
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

  /** Whether the settling chain transaction is stored together with the answer, rather than later or by a facilitator. */
  #settlesItself(chain: ChainKey): boolean {
    return this.#options.batchWindowMilliseconds === 0 && this.#options.facilitatorFor(chain)?.settle === undefined;
  }
}

/** The payment as it is stored then. */
function asEarned(
  { hasEffects: _, ...claimed }: NewPayment,
  earned: Pick<Payment, "chainTransactionId" | "result" | "latencyMs">,
  at: Temporal.Instant,
): Payment {
  const none = { usageId: undefined, transactionHash: undefined, failure: undefined };
  return { ...claimed, ...none, ...earned, state: "earned", createdAt: at, changedAt: at };
}
