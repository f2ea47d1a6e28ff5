import { Failure, unauthorized } from "../../domain/errors.ts";
import { discounted } from "../../domain/money.ts";
import type { PaymentTerms, SignedPayment } from "../../domain/payments.ts";
import { type Catalog, type CatalogEntry, findTool } from "../../kernel/contracts/catalog.ts";
import type { Charge } from "../../kernel/contracts/charge.ts";
import type { Kernel, Payer } from "../../kernel/contracts/invocation.ts";
import { discountPercentByPlan, type Environment, type Principal } from "../../ports/identity.ts";
import type { Admitted } from "../http/admission.ts";
import { readMeasuredJson, requireObject } from "../http/bodies/json-body.ts";
import { mostOfCall } from "../http/bodies/large-bodies.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { takeOrThrow } from "../http/limits/rate-limiter.ts";
import type { OpenExchange, SignedAnswers } from "../http/signed-exchange.ts";
import { type ErrorPlace, renderProblem } from "../render-error.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { type PaidLimits, PaymentCounts, ProvedPayers } from "./payment-counts.ts";
import { PAYMENT_REQUIRED_HEADER, PAYMENT_SIGNATURE_HEADER, readPaymentSignature } from "./payment-headers.ts";
import {
  PAID_TOOLS_PATH,
  PAYMENT_REQUIRED_ERROR,
  type PriceTag,
  type PriceTags,
  withoutSandbox,
} from "./price-tags.ts";
import { readRefusal } from "./read-refusal.ts";
import { renderPaid } from "./render-paid.ts";
import { renderRefusal } from "./render-refusal.ts";

export interface PaidToolsOptions {
  answerSigned: SignedAnswers;
  kernel: Kernel;
  catalog: Catalog;
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

/** The known data of a request. */
interface Visit extends ErrorPlace {
  request: HttpRequest;
  entry: CatalogEntry;
  caller: Admitted | undefined;
  tag: PriceTag;
}

/** `POST /tools/<tool>`: takes the arguments and answers 402 with the terms; once they are signed, the tool's result. */
export function createPaidTools(options: PaidToolsOptions): HttpHandler {
  const tools = new PaidTools(options);
  return async (request) => {
    const answer = await options.answerSigned(request, (exchange) => tools.serve(request, exchange));
    Object.assign(answer.headers, corsHeaders);
    return answer;
  };
}

class PaidTools {
  readonly #options: PaidToolsOptions;
  readonly #proved = new ProvedPayers();

  constructor(options: PaidToolsOptions) {
    this.#options = options;
  }

  async serve(request: HttpRequest, exchange: OpenExchange): Promise<HttpAnswer> {
    if (request.method === "OPTIONS") return preflight();
    const entry = findTool(this.#options.catalog, parseToolName(request.path));
    const signature = request.header(PAYMENT_SIGNATURE_HEADER);
    const isProbe = request.method === "GET" || request.method === "HEAD";
    if (request.method !== "POST" && !(isProbe && signature === undefined)) throw onlyPost(request);
    const caller = await this.#identify(request, exchange, signature !== undefined);
    const tag = this.#findPriceTag(entry, caller?.principal);
    const visit = { request, traceId: exchange.traceId, appUrl: exchange.appUrl, entry, caller, tag };
    return signature === undefined ? this.#askForPayment(visit) : this.#takePayment(visit, signature);
  }

  /** An invalid key does not change a price: only a paying request must have a valid key, or none. */
  async #identify(request: HttpRequest, exchange: OpenExchange, pays: boolean): Promise<Admitted | undefined> {
    if (request.header("authorization") === undefined) return undefined;
    try {
      return await exchange.admit();
    } catch (error) {
      if (!pays && error instanceof Failure && error.code === "unauthorized") return undefined;
      throw error;
    }
  }

  #findPriceTag(entry: CatalogEntry, principal: Principal | undefined): PriceTag {
    const discount = principal === undefined ? 0 : discountPercentByPlan[principal.plan];
    const tag = this.#options.priceTags.of(
      entry,
      discounted(entry.tool.price, discount),
      principal?.environment ?? this.#options.environment,
    );
    if (tag !== undefined) return tag;
    throw withoutSandbox();
  }

  #askForPayment(visit: Visit): HttpAnswer {
    const { request, entry, caller, tag } = visit;
    takeOrThrow(this.#options.limits.unpaid, addressGroup(request.remoteAddress), "requests without a payment");
    const needsKey = !entry.tool.payableWithoutKey && caller === undefined;
    const detail = needsKey
      ? "Sign one of the listed payments and send the request again with it as PAYMENT-SIGNATURE, beside an API key: this tool works on a tenant's records or money."
      : "Sign one of the listed payments and send the request again with it as PAYMENT-SIGNATURE. The network's name alone does not tell where it is paid, as chains can share an id: sign for exactly the asset and payTo of the terms.";
    const extra = { ...tag.members, error: PAYMENT_REQUIRED_ERROR, apiKeyRequired: !entry.tool.payableWithoutKey };
    const answer = renderProblem({ code: "payment_required", detail, extra }, visit);
    answer.headers[PAYMENT_REQUIRED_HEADER] = tag.header(PAYMENT_REQUIRED_ERROR);
    return answer;
  }

  async #takePayment(visit: Visit, signature: string): Promise<HttpAnswer> {
    const counts = new PaymentCounts(this.#options.limits, this.#proved, {
      remoteAddress: visit.request.remoteAddress,
      weight: visit.entry.tool.unpaidWeight,
    });
    let payment: SignedPayment | undefined;
    try {
      payment = readPaymentSignature(signature, visit.tag.terms.network);
      counts.requireRoom(payment.payer);
      return await this.#runPaid(visit, payment, counts);
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal === undefined) throw error;
      counts.countRefusal();
      return renderRefusal(refusal, { ...visit, payment });
    }
  }

  async #runPaid(visit: Visit, payment: SignedPayment, limits: PaymentCounts): Promise<HttpAnswer> {
    const { request, traceId, entry, caller, tag } = visit;
    const principal = caller?.principal ?? { payer: payment.payer, environment: this.#options.environment };
    if (caller === undefined && !entry.tool.payableWithoutKey) throw keyRequired();
    const { value } = await readMeasuredJson(request, mostOfCall(entry, caller?.principal.scopes));
    const args = requireObject(value);
    const charge = this.#options.openCharge({ payment, terms: tag.terms, principal, limits });
    const answer = await this.#options.kernel.invoke({
      toolName: entry.tool.name,
      args,
      principal,
      charge,
      confirmPrincipal: () => caller?.confirm() ?? Promise.resolve(undefined),
      userId: undefined,
      surface: "paid",
      traceId,
      // The authorization makes a repetition harmless.
      idempotencyKey: undefined,
      gone: request,
    });
    if (answer.receipt.payment !== undefined && !answer.replayed) limits.settled(payment.payer);
    return renderPaid(entry.tool.name, answer, payment.payer, visit);
  }
}

function parseToolName(path: string): string {
  const name = path.slice(PAID_TOOLS_PATH.length + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function onlyPost({ method, path }: HttpRequest): Failure {
  return new Failure("not_found", {
    detail: `There is nothing at ${method} ${path}. Send a POST with the tool's arguments; a GET without a payment tells the price.`,
  });
}

function keyRequired(): Failure {
  const { code } = unauthorized();
  return new Failure(code, {
    detail:
      "This tool works on a tenant's records or money: send an API key beside the payment, Authorization: Bearer ak_… The payment was not used and stays good.",
  });
}
