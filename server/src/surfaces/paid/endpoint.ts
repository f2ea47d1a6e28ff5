import { Failure } from "../../domain/errors.ts";
import { type Catalog, type CatalogEntry, findTool } from "../../kernel/contracts/catalog.ts";
import type { Admitted } from "../http/admission.ts";
import { readMeasuredJson, requireObject } from "../http/bodies/json-body.ts";
import { mostOfCall } from "../http/bodies/large-bodies.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import type { OpenExchange, SignedAnswers } from "../http/signed-exchange.ts";
import { type ErrorPlace, renderProblem } from "../render-error.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { describeTerms } from "./describe-terms.ts";
import type { PaidCalls } from "./paid-calls.ts";
import { PAYMENT_REQUIRED_HEADER, PAYMENT_SIGNATURE_HEADER, readPaymentSignature } from "./payment-headers.ts";
import { PAID_TOOLS_PATH, PAYMENT_REQUIRED_ERROR, type PriceTag } from "./price-tags.ts";
import { renderPaid } from "./render-paid.ts";
import { renderRefusal } from "./render-refusal.ts";

interface PaidToolsOptions {
  answerSigned: SignedAnswers;
  catalog: Catalog;
  calls: PaidCalls;
}

/** The known data of a request. */
interface Visit extends ErrorPlace {
  request: HttpRequest;
  entry: CatalogEntry;
  caller: Admitted | undefined;
  tag: PriceTag;
}

/** `POST /tools/<tool>`: takes the arguments and answers 402 with the terms; once they are signed, the tool's result. */
export function createPaidTools({ answerSigned, catalog, calls }: PaidToolsOptions): HttpHandler {
  async function serve(request: HttpRequest, exchange: OpenExchange): Promise<HttpAnswer> {
    if (request.method === "OPTIONS") return preflight();
    const entry = findTool(catalog, parseToolName(request.path));
    const signature = request.header(PAYMENT_SIGNATURE_HEADER);
    const isProbe = request.method === "GET" || request.method === "HEAD";
    if (request.method !== "POST" && !(isProbe && signature === undefined)) throw onlyPost(request);
    const caller = await identify(request, exchange, signature !== undefined);
    const tag = calls.findPriceTag({ entry, caller });
    const visit = { request, traceId: exchange.traceId, appUrl: exchange.appUrl, entry, caller, tag };
    return signature === undefined ? askForPayment(visit) : await takePayment(visit, signature);
  }

  function askForPayment(visit: Visit): HttpAnswer {
    const { request, tag } = visit;
    calls.countUnpaid(request.remoteAddress);
    const answer = renderProblem(describeTerms(visit, tag.members, "PAYMENT-SIGNATURE"), visit);
    answer.headers[PAYMENT_REQUIRED_HEADER] = tag.header(PAYMENT_REQUIRED_ERROR);
    return answer;
  }

  async function takePayment(visit: Visit, signature: string): Promise<HttpAnswer> {
    const { request, entry, caller, tag, traceId } = visit;
    const outcome = await calls.pay({
      entry,
      caller,
      tag,
      remoteAddress: request.remoteAddress,
      traceId,
      readPayment: (network) => readPaymentSignature(signature, network),
      async readArguments() {
        const { value } = await readMeasuredJson(request, mostOfCall(entry, caller?.principal.scopes));
        return requireObject(value);
      },
      gone: request,
    });
    return outcome.kind === "answered"
      ? renderPaid(entry.tool.name, outcome.answer, outcome.payer, visit)
      : renderRefusal(outcome.refusal, { ...visit, payment: outcome.payment });
  }

  return async (request) => {
    const answer = await answerSigned(request, (exchange) => serve(request, exchange));
    Object.assign(answer.headers, corsHeaders);
    return answer;
  };
}

/** An invalid key does not change a price: only a paying request must have a valid key, or none. */
async function identify(request: HttpRequest, exchange: OpenExchange, pays: boolean): Promise<Admitted | undefined> {
  if (request.header("authorization") === undefined) return undefined;
  try {
    return await exchange.admit();
  } catch (error) {
    if (!pays && error instanceof Failure && error.code === "unauthorized") return undefined;
    throw error;
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
    detail: `There is nothing at ${method} ${path}. Send a POST with the tool's arguments; a GET without a payment returns the price.`,
  });
}
