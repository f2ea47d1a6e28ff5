import { z } from "zod";
import { DecimalAmount } from "../../domain/schemas.ts";
import { BookingRate } from "../bookings/index.ts";
import { EInvoice, noEInvoice } from "./e-invoice.ts";
import { SellerTax } from "./seller-currency.ts";
import { taxTreatments } from "./settings.ts";

const Party = z.object({
  name: z.string(),
  addressLines: z.array(z.string()),
  countryCode: z.string(),
  taxId: z.string().nullable(),
  email: z.string().nullable(),
});

export const lineKinds = [
  "fare",
  "taxes",
  "fare_and_taxes",
  "bags_and_seats",
  "stay",
  "vendor",
  "adjustment",
  "markup",
  "service_fee",
  "fees",
  "change",
  "refund",
] as const;

/** The seller's own services; the other lines are suppliers' payments. */
export const feeKinds: ReadonlySet<(typeof lineKinds)[number]> = new Set(["markup", "service_fee", "fees"]);

/** The contents of an invoice, receipt or credit note, independent of its layout. Stored once and never changed. */
export const InvoiceDocument = z.object({
  /** receipt: of an order that was paid from the wallet, without escrow. */
  kind: z.enum(["invoice", "receipt", "credit_note"]),
  number: z.string(),
  issuedOn: z.string(),
  dueOn: z.string(),
  /** The first and last day of what is invoiced. Null: the invoice is of an earlier release. */
  supplied: z.object({ from: z.string(), to: z.string() }).nullable().default(null),
  sandbox: z.boolean(),
  language: z.string(),
  seller: Party.nullable(),
  buyer: Party.extend({ reference: z.string().nullable() }).nullable(),
  /** `kind` is given if it is not an invoice. */
  corrects: z
    .object({ number: z.string(), issuedOn: z.string(), kind: z.literal("receipt").exactOptional() })
    .nullable(),
  booking: z.object({
    bookingId: z.string(),
    /** Null on a receipt. */
    tripId: z.string().nullable(),
    /** `buyerName` of `prefund_trip`. */
    orderedBy: z.string().nullable().default(null),
    orderId: z.string().nullable(),
    pnr: z.string().nullable(),
    travelers: z.array(z.string()),
    tickets: z.array(z.string()),
    journey: z.array(z.string()),
  }),
  lines: z.array(z.object({ kind: z.enum(lineKinds), amount: DecimalAmount, exactUsdc: DecimalAmount })),
  currency: z.string(),
  total: DecimalAmount,
  tax: z.object({
    treatment: z.enum(taxTreatments),
    ratePercent: z.string().nullable(),
    includedAmount: DecimalAmount.nullable(),
    note: z.string().nullable(),
    inSellerCurrency: SellerTax.nullable().default(null),
  }),
  /** The paid changes of the order that a receipt shows, beside the booking or, on a further receipt, alone. */
  changes: z
    .array(z.object({ changeId: z.string(), totalUsdc: DecimalAmount, txHash: z.string(), paidAt: z.string() }))
    .default([]),
  settlement: z.object({
    totalUsdc: DecimalAmount,
    txHash: z.string(),
    chainId: z.int(),
    settledAt: z.string(),
    rate: BookingRate,
  }),
  eInvoice: EInvoice.default(() => noEInvoice("earlier")),
});
export type InvoiceDocument = z.output<typeof InvoiceDocument>;
