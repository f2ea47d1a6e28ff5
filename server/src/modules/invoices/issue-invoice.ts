import { isDeepStrictEqual } from "node:util";
import { type Micro, parseDecimal } from "../../domain/money.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RateTable } from "../../ports/fx.ts";
import { BOOKING_RATE } from "../bookings/index.ts";
import type { BoughtOrder } from "../orders/index.ts";
import { composeCreditNote, composeInvoice, type InvoiceFacts } from "./compose-invoice.ts";
import type { Aggregates, Stores } from "./context.ts";
import type { InvoiceDocument } from "./document.ts";
import { EInvoiceNotChecked, EInvoiceRefused, type EInvoices, issueJudged, judgeInvoice } from "./e-invoices.ts";
import type { Settlement } from "./find-settlement.ts";
import type { Owner, StoredInvoice } from "./invoices.ts";
import type { InvoicingSettings } from "./settings.ts";

export interface IssuePorts {
  stores: Stores;
  clock: Clock;
  eInvoices: EInvoices | undefined;
}

const INVOICE_SERIES = "INV-";
const RECEIPT_SERIES = "REC-";
const CREDIT_NOTE_SERIES = "CN-";
/** Replaces the number while the future invoice is judged. */
const DRAFT_NUMBER = "000000";

/** Distinguishes the sandbox's numbers from real ones. */
const seriesName = ({ environment }: Owner, series: string): string =>
  environment === "sandbox" ? `SANDBOX-${series}` : series;

/**
 * Issues the booking's only invoice: number and document are stored together or not at all. Returns the booking's documents.
 * Throws like `EInvoices.judge`, without using up a number.
 */
export async function issueInvoice(
  { stores, clock, eInvoices }: IssuePorts,
  settlement: Settlement,
  given: Given,
): Promise<Known | undefined> {
  const { bookingId } = settlement.booking;
  const { owner, series, issuedAt, readFacts, draw } = drawing({ stores, clock }, settlement, given);
  return await issueJudged(eInvoices, draw, ({ draft, eInvoice }) =>
    stores.transaction(async (aggregates) => {
      const { invoices } = aggregates;
      const place = await invoices.lockSeries(owner, series);
      const known = await invoices.ofBooking(owner, bookingId);
      if (known.length > 0) return { documents: known };
      const facts = await readFacts(aggregates);
      if (!isDeepStrictEqual(composeInvoice(facts, draft.number), draft)) return undefined;
      const total = settlement.booking.vendorPaid + settlement.booking.feePaid;
      const invoice = { kind: "invoice", bookingId, orderId: facts.order?.orderId, total, issuedAt } as const;
      const draw = (number: string) => ({ ...composeInvoice(facts, number), eInvoice });
      return { documents: [await invoices.add(owner, place, invoice, draw)], events: facts.order?.events };
    }),
  );
}

/** The same without issuing anything, for a preview: throws like `EInvoices.judge`. */
export async function checkInvoice(
  { stores, clock, eInvoices }: IssuePorts,
  settlement: Settlement,
  given: Given,
): Promise<void> {
  await judgeInvoice(eInvoices, await drawing({ stores, clock }, settlement, given).draw());
}

interface Given {
  settings: InvoicingSettings | undefined;
  chainId: number;
  /** The rates for the tax in the seller's currency, once the invoice's is known. */
  readTaxRates(invoiceCurrency: string): Promise<RateTable | undefined>;
}

function drawing(
  { stores, clock }: Pick<IssuePorts, "stores" | "clock">,
  settlement: Settlement,
  { settings, chainId, readTaxRates }: Given,
) {
  const { tenantId, environment } = settlement.booking;
  const owner = { tenantId, environment };
  const series = seriesName(
    owner,
    settlement.order === undefined ? (settings?.invoiceSeries ?? INVOICE_SERIES) : RECEIPT_SERIES,
  );
  const issuedAt = clock.now();
  // Asked for outside of the transaction that issues the invoice.
  let taxRates: RateTable | undefined;
  const readFacts = async (from: Aggregates): Promise<InvoiceFacts> => ({
    settlement,
    settings,
    chainId,
    issuedAt,
    taxRates,
    order: await readOrder(from, settlement),
    buyerName: await readBuyer(from, settlement),
  });
  const draw = async () => {
    const facts = await readFacts(stores);
    taxRates = await readTaxRates((facts.order?.rate ?? BOOKING_RATE).from);
    return composeInvoice({ ...facts, taxRates }, series + DRAFT_NUMBER);
  };
  return { owner, series, issuedAt, readFacts, draw };
}

/** As `prefund_trip` was given it. */
async function readBuyer(
  { trips }: Pick<Aggregates, "trips">,
  { booking: { tenantId, environment, tripId } }: Settlement,
): Promise<string | undefined> {
  if (tripId === null) return undefined;
  return (await trips.find(tenantId, environment, tripId))?.details.buyerName;
}

async function readOrder(
  { orders }: Pick<Aggregates, "orders">,
  { booking: { tenantId, environment, itineraryHash }, order }: Settlement,
): Promise<BoughtOrder | undefined> {
  if (order !== undefined) return order;
  if (itineraryHash === undefined) return undefined;
  return await orders.findBoughtByItinerary(tenantId, environment, itineraryHash);
}

/** The documents of a booking, and the events of its order if they were just read. */
interface Known {
  documents: readonly StoredInvoice[];
  events?: BoughtOrder["events"] | undefined;
}

/** Why a refund has no credit note yet. It is issued once that is fixed; the refund itself is made and stored. */
export interface WaitingCreditNote {
  code: "e_invoice_refused" | "e_invoice_not_checked";
  /** The remedy. */
  text: string;
}

/**
 * Issues a credit note for refunds of the order that none covers yet, if there are any. Returns the booking's documents, and
 * why a due one was not issued, which does not prevent access to the invoice. `known`: the documents, if they were just read.
 */
export async function creditRefunds(
  ports: IssuePorts,
  owner: Owner,
  bookingId: string,
  known?: Known,
): Promise<{ documents: readonly StoredInvoice[]; waiting: WaitingCreditNote | undefined }> {
  const { stores } = ports;
  const documents = known?.documents ?? (await stores.invoices.ofBooking(owner, bookingId));
  if ((await findDue(stores, owner, documents, known?.events)) === undefined) return { documents, waiting: undefined };
  const waiting = await tryCreditNote(ports, owner, bookingId);
  return { documents: await stores.invoices.ofBooking(owner, bookingId), waiting };
}

async function tryCreditNote(
  ports: IssuePorts,
  owner: Owner,
  bookingId: string,
): Promise<WaitingCreditNote | undefined> {
  try {
    await issueCreditNote(ports, owner, bookingId);
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

async function issueCreditNote(
  { stores, clock, eInvoices }: IssuePorts,
  owner: Owner,
  bookingId: string,
): Promise<void> {
  const settings = await stores.invoices.settings(owner);
  const series = seriesName(owner, settings?.creditNoteSeries ?? CREDIT_NOTE_SERIES);
  const issuedAt = clock.now();
  const compose = ({ invoice, refund, earlier }: Due, number: string) =>
    composeCreditNote(invoice.document, { refund, earlier, settings, issuedAt }, number);
  const draw = async () => {
    const due = await readDue(stores, owner, bookingId);
    return due && compose(due, series + DRAFT_NUMBER);
  };
  await issueJudged(eInvoices, draw, ({ draft, eInvoice }) =>
    stores.transaction(async (aggregates) => {
      const { invoices } = aggregates;
      await invoices.lockInvoice(owner, bookingId);
      const due = await readDue(aggregates, owner, bookingId);
      if (due === undefined) return "credited already";
      if (!isDeepStrictEqual(compose(due, draft.number), draft)) return undefined;
      const place = await invoices.lockSeries(owner, series);
      const { refund, invoice } = due;
      const note = { kind: "credit_note", bookingId, orderId: invoice.orderId, total: refund, issuedAt } as const;
      return await invoices.add(owner, place, note, (number) => ({ ...compose(due, number), eInvoice }));
    }),
  );
}

interface Due {
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

/** `issued` are all documents of a booking. */
async function findDue(
  { orders }: Pick<Aggregates, "orders">,
  owner: Owner,
  issued: readonly StoredInvoice[],
  known?: BoughtOrder["events"],
): Promise<Due | undefined> {
  const invoice = issued.find(({ kind }) => kind === "invoice");
  if (invoice?.orderId === undefined) return undefined;
  const notes = issued.filter(({ kind }) => kind === "credit_note");
  const credited = notes.reduce((sum, { total }) => sum + total, 0n);
  const events = known ?? (await orders.events(owner.environment, invoice.orderId));
  const refunded = sumRefunded(events, invoice);
  const refund = (refunded < invoice.total ? refunded : invoice.total) - credited;
  return refund <= 0n ? undefined : { invoice, refund, earlier: notes.map(({ document }) => document) };
}

/** After the settlement, except refunds because the order had been paid twice. */
function sumRefunded(events: BoughtOrder["events"], { document }: StoredInvoice): Micro {
  const settledAt = Temporal.Instant.from(document.settlement.settledAt);
  return events
    .filter(({ kind }) => kind === "refunded")
    .filter(({ at }) => Temporal.Instant.compare(at, settledAt) > 0)
    .reduce((sum, { details }) => sum + (parseDecimal(String(details.refundedUsdc ?? "0")) ?? 0n), 0n);
}
