import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { Micro } from "../../domain/money.ts";
import { PaymentRefused, type PaymentTerms, type SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Charge, PendingCall, Reservation, Settled } from "../../kernel/charge.ts";
import type { Payer } from "../../kernel/invoke.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Principal } from "../../ports/identity.ts";
import type { Calls } from "../usage/calls.ts";
import { type AwaitSettlementOptions, createAwaitSettlement } from "./await-settlement.ts";
import { isSamePayment } from "./check-terms.ts";
import { orderOfPayment } from "./orders.ts";
import {
  alreadyUsed,
  answerGone,
  inProgress,
  notFetched,
  notNow,
  pending,
  reaching,
  refusal,
  tooManyOpen,
} from "./payment-failures.ts";
import { createPaymentNews } from "./payment-news.ts";
import type { NewPayment, Payment, PaymentClaim } from "./payments.ts";
import { requestHashOf } from "./request-hash.ts";
import { createRetry } from "./retry-payment.ts";
import { verifyPayment } from "./verify-payment.ts";

export interface PaymentChargesOptions extends AwaitSettlementOptions {
  stores: Pick<Stores, "payments" | "transaction" | "wallets">;
  processId: string;
  clock: Clock;
  random?: RandomBytes;
  calls: Pick<Calls, "takeOver">;
  isTransient(error: unknown): boolean;
  /** More than 0: payments are fetched together, by jobs/gather-payments.ts. */
  batchWindowMs: number;
  /** Starts the window in which payments that are fetched together are gathered. */
  gather?(environment: Environment): void;
  /** How long a call waits for its settlement. */
  waitMs?: number;
}

export interface PaidCharge extends Charge {
  /** What was paid for the answer; undefined: nothing. */
  receipt(): PaymentReceipt | undefined;
}

export interface PaymentReceipt {
  payer: Hex;
  amount: Micro;
  /** CAIP-2. */
  network: string;
  transactionHash: Hex;
}

export interface PaymentRequest {
  payment: SignedPayment;
  terms: PaymentTerms;
  principal: Principal | Payer;
}

export interface PaymentCharges {
  open(request: PaymentRequest): PaidCharge;
  /** Wakes calls that wait for these payments: jobs/gather-payments.ts. */
  tell(paymentIds: readonly string[]): void;
  /** Ends the waits for settlements, and resolves when nothing is left to be written down. */
  idle(): Promise<void>;
}

const WAIT_MS = 25_000;
const RETRY_PAUSE_MS = 200;
/** A claim of which nobody knows whether it was made can still be on its way to the database. */
const STRAGGLER_MS = 1_000;
/** So often a payer's balance is looked at, when calls under way leave too little of it. */
const MOST_LOOKS = 4;
const LOOK_AGAIN_MS = 100;

/**
 * A signed payment pays for one call: it is claimed for good before the tool runs, and fetched after the tool has succeeded. The
 * answer is stored with it, so that the same request, sent again, gets it without a second run and without a second payment.
 */
export function createPaymentCharges(options: PaymentChargesOptions): PaymentCharges {
  const { stores, clock, log, random = systemRandom, waitMs = WAIT_MS } = options;
  const { payments } = stores;
  const news = createPaymentNews();
  const stopping = new AbortController();
  const awaitSettlement = createAwaitSettlement({ ...options, payments, news, stopping: stopping.signal });
  const loose = new Set<Promise<void>>();

  /** Lets a stop wait for it. */
  function hold<Result>(work: Promise<Result>): Promise<Result> {
    const held = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => loose.delete(held));
    loose.add(held);
    return work;
  }

  /** Keeps what is left to do from ending the process when it fails, and lets a stop wait for it. */
  function track(work: Promise<unknown>): void {
    const tracked = work
      .then(() => undefined)
      .catch((error: unknown) => log.error({ err: error }, "a payment could not be brought to its end"))
      .finally(() => loose.delete(tracked));
    loose.add(tracked);
  }

  /** Safe only for what can be done twice: an answer that was lost says nothing about what was done. */
  async function surely<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!options.isTransient(error)) throw error;
        await options.pause(RETRY_PAUSE_MS);
      }
    }
  }

  /** Undoes a claim of which nobody knows whether it was made. */
  function abandon(paymentId: string): void {
    const release = () => surely(() => payments.release(paymentId));
    track(
      release().then(async (isReleased) => {
        if (isReleased) return;
        await options.pause(STRAGGLER_MS);
        await release();
      }),
    );
  }

  /** The chain transaction that fetches it, stored together with what says so; none when something else fetches it. */
  function fetchesItself(environment: Environment): boolean {
    return options.batchWindowMs === 0 && options.facilitatorFor(environment)?.settle === undefined;
  }

  /**
   * Stores that the tool has succeeded. Undefined: the claim is not this call's any more. After a lost answer it is looked up what
   * was stored: the order of the chain transaction follows from the payment, and a payment is earned once.
   */
  async function earn(claimed: NewPayment, result: unknown, latencyMs: number): Promise<Payment | undefined> {
    const { id, environment } = claimed;
    const order = fetchesItself(environment) ? orderOfPayment(claimed) : undefined;
    const earned = await surely(() => payments.earn(id, { result, latencyMs, order }));
    if (order === undefined) options.gather?.(environment);
    else options.submissionFor(environment)?.wake();
    if (earned !== undefined) return asEarned(claimed, { ...earned, result, latencyMs }, clock.now());
    const payment = await surely(() => payments.get(id));
    return payment?.state === "claimed" ? undefined : payment;
  }

  /** What the same request gets that was made before. */
  async function resume(known: Payment): Promise<Payment> {
    if (known.state === "claimed") throw inProgress();
    const payment = known.state === "receivable" ? await tryAgain(known) : known;
    return await awaitSettlement(payment, performance.now() + waitMs);
  }

  const tryAgain = createRetry({
    ...options,
    fetchesItself,
    newTryId: () => newId("try_", clock.now().epochMilliseconds, random),
  });

  class OpenCharge implements PaidCharge {
    readonly #request: PaymentRequest;
    #known: Payment | undefined;
    #balance: Micro | undefined;
    #claimed: NewPayment | undefined;
    #receipt: PaymentReceipt | undefined;

    constructor(request: PaymentRequest) {
      this.#request = request;
    }

    receipt(): PaymentReceipt | undefined {
      return this.#receipt;
    }

    async admit(call: PendingCall): Promise<void> {
      this.#known = this.#recognize(call, await payments.find(call.environment, this.#request.payment));
      if (this.#known === undefined) await this.#verify(call);
    }

    async #verify({ environment }: PendingCall): Promise<void> {
      const { payment, terms } = this.#request;
      const facilitator = options.facilitatorFor(environment);
      if (facilitator === undefined || options.submissionFor(environment) === undefined) throw notNow();
      const outcomes = options.outcomesFor(environment);
      const parts = { facilitator, outcomes, wallets: stores.wallets, now: clock.now() };
      const { balance } = await reaching(verifyPayment(parts, payment, terms));
      this.#balance = balance;
    }

    async reserve(call: PendingCall): Promise<Reservation> {
      const known = this.#known ?? (await this.#claim(call));
      if (known === undefined) return { kind: "run" };
      const payment = await resume(known);
      const { usageId, price } = this.#settled(payment);
      if (payment.result === null) throw answerGone();
      return { kind: "replay", outcome: { ok: true, result: payment.result }, usageId, price };
    }

    async capture(_call: PendingCall, result: unknown, latencyMs: number, firstCallId?: string): Promise<Settled> {
      const claimed = this.#requireClaim();
      if (firstCallId !== undefined && (await this.#isPaidBefore(claimed, firstCallId))) {
        return { usageId: undefined, price: 0n, replayed: true };
      }
      const deadline = performance.now() + waitMs;
      const earning = hold(earn(claimed, result, latencyMs));
      const earned = await within(waitMs, earning);
      if (earned === undefined) {
        track(earning);
        throw pending();
      }
      // The process was silent for so long that its claim was given free.
      if (earned.result === undefined) throw inProgress();
      return { ...this.#settled(await awaitSettlement(earned.result, deadline)), replayed: false };
    }

    async release(): Promise<void> {
      const { id } = this.#requireClaim();
      const releasing = hold(surely(() => payments.release(id)));
      if ((await within(waitMs, releasing)) === undefined) track(releasing);
    }

    /** The same authorization for anything else than its own request is refused. */
    #recognize(call: PendingCall, stored: Payment | undefined): Payment | undefined {
      if (stored === undefined) return undefined;
      const isSame = stored.requestHash === this.#hashOf(call) && isSamePayment(stored.signed, this.#request.payment);
      if (!isSame) throw alreadyUsed();
      return stored;
    }

    /** Undefined: it is this call's. */
    async #claim(call: PendingCall): Promise<Payment | undefined> {
      const payment = this.#toPayment(call);
      for (let look = 1; ; look += 1) {
        const claim = await this.#claimOnce(payment);
        if (claim.kind === "taken") return this.#recognize(call, claim.payment);
        if (claim.kind === "claimed") {
          this.#claimed = payment;
          return undefined;
        }
        if (claim.reason === "too_many_open") throw tooManyOpen();
        // What was fetched a moment ago is gone from the balance, and still counts as open until the books know of it.
        if (claim.reason === "payer_owes" || look === MOST_LOOKS) throw refusal(refusedClaim(claim.reason));
        await options.pause(LOOK_AGAIN_MS * look);
        await this.#verify(call);
      }
    }

    #toPayment(call: PendingCall): NewPayment {
      const { payment: signed, terms } = this.#request;
      return {
        id: newId("pay_", call.startedAt.epochMilliseconds, random),
        environment: call.environment,
        signed,
        terms,
        requestHash: this.#hashOf(call),
        tool: call.tool.name,
        ...this.#ownerOf(call),
        subject: this.#isKeyless() ? signed.payer : call.subject,
        callId: call.id,
        processId: options.processId,
        traceId: call.traceId,
        listPrice: call.listPrice,
        discountPercent: call.discountPercent,
        hasEffects: call.tool.effect !== "read",
      };
    }

    async #claimOnce(payment: NewPayment): Promise<PaymentClaim> {
      try {
        return await payments.claim(payment, this.#balance);
      } catch (error) {
        abandon(payment.id);
        throw error;
      }
    }

    /** Then this call's claim is given back: nothing is paid twice. Nor is it given away while the first payment can still fail. */
    async #isPaidBefore({ id }: NewPayment, firstCallId: string): Promise<boolean> {
      let isPending: boolean;
      try {
        const first = await options.calls.takeOver(firstCallId);
        if (!first.paid) return false;
        isPending = first.isPending;
      } catch (error) {
        abandon(id);
        throw error;
      }
      await this.release();
      if (isPending) throw pending();
      return true;
    }

    /** Throws unless the money is there. */
    #settled({ state, usageId, signed, transactionHash }: Payment): { usageId: string | undefined; price: Micro } {
      if (state === "receivable") throw notFetched();
      if (state !== "settled" || transactionHash === undefined) throw pending();
      const { payer, amount, network } = signed;
      this.#receipt = { payer, amount, network, transactionHash };
      return { usageId, price: amount };
    }

    #hashOf(call: PendingCall): string {
      return requestHashOf({ tool: call.tool.name, args: call.args, ...this.#ownerOf(call) });
    }

    #ownerOf({ tenantId, keyId }: PendingCall): { tenantId: string | null; keyId: string | null } {
      return this.#isKeyless() ? { tenantId: null, keyId: null } : { tenantId, keyId };
    }

    #isKeyless(): boolean {
      return "payer" in this.#request.principal;
    }

    #requireClaim(): NewPayment {
      if (this.#claimed === undefined) throw new Error("a payment is captured or released that was not claimed");
      return this.#claimed;
    }
  }

  return {
    open: (request) => new OpenCharge(request),
    tell: (paymentIds) => news.tell(paymentIds),
    async idle() {
      stopping.abort();
      await within(waitMs, Promise.all(loose));
    },
  };
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

/** Undefined: it takes longer. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<{ result: Result } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([work.then((result) => ({ result })), late]);
  } finally {
    clearTimeout(timer);
  }
}

function refusedClaim(reason: "insufficient_funds" | "payer_owes"): PaymentRefused {
  return new PaymentRefused(
    reason,
    reason === "payer_owes"
      ? "The payer has answers that could not be paid. Send those signatures again, with the money in its account."
      : "The payer has less than its calls under way cost together. Wait for them, or add money.",
  );
}
