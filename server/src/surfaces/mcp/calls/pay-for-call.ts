import { unauthorized } from "../../../domain/errors.ts";
import { type Catalog, findTool } from "../../../kernel/contracts/catalog.ts";
import { describeRefusal, describeTerms } from "../../paid/describe-terms.ts";
import type { PaidCalls } from "../../paid/paid-calls.ts";
import { describeFailedSettlement, describeSettlement, readPayment } from "../../paid/payment-headers.ts";
import { buildProblem, type ProblemFields } from "../../render-error.ts";
import type { Visit } from "../visit.ts";
import { type CallTool, renderAnswer, renderFailure, type ToolAnswer } from "./tool-answer.ts";

/** Names of x402's MCP transport in `_meta`: of a call and of its result. */
const PAYMENT_KEY = "x402/payment";
const RESPONSE_KEY = "x402/payment-response";

export const isPaying = (meta: Readonly<Record<string, unknown>>): boolean => meta[PAYMENT_KEY] !== undefined;

/**
 * Takes x402's payments over MCP (its transport for MCP, version 2): a call without a payment is answered with the terms, as an
 * error with structured content; one with a payment in `_meta` runs and is paid for as on `POST /tools/<tool>`.
 */
export function createPayForCall(calls: PaidCalls, catalog: Catalog): CallTool {
  return async (visit, call) => {
    const { caller, exchange } = visit;
    const entry = findTool(catalog, call.name);
    const isPaid = isPaying(call.meta);
    if (!isPaid && !entry.tool.payableWithoutKey) throw unauthorized();
    const tag = calls.findPriceTag({ entry, caller });
    if (!isPaid) return renderTerms(describeTerms({ entry, caller }, tag.overMcp, `_meta["${PAYMENT_KEY}"]`), visit);
    const outcome = await calls.pay({
      entry,
      caller,
      tag,
      remoteAddress: visit.request.remoteAddress,
      traceId: exchange.traceId,
      readPayment: (network) => readPayment(call.meta[PAYMENT_KEY], network),
      readArguments: async () => call.args,
      gone: call.gone,
      progress: call.progress,
    });
    if (outcome.kind === "answered") {
      const { payment } = outcome.answer.receipt;
      const answer = renderAnswer(outcome.answer, visit);
      if (payment !== undefined) answer._meta[RESPONSE_KEY] = describeSettlement(payment);
      return answer;
    }
    const { refusal, payment } = outcome;
    const { fields, offersTerms } = describeRefusal(refusal, tag.overMcp);
    if (offersTerms) return renderTerms(fields, visit);
    const isUnsettled = refusal.kind === "unsettled" && payment !== undefined;
    return renderFailure(
      fields,
      exchange,
      isUnsettled ? { [RESPONSE_KEY]: describeFailedSettlement(refusal.reason, payment) } : {},
    );
  };
}

/** Clients of x402 look for the terms in the structured content, or else in the text, which must be equal. */
function renderTerms(fields: ProblemFields, { exchange }: Visit): ToolAnswer {
  const problem = buildProblem(fields, exchange);
  return {
    ...renderFailure(fields, exchange),
    content: [{ type: "text", text: JSON.stringify(problem) }],
    structuredContent: problem,
  };
}
