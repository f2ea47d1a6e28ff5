import { newId, systemRandom } from "../../../domain/ids.ts";
import type { Micro } from "../../../domain/money.ts";
import { PaymentRefused, type PaymentTerms, type SignedPayment } from "../../../domain/payments.ts";
import { requestHash } from "../../../domain/request-hash.ts";
import type {
  Charge,
  GateReservations,
  PendingCall,
  Receipt,
  Replay,
  Reservation,
  Settled,
} from "../../../kernel/contracts/charge.ts";
import type { Payer } from "../../../kernel/contracts/invocation.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { Calls } from "../../charging/index.ts";
import type { Stores } from "../context.ts";
import { ANSWER_MINUTES, type NewPayment, type Payment, type PaymentClaim } from "../payments.ts";
import { PaymentEnds, type PaymentEndsOptions } from "../settling/payment-ends.ts";
import { isSamePayment, matchesTerms } from "./check-terms.ts";
import {
  alreadyUsed,
  answerGone,
  identifierUsed,
  notNow,
  notSettled,
  pending,
  reaching,
  refusal,
  tooManyOpen,
} from "./payment-failures.ts";
import type { PaymentLimits } from "./payment-limits.ts";
import { verifyPayment } from "./verify-payment.ts";

interface ClaimPaymentRequest {
  payment: NewPayment;
  /** The payer's last known balance; undefined: unknown, and not compared. */
  balance: Micro | undefined;
  /** The reservations that gates make for the call. */
  alsoReserve: GateReservations | undefined;
}

/** Rolls back a transaction whose claim was refused. */
class Unclaimed extends Error {
  readonly claim: PaymentClaim;

  constructor(claim: PaymentClaim) {
    super(claim.kind);
    this.claim = claim;
  }
}

export interface PaymentChargesOptions extends PaymentEndsOptions {
  stores: Pick<Stores, "payments" | "transaction" | "wallets">;
  processId: string;
  calls: Pick<Calls, "takeOver">;
  /** Whether the payer's own key signed, checked without any request. */
  isSignedByPayer(chain: ChainKey, payment: SignedPayment): boolean;
}

export interface PaymentRequest {
  payment: SignedPayment;
  terms: PaymentTerms;
  principal: Principal | Payer;
  limits: PaymentLimits;
}

/** How often the balance is read again if pending calls leave too little of it. */
const MOST_LOOKS = 4;
const LOOK_AGAIN_MILLISECONDS = 100;

/** The payments of a service process. */
export class PaymentCharges {
  readonly #options: PaymentChargesOptions;
  readonly #ends: PaymentEnds;

  constructor(options: PaymentChargesOptions) {
    this.#options = options;
    this.#ends = new PaymentEnds(options);
  }

  /** The charge of one call. */
  open(request: PaymentRequest): Charge {
    return new ChargeByPayment(this.#options, this.#ends, request);
  }

  /** Wakes calls that wait for these payments. `chainTransactionId`: the transaction that now contains them. */
  tell(paymentIds: readonly string[], chainTransactionId?: string): void {
    this.#ends.tell(paymentIds, chainTransactionId);
  }

  /** Ends the waits for settlements, and resolves when nothing is left to store. */
  idle(): Promise<void> {
    return this.#ends.idle();
  }
}

/**
 * A signed payment pays for one call: it is claimed permanently before the tool runs, and settled after the tool has succeeded.
 * The answer is stored with it, so that the same request, sent again, gets it without a second run or a second payment.
 */
class ChargeByPayment implements Charge {
  readonly paidBy = "payment";
  readonly #options: PaymentChargesOptions;
  readonly #ends: PaymentEnds;
  readonly #request: PaymentRequest;
  /** The payment of an earlier, identical request. */
  #known: Payment | undefined;
  #balance: Micro | undefined;
  #claimed: NewPayment | undefined;
  #hash: string | undefined;

  constructor(options: PaymentChargesOptions, ends: PaymentEnds, request: PaymentRequest) {
    this.#options = options;
    this.#ends = ends;
    this.#request = request;
  }

  async recall(call: PendingCall): Promise<Replay | undefined> {
    const known = await this.#findKnown(call);
    return known === undefined ? undefined : await this.#replay(call, known);
  }

  async admit(call: PendingCall): Promise<void> {
    this.#known = await this.#findKnown(call);
    this.#known ??= await this.#admitNew(call);
  }

  /**
   * The earlier payment for this call: by the same authorization, or by another one of the same payer with the same identifier.
   * Identifiers are not signed, so one counts only beside a payment that its payer has signed for this service.
   */
  async #findKnown(call: PendingCall): Promise<Payment | undefined> {
    const { payment, terms } = this.#request;
    const stored = await this.#options.stores.payments.find(call.environment, payment);
    if (stored !== undefined) return this.#recognize(call, stored);
    const isProved = this.#isSignedByPayer(call) && matchesTerms(payment, terms, this.#options.clock.now());
    return isProved ? await this.#findIdentified(call) : undefined;
  }

  async #findIdentified(call: PendingCall): Promise<Payment | undefined> {
    const stored = await this.#options.stores.payments.findIdentified(call.environment, this.#request.payment);
    return this.#recognize(call, stored);
  }

  /**
   * Anyone can name a payer: a call counts against it only once its signature is verified. Returns an earlier payment that could
   * be looked up only then.
   */
  async #admitNew(call: PendingCall): Promise<Payment | undefined> {
    const { payment, limits } = this.#request;
    const isProved = this.#isSignedByPayer(call);
    if (isProved) limits.countPayer(payment.payer);
    await this.#verify(call);
    if (isProved) return undefined;
    limits.countPayer(payment.payer);
    return await this.#findIdentified(call);
  }

  #isSignedByPayer(call: PendingCall): boolean {
    return this.#options.isSignedByPayer(this.#findChain(call), this.#request.payment);
  }

  /** The chain on which this service asked to be paid. */
  #findChain({ environment }: PendingCall): ChainKey {
    return { environment, chain: this.#request.terms.network };
  }

  async reserve(call: PendingCall, alsoReserve?: GateReservations): Promise<Reservation> {
    const known = this.#known ?? (await this.#claim(call, alsoReserve));
    return known === undefined ? { kind: "run" } : await this.#replay(call, known);
  }

  async #replay(call: PendingCall, known: Payment): Promise<Replay> {
    const payment = await this.#ends.resume(known);
    const receipt = requireReceipt(payment);
    if (!this.#isGivenAgain(call, payment))
      throw answerGone(receipt, this.#isSameAuthorization(payment) ? "authorization" : "identifier");
    const { id, result } = payment;
    const keep = (whole: unknown) => this.#options.stores.payments.keepAnswer(id, result, whole);
    return { kind: "replay", outcome: { ok: true, result }, receipt, keep };
  }

  #isGivenAgain({ tool, startedAt }: PendingCall, { result, changedAt }: Payment): boolean {
    const isYoung = Temporal.Instant.compare(startedAt, changedAt.add({ minutes: ANSWER_MINUTES })) < 0;
    return tool.answerIsKept && isYoung && result !== null;
  }

  async capture({ tool }: PendingCall, result: unknown, latencyMs: number, firstCallId?: string): Promise<Settled> {
    const claimed = this.#requireClaim();
    const before = firstCallId === undefined ? undefined : await this.#findPaidBefore(claimed, firstCallId);
    if (before !== undefined) return { ...before, replayed: true };
    return {
      ...requireReceipt(await this.#ends.earn(claimed, tool.answerIsKept ? result : null, latencyMs)),
      replayed: false,
    };
  }

  async release(): Promise<void> {
    await this.#ends.release(this.#requireClaim().id);
  }

  async #verify(call: PendingCall): Promise<void> {
    const { facilitatorFor, submissionFor, outcomesFor, stores, clock } = this.#options;
    const { payment, terms, limits } = this.#request;
    const chain = this.#findChain(call);
    const facilitator = facilitatorFor(chain);
    if (facilitator === undefined || submissionFor(chain) === undefined) throw notNow();
    const outcomes = outcomesFor(chain);
    const parts = { facilitator, outcomes, wallets: stores.wallets, now: clock.now() };
    const signer = this.#isSignedByPayer(call) ? payment.payer : undefined;
    const { balance } = await limits.judge(() => reaching(verifyPayment(parts, payment, terms)), signer);
    this.#balance = balance;
  }

  /** Refuses an authorization or an identifier that belongs to a different request. */
  #recognize(call: PendingCall, stored: Payment | undefined): Payment | undefined {
    if (stored === undefined) return undefined;
    const isSameRequest = stored.requestHash === this.#hashRequest(call);
    if (!this.#isSameAuthorization(stored)) {
      if (!isSameRequest) throw identifierUsed();
      return stored;
    }
    if (!isSameRequest || !isSamePayment(stored.signed, this.#request.payment)) throw alreadyUsed();
    return stored;
  }

  /** Otherwise the earlier payment has only the identifier in common. */
  #isSameAuthorization({ signed }: Payment): boolean {
    return signed.nonce === this.#request.payment.nonce;
  }

  /** Undefined: this call claimed it. */
  async #claim(call: PendingCall, alsoReserve: GateReservations | undefined): Promise<Payment | undefined> {
    const payment = this.#toPayment(call);
    for (let look = 1; ; look += 1) {
      const claim = await this.#claimOnce(payment, alsoReserve);
      if (claim.kind === "taken") return this.#recognize(call, claim.payment);
      if (claim.kind === "claimed") {
        this.#claimed = payment;
        return undefined;
      }
      if (claim.reason === "too_many_open") throw tooManyOpen();
      // A recent settlement is already deducted from the balance, but counts as open until it is recorded.
      if (claim.reason === "payer_owes" || look === MOST_LOOKS) throw refusal(refusedClaim(claim.reason));
      await this.#options.pause(LOOK_AGAIN_MILLISECONDS * look);
      await this.#verify(call);
    }
  }

  async #claimOnce(payment: NewPayment, alsoReserve: GateReservations | undefined): Promise<PaymentClaim> {
    try {
      return await claimPayment(this.#options.stores, { payment, balance: this.#balance, alsoReserve });
    } catch (error) {
      this.#ends.abandon(payment.id);
      throw error;
    }
  }

  #toPayment(call: PendingCall): NewPayment {
    const { processId, random = systemRandom } = this.#options;
    const { payment, terms } = this.#request;
    const { beside: _, ...bare } = payment;
    // Only a third-party facilitator needs the extra fields that the payer sent, so they are not stored otherwise.
    const isSettledOutside = this.#options.facilitatorFor(this.#findChain(call))?.settle !== undefined;
    const signed = isSettledOutside ? payment : bare;
    return {
      id: newId("pay_", call.startedAt.epochMilliseconds, random),
      environment: call.environment,
      signed,
      terms,
      requestHash: this.#hashRequest(call),
      tool: call.tool.name,
      ...this.#requestOwner(call),
      subject: this.#isKeyless() ? signed.payer : call.subject,
      callId: call.id,
      processId,
      traceId: call.traceId,
      listPrice: call.listPrice,
      discountPercent: call.discountPercent,
      hasEffects: call.tool.effect !== "read",
    };
  }

  /**
   * Releases this call's claim if the first payment stands, so that nothing is paid twice, and keeps it while the first payment
   * can still fail.
   */
  async #findPaidBefore({ id }: NewPayment, firstCallId: string): Promise<Receipt | undefined> {
    const first = await this.#options.calls.takeOver(firstCallId).catch((error: unknown) => {
      this.#ends.abandon(id);
      throw error;
    });
    if (!first.paid) return undefined;
    await this.release();
    if (first.isPending) throw pending();
    return { usageId: first.usageId ?? undefined, price: first.price, payment: first.payment };
  }

  #hashRequest(call: PendingCall): string {
    this.#hash ??= hashPaidRequest({ tool: call.tool.name, args: call.args, ...this.#requestOwner(call) });
    return this.#hash;
  }

  #requestOwner({ tenantId, keyId }: PendingCall): { tenantId: string | null; keyId: string | null } {
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

/** Throws unless the payment is settled. */
function requireReceipt({ state, usageId, signed, transactionHash }: Payment): Receipt {
  if (state === "receivable") throw notSettled();
  if (state !== "settled" || transactionHash === undefined) throw pending();
  const { payer, amount, network } = signed;
  return { usageId, price: amount, payment: { payer, amount, network, transactionHash } };
}

function refusedClaim(reason: "insufficient_funds" | "payer_owes"): PaymentRefused {
  return new PaymentRefused(
    reason,
    reason === "payer_owes"
      ? "The payer has answers that could not be paid. Make sure that the account has enough money, then send those signatures again."
      : "The payer has less than its pending calls cost in total. Wait for them, or add money.",
  );
}

/** Identifies the request that an authorization pays for; it is valid for no other, whoever sends it. */
function hashPaidRequest(request: {
  tool: string;
  args: unknown;
  tenantId: string | null;
  keyId: string | null;
}): string {
  return requestHash(request);
}

/** Claims an authorization for a call. Reservations of gates are in the same transaction, so that both hold or neither. */
async function claimPayment(
  stores: Pick<Stores, "payments" | "transaction">,
  { payment, balance, alsoReserve }: ClaimPaymentRequest,
): Promise<PaymentClaim> {
  if (alsoReserve === undefined) return await stores.payments.claim(payment, balance);
  try {
    return await stores.transaction(async (transaction) => {
      const claim = await transaction.payments.claim(payment, balance);
      if (claim.kind !== "claimed") throw new Unclaimed(claim);
      await alsoReserve(transaction);
      return claim;
    });
  } catch (error) {
    if (error instanceof Unclaimed) return error.claim;
    throw error;
  }
}
