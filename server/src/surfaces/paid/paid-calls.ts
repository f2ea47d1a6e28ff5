import { Failure, unauthorized } from "../../domain/errors.ts";
import { discounted } from "../../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../../domain/payments.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { CatalogEntry } from "../../kernel/contracts/catalog.ts";
import type { Charge } from "../../kernel/contracts/charge.ts";
import type { Answer, Kernel, Payer, SignalSource } from "../../kernel/contracts/invocation.ts";
import { discountPercentByPlan, type Environment, type Principal } from "../../ports/identity.ts";
import type { Admitted } from "../http/admission.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { takeOrThrow } from "../http/limits/rate-limiter.ts";
import { type PaidLimits, PaymentCounts, ProvedPayers } from "./payment-counts.ts";
import { type PriceTag, type PriceTags, withoutSandbox } from "./price-tags.ts";
import { type Refusal, readRefusal } from "./read-refusal.ts";

export interface PaidCallsOptions {
  kernel: Kernel;
  priceTags: PriceTags;
  /** Opens the payment as the charge of a call. */
  openCharge(request: {
    payment: SignedPayment;
    terms: PaymentTerms;
    principal: Principal | Payer;
    limits: PaymentCounts;
  }): Charge;
  /** Where a call without a key is paid and runs. */
  environment: Environment;
  limits: PaidLimits;
}

interface PaidCall {
  entry: CatalogEntry;
  /** Undefined: it came without a key. */
  caller: Admitted | undefined;
  tag: PriceTag;
  remoteAddress: string;
  traceId: string;
  /** Reads the payment. Throws PaymentRefused. */
  readPayment(network: string): SignedPayment;
  /** Called after the payment is read. */
  readArguments(): Promise<Readonly<Record<string, unknown>>>;
  gone: SignalSource;
  progress?: ((step: string) => void) | undefined;
}

type PaidOutcome =
  | { kind: "answered"; answer: Answer; payer: Hex }
  /** `payment` undefined: it could not be read. */
  | { kind: "refused"; refusal: Refusal; payment: SignedPayment | undefined };

const UNPAID = "requests without a payment";

/** Calls that are paid one by one, whichever surface they come from. */
export class PaidCalls {
  readonly #options: PaidCallsOptions;
  readonly #proved = new ProvedPayers();

  constructor(options: PaidCallsOptions) {
    this.#options = options;
  }

  /** The price of a tool for this caller. Throws `sandbox_unavailable`. */
  findPriceTag({ entry, caller }: Pick<PaidCall, "entry" | "caller">): PriceTag {
    const discount = caller === undefined ? 0 : discountPercentByPlan[caller.principal.plan];
    const price = discounted(entry.tool.price, discount);
    const tag = this.#options.priceTags.of(entry, price, caller?.principal.environment ?? this.#options.environment);
    if (tag !== undefined) return tag;
    throw withoutSandbox();
  }

  /** Counts a request without a payment. Throws `rate_limited`. */
  countUnpaid(remoteAddress: string): void {
    takeOrThrow(this.#options.limits.unpaid, addressGroup(remoteAddress), UNPAID);
  }

  /**
   * For surfaces on which only the body shows whether a request pays, before it is read. Requests without a payment that are over
   * their limit count towards that of the paying ones, so that it is not read for ever. Throws `rate_limited`.
   */
  requireRoom(remoteAddress: string): void {
    const { unpaid, unsettledByAddress } = this.#options.limits;
    const address = addressGroup(remoteAddress);
    if (unpaid.left(address) < 1 && unsettledByAddress.left(address) < 1) takeOrThrow(unpaid, address, UNPAID);
  }

  /** The same, once the body is read and pays for nothing. */
  countUnpaidBody(remoteAddress: string): void {
    try {
      this.countUnpaid(remoteAddress);
    } catch (error) {
      this.#options.limits.unsettledByAddress.take(addressGroup(remoteAddress));
      throw error;
    }
  }

  /** Nothing is claimed for a payment that is refused. Throws Failures that are not about the payment. */
  async pay(call: PaidCall): Promise<PaidOutcome> {
    const { entry, remoteAddress, tag } = call;
    const counts = new PaymentCounts(this.#options.limits, this.#proved, {
      remoteAddress,
      weight: entry.tool.unpaidWeight,
    });
    let payment: SignedPayment | undefined;
    try {
      payment = call.readPayment(tag.terms.network);
      counts.requireRoom(payment.payer);
      const answer = await this.#run(call, payment, counts);
      return { kind: "answered", answer, payer: payment.payer };
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal === undefined) throw error;
      counts.countRefusal();
      return { kind: "refused", refusal, payment };
    }
  }

  async #run(call: PaidCall, payment: SignedPayment, limits: PaymentCounts): Promise<Answer> {
    const { entry, caller, tag } = call;
    if (caller === undefined && !entry.tool.payableWithoutKey) throw keyRequired();
    const args = await call.readArguments();
    const principal = caller?.principal ?? { payer: payment.payer, environment: this.#options.environment };
    const answer = await this.#options.kernel.invoke({
      toolName: entry.tool.name,
      args,
      principal,
      charge: this.#options.openCharge({ payment, terms: tag.terms, principal, limits }),
      confirmPrincipal: () => caller?.confirm() ?? Promise.resolve(undefined),
      userId: undefined,
      surface: "paid",
      traceId: call.traceId,
      // The authorization makes a repetition harmless.
      idempotencyKey: undefined,
      gone: call.gone,
      progress: call.progress,
    });
    if (answer.receipt.payment !== undefined && !answer.replayed) limits.settled(payment.payer);
    return answer;
  }
}

function keyRequired(): Failure {
  const { code } = unauthorized();
  return new Failure(code, {
    detail:
      "This tool works on a tenant's records or money: send an API key along with the payment (Authorization: Bearer ak_…). The payment was not used and stays valid.",
  });
}
