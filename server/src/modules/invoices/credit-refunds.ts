import { isDeepStrictEqual } from "node:util";
import { type Micro, parseDecimal } from "../../domain/money.ts";
import type { Clock } from "../../ports/clock.ts";
import type { BoughtOrder } from "../orders/index.ts";
import { composeCreditNote, composeFurtherReceipt, sumPaid } from "./compose-invoice.ts";
import type { Aggregates, Stores } from "./context.ts";
import type { InvoiceDocument } from "./document.ts";
import { noEInvoice } from "./e-invoice.ts";
import { EInvoiceNotChecked, EInvoiceRefused, type EInvoices, issueJudged } from "./e-invoices.ts";
import { DRAFT_NUMBER, type Owner, RECEIPT_SERIES, type StoredInvoice, seriesName } from "./invoices.ts";
import { listPaidChanges, type PaidChange, pickUnreceipted } from "./paid-changes.ts";

export interface IssuePorts {
  stores: Stores;
  clock: Clock;
  eInvoices: EInvoices | undefined;
}

const CREDIT_NOTE_SERIES = "CN-";
/** Each corrects one receipt; an order has hardly as many paid changes. */
const MOST_NOTES_AT_ONCE = 20;

/** The documents of a booking, and what was just read with them. */
export interface Known {
  documents: readonly StoredInvoice[];
  /** Its order's. */
  events?: BoughtOrder["events"] | undefined;
  /** The order that was paid from the wallet, and its paid changes. */
  paid?: { order: BoughtOrder; changes: readonly PaidChange[] } | undefined;
}

/** Why a refund has no credit note yet. It is issued once that is fixed; the refund itself is made and stored. */
export interface WaitingCreditNote {
  code: "e_invoice_refused" | "e_invoice_not_checked";
  /** The remedy. */
  text: string;
}

/**
 * Issues what is due after the first document of a booking: receipts of changes paid since, then credit notes for refunds that
 * none covers yet. Returns the booking's documents, and why a due note was not issued, which does not prevent access to the
 * invoice. `known`: the documents, if they were just read.
 */
export async function creditRefunds(
  ports: IssuePorts,
  owner: Owner,
  bookingId: string,
  known?: Known,
): Promise<{ documents: readonly StoredInvoice[]; waiting: WaitingCreditNote | undefined }> {
  const { stores } = ports;
  const first = known?.documents ?? (await stores.invoices.ofBooking(owner, bookingId));
  const documents = await receiptChanges(ports, owner, bookingId, { ...known, documents: first });
  if ((await findDue(stores, owner, documents, known?.events)) === undefined) return { documents, waiting: undefined };
  const waiting = await tryCreditNotes(ports, owner, bookingId);
  return { documents: await stores.invoices.ofBooking(owner, bookingId), waiting };
}

/** A receipt of the changes that were paid after the booking's receipts, if there are any. Returns the booking's documents. */
async function receiptChanges(
  { stores, clock }: IssuePorts,
  owner: Owner,
  bookingId: string,
  { documents, paid: known }: Known,
): Promise<readonly StoredInvoice[]> {
  const paid = known ?? (await readPaid(stores, owner, documents));
  if (paid === undefined || pickUnreceipted(paid.changes, documents).length === 0) return documents;
  const issuedAt = clock.now();
  await stores.transaction(async ({ invoices }) => {
    const first = await invoices.lockInvoice(owner, bookingId);
    const changes = pickUnreceipted(paid.changes, await invoices.ofBooking(owner, bookingId));
    if (first === undefined || changes.length === 0) return;
    const facts = { order: paid.order, changes, settings: await invoices.settings(owner), issuedAt };
    const place = await invoices.lockSeries(owner, seriesName(owner, RECEIPT_SERIES));
    const { orderId } = first;
    const receipt = { kind: "addition", bookingId, orderId, total: sumPaid(changes), issuedAt } as const;
    await invoices.add(owner, place, receipt, (number) => ({
      ...composeFurtherReceipt(first.document, facts, number),
      eInvoice: noEInvoice("receipt"),
    }));
  });
  return await stores.invoices.ofBooking(owner, bookingId);
}

/** Undefined: the booking has no receipt, or the chain has not confirmed all of its payments yet. */
async function readPaid(
  stores: Stores,
  { tenantId, environment }: Owner,
  [first]: readonly StoredInvoice[],
): Promise<Known["paid"]> {
  if (first?.orderId === undefined || first.document.kind !== "receipt") return undefined;
  const order = await stores.orders.findBought(tenantId, environment, first.orderId);
  const changes = order && (await listPaidChanges(stores, order));
  return order === undefined || changes === undefined ? undefined : { order, changes };
}

async function tryCreditNotes(
  ports: IssuePorts,
  owner: Owner,
  bookingId: string,
): Promise<WaitingCreditNote | undefined> {
  try {
    for (let notes = 0; notes < MOST_NOTES_AT_ONCE; notes += 1) {
      if ((await issueCreditNote(ports, owner, bookingId)) === "credited") return undefined;
    }
    return undefined;
  } catch (error) {
    if (error instanceof EInvoiceRefused) return { code: "e_invoice_refused", text: error.message };
    if (!(error instanceof EInvoiceNotChecked)) throw error;
    return {
      code: "e_invoice_not_checked",
      text: error.remedy ?? "The e-invoice could not be checked now. Call again shortly.",
    };
  }
}

/** The next due note. `credited`: none is due any more. */
async function issueCreditNote(
  { stores, clock, eInvoices }: IssuePorts,
  owner: Owner,
  bookingId: string,
): Promise<"issued" | "credited"> {
  const settings = await stores.invoices.settings(owner);
  const series = seriesName(owner, settings?.creditNoteSeries ?? CREDIT_NOTE_SERIES);
  const issuedAt = clock.now();
  const compose = ({ invoice, refund, earlier }: Due, number: string) =>
    composeCreditNote(invoice.document, { refund, earlier, settings, issuedAt }, number);
  const draw = async () => {
    const due = await readDue(stores, owner, bookingId);
    return due && compose(due, series + DRAFT_NUMBER);
  };
  const issued = await issueJudged<"issued" | "credited">(eInvoices, draw, ({ draft, eInvoice }) =>
    stores.transaction(async (aggregates) => {
      const { invoices } = aggregates;
      await invoices.lockInvoice(owner, bookingId);
      const due = await readDue(aggregates, owner, bookingId);
      if (due === undefined) return "credited";
      if (!isDeepStrictEqual(compose(due, draft.number), draft)) return undefined;
      const place = await invoices.lockSeries(owner, series);
      const { refund, invoice } = due;
      const note = { kind: "credit_note", bookingId, orderId: invoice.orderId, total: refund, issuedAt } as const;
      await invoices.add(owner, place, note, (number) => ({ ...compose(due, number), eInvoice }));
      return "issued";
    }),
  );
  return issued ?? "credited";
}

interface Due {
  /** The invoice, or the receipt among several that has something left to credit. */
  invoice: StoredInvoice;
  refund: Micro;
  /** Its earlier credit notes. */
  earlier: readonly InvoiceDocument[];
}

async function readDue(
  aggregates: Pick<Aggregates, "invoices" | "orders">,
  owner: Owner,
  bookingId: string,
): Promise<Due | undefined> {
  return await findDue(aggregates, owner, await aggregates.invoices.ofBooking(owner, bookingId));
}

/** The refunds are credited receipt by receipt, the oldest first. `issued` are all documents of a booking. */
async function findDue(
  { orders }: Pick<Aggregates, "orders">,
  owner: Owner,
  issued: readonly StoredInvoice[],
  known?: BoughtOrder["events"],
): Promise<Due | undefined> {
  const notes = issued.filter(({ kind }) => kind === "credit_note");
  const receipts = issued.filter(({ kind }) => kind !== "credit_note");
  const [first] = receipts;
  if (first?.orderId === undefined) return undefined;
  const events = known ?? (await orders.events(owner.environment, first.orderId));
  const left = sumRefunded(events, first) - sumTotals(notes);
  for (const invoice of receipts) {
    const own = notes.filter(({ document }) => document.corrects?.number === invoice.invoiceNumber);
    const room = invoice.total - sumTotals(own);
    const refund = left < room ? left : room;
    if (refund > 0n) return { invoice, refund, earlier: own.map(({ document }) => document) };
  }
  return undefined;
}

const sumTotals = (documents: readonly StoredInvoice[]): Micro => documents.reduce((sum, { total }) => sum + total, 0n);

/** After the settlement, except refunds because the order had been paid twice. */
function sumRefunded(events: BoughtOrder["events"], { document }: StoredInvoice): Micro {
  const settledAt = Temporal.Instant.from(document.settlement.settledAt);
  return events
    .filter(({ kind }) => kind === "refunded")
    .filter(({ at }) => Temporal.Instant.compare(at, settledAt) > 0)
    .reduce((sum, { details }) => sum + (parseDecimal(String(details.refundedUsdc ?? "0")) ?? 0n), 0n);
}
