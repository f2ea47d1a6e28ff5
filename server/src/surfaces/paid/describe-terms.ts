import type { PaymentRequired } from "@x402/core/types";
import type { CatalogEntry } from "../../kernel/contracts/catalog.ts";
import type { Admitted } from "../http/admission.ts";
import type { ProblemFields } from "../render-error.ts";
import { PAYMENT_REQUIRED_ERROR } from "./price-tags.ts";
import type { Refusal } from "./read-refusal.ts";

/** The members of x402's PaymentRequired, without its reason. */
type Terms = Omit<PaymentRequired, "error">;

/** The problem of a call without a payment. `as`: where the surface takes payments. */
export function describeTerms(
  { entry, caller }: { entry: CatalogEntry; caller: Admitted | undefined },
  terms: Terms,
  as: string,
): ProblemFields {
  const apiKeyRequired = !entry.tool.payableWithoutKey;
  const again = `Sign one of the listed payments and send the request again with it as ${as}`;
  const detail =
    apiKeyRequired && caller === undefined
      ? `${again}, together with an API key: this tool works on a tenant's records or money.`
      : `${again}. The network's name alone does not identify the chain, because chains can share an id: sign for exactly the asset and payTo in the terms.`;
  return { code: "payment_required", detail, extra: { ...terms, error: PAYMENT_REQUIRED_ERROR, apiKeyRequired } };
}

interface DescribedRefusal {
  fields: ProblemFields;
  /** Whether another payment would help, so that the terms belong into the answer. */
  offersTerms: boolean;
}

/**
 * The problem of a payment that was refused. A client that gets the terms again signs again: for a call that has succeeded and
 * whose payment was not settled, it would pay twice for what it has already bought.
 */
export function describeRefusal(
  { kind, reason, serviceReason, explanation, extra: more }: Refusal,
  terms: Terms,
): DescribedRefusal {
  const offersTerms = kind === "refused";
  const reasons = { reason, ...(serviceReason === undefined ? {} : { serviceReason }) };
  const extra = { ...more, ...(offersTerms ? terms : {}), error: reason, ...reasons };
  const code = kind === "malformed" ? "payment_malformed" : "payment_invalid";
  return { fields: { code, detail: explanation, extra }, offersTerms };
}
