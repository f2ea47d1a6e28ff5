import type { SignedPayment } from "../../domain/payments.ts";
import type { HttpAnswer } from "../http/http.ts";
import { type ErrorPlace, renderProblem } from "../render-error.ts";
import { describeRefusal } from "./describe-terms.ts";
import {
  describeFailedSettlement,
  encodePaymentHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
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
  const { fields, offersTerms } = describeRefusal(refusal, tag.members);
  const answer = renderProblem(fields, place);
  if (offersTerms) answer.headers[PAYMENT_REQUIRED_HEADER] = tag.header(refusal.reason);
  if (refusal.kind === "unsettled" && payment !== undefined) {
    const settlement = describeFailedSettlement(refusal.reason, payment);
    answer.headers[PAYMENT_RESPONSE_HEADER] = encodePaymentHeader(settlement);
  }
  return answer;
}
