import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { RateTable } from "../../ports/fx.ts";
import { BOOKING_RATE, type BookingRate, fromUsdc, inUsdc, pickNames } from "../bookings/index.ts";
import type { BoughtOrder, OrderRecord } from "../orders/index.ts";
import { countPlaces, formatCents, roundToCents, smallestCents, taxWithin } from "./amounts.ts";
import { feeKinds, type InvoiceDocument, type lineKinds } from "./document.ts";
import { noEInvoice } from "./e-invoice.ts";
import type { Settlement } from "./find-settlement.ts";
import type { PaidChange } from "./paid-changes.ts";
import { convertTax } from "./seller-currency.ts";
import type { InvoicingSettings } from "./settings.ts";

type LineKind = (typeof lineKinds)[number];

/** `amount` is in the invoice's currency. */
interface Line {
  kind: LineKind;
  amount: Micro;
  usdc: Micro;
}

const LONGEST_TEXT = 200;
const shown = (text: string): string => toVisibleText(text, LONGEST_TEXT);

export interface InvoiceFacts {
  settlement: Settlement;
  /** Undefined: the booking has no order of ours. */
  order: BoughtOrder | undefined;
  /** Undefined: the sandbox tenant has given none. */
  settings: InvoicingSettings | undefined;
  /** As `prefund_trip` was given it. */
  buyerName: string | undefined;
  chainId: number;
  issuedAt: Temporal.Instant;
  /** For the tax in the seller's currency, where the law asks for it. */
  taxRates: RateTable | undefined;
}

/** The invoiced fields of a booking's result; flights and stays have different ones. */
const Bought = z.object({
  totalAmount: z.string().default(""),
  taxAmount: z.string().nullable().default(null),
  services: z.array(z.object({ totalAmount: z.string() })).default([]),
  accommodationName: z.string().default(""),
  checkInDate: z.string().default(""),
  checkOutDate: z.string().default(""),
});
type Bought = z.output<typeof Bought>;

export function composeInvoice(facts: InvoiceFacts, number: string): InvoiceDocument {
  const { settlement, order, settings, buyerName, issuedAt, chainId } = facts;
  const { booking } = settlement;
  const bought = Bought.parse(order?.booking.result ?? {});
  const rate = order?.rate ?? BOOKING_RATE;
  const changes = settlement.changes ?? [];
  const lines = [
    ...vendorLines(facts, bought),
    ...changes.map((change) => changeLine(change, rate)),
    ...feeLines(facts, rate),
  ].filter(({ usdc }) => usdc !== 0n);
  const dateIn = (at: Temporal.Instant) => at.toZonedDateTimeISO(settings?.timeZone ?? "UTC").toPlainDate();
  const issued = dateIn(issuedAt);
  const settledOn = dateIn(settlement.settledAt).toString();
  const exact = sumSettled(settlement);
  const isReceipt = settlement.order !== undefined;
  return {
    kind: isReceipt ? "receipt" : "invoice",
    number,
    corrects: null,
    sandbox: booking.environment === "sandbox",
    issuedOn: issued.toString(),
    dueOn: isReceipt ? settledOn : issued.add({ days: settings?.dueDays ?? 0 }).toString(),
    supplied: (isReceipt || isSuppliedByJourney(settings) ? readTravelDays(order, bought) : undefined) ?? {
      from: settledOn,
      to: settledOn,
    },
    language: settings?.language ?? "en",
    ...buildParties(settings),
    ...(settings === undefined && buyerName !== undefined ? { buyer: buildNamedBuyer(buyerName) } : {}),
    booking: {
      bookingId: booking.bookingId,
      tripId: booking.tripId,
      orderedBy: buyerName === undefined ? null : shown(buyerName),
      orderId: order?.orderId ?? null,
      pnr: order?.pnr ?? null,
      travelers: pickNames(order?.booking.travelers ?? []).map((one) => shown(`${one.givenName} ${one.familyName}`)),
      tickets: listTickets(order),
      journey: describeJourney(order, bought),
    },
    changes: changes.map(describeChange),
    ...buildAmounts(lines, rate.from, isReceipt ? { settings: undefined, taxRates: undefined } : facts),
    settlement: {
      totalUsdc: formatDecimal(exact),
      txHash: settlement.transactionHash,
      chainId,
      settledAt: settlement.settledAt.toString(),
      rate,
    },
    // Until the rules are checked.
    eInvoice: noEInvoice("rules"),
  };
}

/** Everything that was paid, to the micro-unit. */
export function sumSettled({ booking, changes = [] }: Pick<Settlement, "booking" | "changes">): Micro {
  return booking.vendorPaid + booking.feePaid + sumPaid(changes);
}

export const sumPaid = (changes: readonly PaidChange[]): Micro => changes.reduce((sum, { paid }) => sum + paid, 0n);

const changeLine = ({ paid }: PaidChange, rate: BookingRate): Line => ({ kind: "change", ...worth(paid, rate) });

const describeChange = ({
  changeId,
  paid,
  transactionHash,
  paidAt,
}: PaidChange): InvoiceDocument["changes"][number] => ({
  changeId,
  totalUsdc: formatDecimal(paid),
  txHash: transactionHash,
  paidAt: paidAt.toString(),
});

export interface FurtherReceiptFacts {
  order: BoughtOrder;
  /** At least one. */
  changes: readonly PaidChange[];
  /** The current settings. Undefined: the sandbox tenant has given none. */
  settings: InvoicingSettings | undefined;
  issuedAt: Temporal.Instant;
}

/** For changes that were paid after the first receipt: with the flights as they are now. */
export function composeFurtherReceipt(
  first: InvoiceDocument,
  { order, changes, settings, issuedAt }: FurtherReceiptFacts,
  number: string,
): InvoiceDocument {
  const dateIn = (at: Temporal.Instant) =>
    at
      .toZonedDateTimeISO(settings?.timeZone ?? "UTC")
      .toPlainDate()
      .toString();
  const bought = Bought.parse(order.booking.result ?? {});
  const last = changes.at(-1);
  const { seller, buyer } = buildParties(settings);
  return {
    ...first,
    number,
    issuedOn: dateIn(issuedAt),
    dueOn: dateIn(last?.paidAt ?? issuedAt),
    supplied: readTravelDays(order, bought) ?? first.supplied,
    seller: asNow(first.seller, seller),
    buyer: asNow(first.buyer, buyer),
    booking: { ...first.booking, tickets: listTickets(order), journey: describeJourney(order, bought) },
    changes: changes.map(describeChange),
    ...buildTotals(
      changes.map((change) => changeLine(change, order.rate)),
      first.currency,
    ),
    settlement: {
      ...first.settlement,
      totalUsdc: formatDecimal(sumPaid(changes)),
      txHash: last?.transactionHash ?? first.settlement.txHash,
      settledAt: last?.paidAt.toString() ?? first.settlement.settledAt,
    },
  };
}

export interface CreditNoteFacts {
  refund: Micro;
  /** The earlier credit notes of the invoice. */
  earlier: readonly Pick<InvoiceDocument, "total" | "settlement">[];
  /** The current settings. Undefined: the sandbox tenant has given none. */
  settings: InvoicingSettings | undefined;
  issuedAt: Temporal.Instant;
}

/** For the order's refunds after the settlement. */
export function composeCreditNote(
  invoice: InvoiceDocument,
  { refund, earlier, settings, issuedAt }: CreditNoteFacts,
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
    corrects: {
      number: invoice.number,
      issuedOn: invoice.issuedOn,
      ...(invoice.kind === "receipt" ? { kind: "receipt" as const } : {}),
    },
    ...buildTotals(
      [{ kind: "refund", amount: convertRefund(invoice, refund, earlier), usdc: refund }],
      invoice.currency,
    ),
    changes: [],
    // The refund is the supplier's fare, which contains no tax of the seller.
    tax: {
      ...tax,
      includedAmount: tax.includedAmount === null ? null : formatCents(0n, countPlaces(invoice.currency)),
      inSellerCurrency: null,
    },
    settlement: { ...settlement, totalUsdc: formatDecimal(refund) },
  };
}

/**
 * The refund in the invoice's currency: all refunds so far together, at most the invoice's total, less what was credited
 * before, so that no rounding adds up.
 */
function convertRefund(
  { currency, total, settlement: { rate } }: InvoiceDocument,
  refund: Micro,
  earlier: CreditNoteFacts["earlier"],
): Micro {
  const read = (amount: string) => parseDecimal(amount) ?? 0n;
  const refunded = earlier.reduce((sum, { settlement }) => sum + read(settlement.totalUsdc), refund);
  // Invoices of earlier releases are in dollars, whatever the order's currency was.
  const converted = currency === rate.from ? fromUsdc(refunded, rate) : refunded;
  const most = converted < read(total) ? converted : read(total);
  return earlier.reduce((left, note) => left - read(note.total), most);
}

function buildParties(settings: InvoicingSettings | undefined): Pick<InvoiceDocument, "seller" | "buyer"> {
  if (settings === undefined) return { seller: null, buyer: null };
  const { seller, buyer } = settings;
  return { seller: buildParty(seller), buyer: { ...buildParty(buyer), reference: buyer.reference ?? null } };
}

/** For a sandbox tenant without settings. */
const buildNamedBuyer = (name: string): NonNullable<InvoiceDocument["buyer"]> => ({
  name: shown(name),
  addressLines: [],
  countryCode: "",
  taxId: null,
  email: null,
  reference: null,
});

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
  const rate = order?.rate ?? BOOKING_RATE;
  const price = order === undefined ? undefined : priced(order.totalAmount, rate);
  if (order === undefined || price === undefined || order.totalCurrency !== rate.from) {
    return [{ kind: "vendor", ...worth(paid, rate) }];
  }
  const difference: Line = { kind: "adjustment", ...worth(paid - price.usdc, rate) };
  if (order.kind === "stay") return [{ kind: "stay", ...price }, difference];
  const services = bought.services
    .map(({ totalAmount }) => priced(totalAmount, rate))
    .reduce<Price>(
      (sum, one) => (one === undefined ? sum : { amount: sum.amount + one.amount, usdc: sum.usdc + one.usdc }),
      NOTHING,
    );
  // After a change of the order its taxes are unknown.
  const isUnchanged = price.amount === parseDecimal(bought.totalAmount);
  const taxes = bought.taxAmount === null || !isUnchanged ? undefined : priced(bought.taxAmount, rate);
  const fare: Line[] =
    taxes === undefined
      ? [{ kind: "fare_and_taxes", ...less(price, services) }]
      : [
          { kind: "fare", ...less(less(price, taxes), services) },
          { kind: "taxes", ...taxes },
        ];
  return [...fare, { kind: "bags_and_seats", ...services }, difference];
}

type Price = Pick<Line, "amount" | "usdc">;

const NOTHING: Price = { amount: 0n, usdc: 0n };

const less = (one: Price, other: Price): Price => ({ amount: one.amount - other.amount, usdc: one.usdc - other.usdc });

const worth = (usdc: Micro, rate: BookingRate): Price => ({ amount: fromUsdc(usdc, rate), usdc });

/** A price in the rate's currency. */
function priced(text: string, rate: BookingRate): Price | undefined {
  const [amount, usdc] = [parseDecimal(text), inUsdc(text, rate.from, rate)];
  return amount === undefined || usdc === undefined ? undefined : { amount, usdc };
}

function feeLines({ settlement: { booking }, settings }: InvoiceFacts, rate: BookingRate): Line[] {
  if (settings?.showMarkup !== true) return [{ kind: "fees", ...worth(booking.feePaid, rate) }];
  return [
    { kind: "markup", ...worth(booking.feePaid - booking.serviceFee, rate) },
    { kind: "service_fee", ...worth(booking.serviceFee, rate) },
  ];
}

/** A receipt states no tax: it is no invoice. */
function buildAmounts(
  lines: readonly Line[],
  currency: string,
  { settings, taxRates }: Pick<InvoiceFacts, "settings" | "taxRates">,
) {
  const totals = buildTotals(lines, currency);
  const { treatment, ratePercent, note } = settings?.tax ?? { treatment: "none" as const };
  const rate = ratePercent === undefined ? undefined : parseDecimal(ratePercent);
  const fees = totals.lines.filter(({ kind }) => feeKinds.has(kind));
  const feeCents = fees.reduce((sum, { amount }) => sum + (parseDecimal(amount) ?? 0n) / 10_000n, 0n);
  const taxCents = rate === undefined ? undefined : taxWithin(feeCents, rate, smallestCents(currency));
  return {
    ...totals,
    tax: {
      treatment,
      ratePercent: ratePercent ?? null,
      includedAmount: taxCents === undefined ? null : formatCents(taxCents, countPlaces(currency)),
      note: note === undefined ? null : shown(note),
      inSellerCurrency:
        taxCents === undefined || taxRates === undefined ? null : convertTax(taxCents, taxRates, settings, currency),
    },
  };
}

function buildTotals(lines: readonly Line[], currency: string): Pick<InvoiceDocument, "lines" | "currency" | "total"> {
  const { cents, total } = roundToCents(
    lines.map(({ amount }) => amount),
    smallestCents(currency),
  );
  const places = countPlaces(currency);
  return {
    lines: lines.map(({ kind, usdc }, index) => ({
      kind,
      amount: formatCents(cents[index] ?? 0n, places),
      exactUsdc: formatDecimal(usdc),
    })),
    currency,
    total: formatCents(total, places),
  };
}

function isSuppliedByJourney(settings: InvoicingSettings | undefined): boolean {
  if (settings?.dateOfSupply !== undefined) return settings.dateOfSupply === "journey";
  // A sandbox invoice without settings states no tax, so it shows what a reader expects.
  return settings === undefined || settings.tax.treatment === "margin_scheme";
}

/** By the clocks of the places. Undefined: there is no order of ours, or its days are unknown. */
function readTravelDays(order: OrderRecord | undefined, bought: Bought): InvoiceDocument["supplied"] | undefined {
  if (order === undefined) return undefined;
  const segments = order.slices.flatMap((slice) => slice.segments);
  const [from, to] =
    order.kind === "stay"
      ? [bought.checkInDate, bought.checkOutDate]
      : [segments[0]?.departingAt.slice(0, 10), segments.at(-1)?.arrivingAt.slice(0, 10)];
  return from === undefined || from === "" || to === undefined || to === "" ? undefined : { from, to };
}

const listTickets = (order: OrderRecord | undefined): string[] =>
  (order?.documents ?? []).flatMap(({ number: ticket }) => (typeof ticket === "string" ? [ticket] : []));

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
