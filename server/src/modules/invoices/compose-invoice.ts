import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import { BOOKING_RATE, BookingRate, inUsdc, pickNames } from "../bookings/index.ts";
import type { BoughtOrder, OrderRecord } from "../orders/index.ts";
import { formatCents, roundToCents, taxWithin } from "./amounts.ts";
import { feeKinds, type InvoiceDocument, type lineKinds } from "./document.ts";
import { noEInvoice } from "./e-invoice.ts";
import type { Settlement } from "./find-settlement.ts";
import type { InvoicingSettings } from "./settings.ts";

type LineKind = (typeof lineKinds)[number];
type Line = readonly [kind: LineKind, amount: Micro];

const LONGEST_TEXT = 200;
const shown = (text: string): string => toVisibleText(text, LONGEST_TEXT);

export interface InvoiceFacts {
  settlement: Settlement;
  /** Undefined: the booking has no order of ours. */
  order: BoughtOrder | undefined;
  /** Undefined: the sandbox tenant has given none. */
  settings: InvoicingSettings | undefined;
  chainId: number;
  issuedAt: Temporal.Instant;
}

/** The invoiced fields of a booking's result; flights and stays have different ones. */
const Bought = z.object({
  rate: BookingRate.default(BOOKING_RATE),
  totalAmount: z.string().default(""),
  taxAmount: z.string().nullable().default(null),
  services: z.array(z.object({ totalAmount: z.string() })).default([]),
  accommodationName: z.string().default(""),
  checkInDate: z.string().default(""),
  checkOutDate: z.string().default(""),
});
type Bought = z.output<typeof Bought>;

export function composeInvoice(facts: InvoiceFacts, number: string): InvoiceDocument {
  const { settlement, order, settings, issuedAt, chainId } = facts;
  const { booking } = settlement;
  const bought = Bought.parse(order?.booking.result ?? {});
  const lines = [...vendorLines(facts, bought), ...feeLines(facts)].filter(([, amount]) => amount !== 0n);
  const issued = issuedAt.toZonedDateTimeISO(settings?.timeZone ?? "UTC").toPlainDate();
  const exact = booking.vendorPaid + booking.feePaid;
  return {
    kind: "invoice",
    number,
    corrects: null,
    sandbox: booking.environment === "sandbox",
    issuedOn: issued.toString(),
    dueOn: issued.add({ days: settings?.dueDays ?? 0 }).toString(),
    language: settings?.language ?? "en",
    ...buildParties(settings),
    booking: {
      bookingId: booking.bookingId,
      tripId: booking.tripId,
      orderId: order?.orderId ?? null,
      pnr: order?.pnr ?? null,
      travelers: pickNames(order?.booking.travelers ?? []).map((one) => shown(`${one.givenName} ${one.familyName}`)),
      tickets: (order?.documents ?? []).flatMap(({ number: ticket }) => (typeof ticket === "string" ? [ticket] : [])),
      journey: describeJourney(order, bought),
    },
    ...buildAmounts(lines, settings),
    settlement: {
      totalUsdc: formatDecimal(exact),
      txHash: settlement.transactionHash,
      chainId,
      settledAt: settlement.settledAt.toString(),
      rate: bought.rate,
    },
    // Until the rules are checked.
    eInvoice: noEInvoice("rules"),
  };
}

export interface CreditNoteFacts {
  refund: Micro;
  /** The current settings. Undefined: the sandbox tenant has given none. */
  settings: InvoicingSettings | undefined;
  issuedAt: Temporal.Instant;
}

/** For the order's refunds after the settlement. */
export function composeCreditNote(
  invoice: InvoiceDocument,
  { refund, settings, issuedAt }: CreditNoteFacts,
  number: string,
): InvoiceDocument {
  const issuedOn = issuedAt
    .toZonedDateTimeISO(settings?.timeZone ?? "UTC")
    .toPlainDate()
    .toString();
  const { tax, settlement } = invoice;
  const { seller, buyer } = buildParties(settings);
  return {
    ...invoice,
    seller: asNow(invoice.seller, seller),
    buyer: asNow(invoice.buyer, buyer),
    kind: "credit_note",
    number,
    issuedOn,
    dueOn: issuedOn,
    corrects: { number: invoice.number, issuedOn: invoice.issuedOn },
    ...buildTotals([["refund", refund]]),
    // The refund is the supplier's fare, which contains no tax of the seller.
    tax: { ...tax, includedAmount: tax.includedAmount === null ? null : "0.00" },
    settlement: { ...settlement, totalUsdc: formatDecimal(refund) },
  };
}

function buildParties(settings: InvoicingSettings | undefined): Pick<InvoiceDocument, "seller" | "buyer"> {
  if (settings === undefined) return { seller: null, buyer: null };
  const { seller, buyer } = settings;
  return { seller: buildParty(seller), buyer: { ...buildParty(buyer), reference: buyer.reference ?? null } };
}

/** The same name is the same party: corrections of its address or number apply. */
function asNow<Party extends { name: string }>(then: Party | null, now: Party | null): Party | null {
  return then === null || now === null || then.name !== now.name ? then : now;
}

function buildParty({ name, addressLines, countryCode, taxId, email }: InvoicingSettings["seller"]) {
  return {
    name: shown(name),
    addressLines: addressLines.map(shown),
    countryCode,
    taxId: taxId === undefined ? null : shown(taxId),
    email: email ?? null,
  };
}

/** The vendor's payment, itemised by the supplier's records. */
function vendorLines({ settlement: { booking }, order }: InvoiceFacts, bought: Bought): Line[] {
  const paid = booking.vendorPaid;
  const price = order === undefined ? undefined : inUsdc(order.totalAmount, order.totalCurrency, order.rate);
  if (order === undefined || price === undefined) return [["vendor", paid]];
  const difference: Line = ["adjustment", paid - price];
  if (order.kind === "stay") return [["stay", price], difference];
  const worth = (amount: string) => inUsdc(amount, order.rate.from, order.rate);
  const services = bought.services.reduce((sum, { totalAmount }) => sum + (worth(totalAmount) ?? 0n), 0n);
  // After a change of the order its taxes are unknown.
  const taxes = bought.taxAmount === null || price !== worth(bought.totalAmount) ? undefined : worth(bought.taxAmount);
  const fare: Line[] =
    taxes === undefined
      ? [["fare_and_taxes", price - services]]
      : [
          ["fare", price - taxes - services],
          ["taxes", taxes],
        ];
  return [...fare, ["bags_and_seats", services], difference];
}

function feeLines({ settlement: { booking }, settings }: InvoiceFacts): Line[] {
  if (settings?.showMarkup !== true) return [["fees", booking.feePaid]];
  return [
    ["markup", booking.feePaid - booking.serviceFee],
    ["service_fee", booking.serviceFee],
  ];
}

function buildAmounts(lines: readonly Line[], settings: InvoicingSettings | undefined) {
  const totals = buildTotals(lines);
  const { treatment, ratePercent, note } = settings?.tax ?? { treatment: "none" as const };
  const rate = ratePercent === undefined ? undefined : parseDecimal(ratePercent);
  const fees = totals.lines.filter(({ kind }) => feeKinds.has(kind));
  const feeCents = fees.reduce((sum, { amount }) => sum + (parseDecimal(amount) ?? 0n) / 10_000n, 0n);
  return {
    ...totals,
    tax: {
      treatment,
      ratePercent: ratePercent ?? null,
      includedAmount: rate === undefined ? null : formatCents(taxWithin(feeCents, rate)),
      note: note === undefined ? null : shown(note),
    },
  };
}

function buildTotals(lines: readonly Line[]): Pick<InvoiceDocument, "lines" | "currency" | "total"> {
  const { cents, total } = roundToCents(lines.map(([, amount]) => amount));
  return {
    lines: lines.map(([kind, amount], index) => ({
      kind,
      amount: formatCents(cents[index] ?? 0n),
      exactUsdc: formatDecimal(amount),
    })),
    currency: BOOKING_RATE.from,
    total: formatCents(total),
  };
}

function describeJourney(order: OrderRecord | undefined, bought: Bought): string[] {
  if (order === undefined) return [];
  if (order.kind === "stay")
    return [shown(`${bought.accommodationName}, ${bought.checkInDate} – ${bought.checkOutDate}`)];
  return order.slices.flatMap(({ segments }) =>
    segments.map(({ flightNumber, origin, destination, departingAt }) =>
      shown(`${flightNumber} ${origin} – ${destination}, ${departingAt.replace("T", " ").slice(0, 16)}`),
    ),
  );
}
