import type { SettleResponse } from "@x402/core/types";
import type { SignedPayment } from "../../domain/payments.ts";
import type { HttpAnswer } from "../http/http.ts";
import { type ErrorPlace, renderProblem } from "../render-error.ts";
import {
  encodePaymentHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  typedNetwork,
} from "./payment-headers.ts";
import type { PriceTag } from "./price-tags.ts";
import type { Refusal } from "./read-refusal.ts";

interface Refused extends ErrorPlace {
  tag: PriceTag;
  /** Undefined: it could not be read. */
  payment: SignedPayment | undefined;
}

/** Describes the error of a payment, with the terms if another payment would help. */
export function renderRefusal(refusal: Refusal, { tag, payment, ...place }: Refused): HttpAnswer {
  const { kind, reason, serviceReason, explanation, extra: more } = refusal;
  const reasons = { reason, ...(serviceReason === undefined ? {} : { serviceReason }) };
  const problem = (code: string, members: object) =>
    renderProblem({ code, detail: explanation, extra: { ...more, ...members, error: reason, ...reasons } }, place);
  if (kind === "malformed") return problem("payment_malformed", {});
  if (kind === "unsettled" && payment !== undefined) {
    // A client that gets the terms again signs again, and would pay twice for what it has already bought.
    const answer = problem("payment_invalid", {});
    answer.headers[PAYMENT_RESPONSE_HEADER] = encodePaymentHeader(failedSettlement(reason, payment));
    return answer;
  }
  const answer = problem("payment_invalid", tag.members);
  answer.headers[PAYMENT_REQUIRED_HEADER] = tag.header(reason);
  return answer;
}

const failedSettlement = (errorReason: string, { payer, network }: SignedPayment): SettleResponse => ({
  success: false,
  errorReason,
  transaction: "",
  network: typedNetwork(network),
  payer,
});
