import { z } from "zod";

/** A violation of a rule by an invoice. */
export const Finding = z.object({
  rule: z.string(),
  severity: z.enum(["fatal", "warning"]),
  /** The path in the XML: `CrossIndustryInvoice/…/SellerTradeParty`. */
  place: z.string(),
  text: z.string(),
});
export type Finding = z.output<typeof Finding>;

/** Whether an invoice is also an e-invoice, and the rules that validated it before it was issued. */
export const EInvoice = z.object({
  available: z.boolean(),
  profile: z.string().nullable(),
  /** Why there is none. */
  reason: z.string().nullable(),
  /** Warnings of the rules. */
  findings: z.array(Finding),
  rulesVersion: z.string().nullable(),
  /** The hash of the rules as published. */
  rulesSha256: z.string().nullable(),
});
export type EInvoice = z.output<typeof EInvoice>;

export const noEInvoice = (reason: keyof typeof reasons): EInvoice => ({
  available: false,
  profile: null,
  reason: reasons[reason],
  findings: [],
  rulesVersion: null,
  rulesSha256: null,
});

const reasons = {
  earlier: "This was issued before the service made e-invoices.",
  module: "This installation makes no e-invoices.",
  rules:
    "The official EN 16931 rules are not installed with this service, so no e-invoice could be checked. The operator can install them.",
  parties: "Seller and buyer are missing; add them in the invoicing settings.",
  receipt: "A receipt is not an invoice, so it is no e-invoice either.",
  invoice: "The invoice that this corrects is not an e-invoice.",
} as const;
