import { type Micro, parseDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Aggregates, Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import { composeCreditNote, composeInvoice, type InvoiceFacts } from "./compose-invoice.ts";
import type { Settlement } from "./find-settlement.ts";
import type { Owner, StoredInvoice } from "./invoices.ts";
import type { InvoicingSettings } from "./settings.ts";

interface IssuePorts {
  stores: Stores;
  clock: Clock;
}

const INVOICE_SERIES = "INV-";
const CREDIT_NOTE_SERIES = "CN-";

/** Numbers of the sandbox can be told from those that count. */
const seriesOf = ({ network }: Owner, series: string): string => (network === "sandbox" ? `SANDBOX-${series}` : series);

/** The booking's one invoice: its number and its document are stored together, or neither is. */
export async function issueInvoice(
  { stores, clock }: IssuePorts,
  settlement: Settlement,
  { settings, chainId }: { settings: InvoicingSettings | undefined; chainId: number },
): Promise<StoredInvoice> {
  const { tenantId, network, bookingId, itineraryHash } = settlement.booking;
  const owner = { tenantId, network };
  return await stores.transaction(async ({ invoices, orders, bookings }) => {
    const series = seriesOf(owner, settings?.invoiceSeries ?? INVOICE_SERIES);
    await invoices.lockSeries(owner, series);
    const [known] = await invoices.ofBooking(owner, bookingId);
    if (known !== undefined) return known;
    const order = itineraryHash && (await orders.findByItinerary(tenantId, network, itineraryHash));
    const orderBooking = order && (await bookings.get(order.bookingId));
    const issuedAt = clock.now();
    const facts: InvoiceFacts = { settlement, order, orderBooking, settings, chainId, issuedAt };
    const total = settlement.booking.vendorPaid + settlement.booking.feePaid;
    return await invoices.add(
      owner,
      series,
      { kind: "invoice", bookingId, orderId: order?.orderId, total, issuedAt },
      (number) => composeInvoice(facts, number),
    );
  });
}

/** A credit note for what its order has given back and no credit note says yet; nothing where there is no such thing. */
export async function creditRefunds({ stores, clock }: IssuePorts, owner: Owner, bookingId: Hex): Promise<void> {
  await stores.transaction(async (aggregates) => {
    const { invoices } = aggregates;
    const invoice = await invoices.lockInvoice(owner, bookingId);
    if (invoice?.orderId === undefined) return;
    const issued = await invoices.ofBooking(owner, bookingId);
    const credited = issued.filter(({ kind }) => kind === "credit_note").reduce((sum, { total }) => sum + total, 0n);
    const refunded = await refundedOf(aggregates, owner, invoice);
    const refund = (refunded < invoice.total ? refunded : invoice.total) - credited;
    if (refund <= 0n) return;
    const settings = await invoices.settings(owner);
    const series = seriesOf(owner, settings?.creditNoteSeries ?? CREDIT_NOTE_SERIES);
    await invoices.lockSeries(owner, series);
    const issuedAt = clock.now();
    const timeZone = settings?.timeZone ?? "UTC";
    await invoices.add(
      owner,
      series,
      { kind: "credit_note", bookingId, orderId: invoice.orderId, total: refund, issuedAt },
      (number) => composeCreditNote(invoice.document, { refund, issuedAt, timeZone, number }),
    );
  });
}

/** After the settlement, but for what went back only because the order had been paid twice. */
async function refundedOf(
  { orders }: Pick<Aggregates, "orders">,
  { network }: Owner,
  { orderId = "", document }: StoredInvoice,
): Promise<Micro> {
  const settledAt = Temporal.Instant.from(document.settlement.settledAt);
  const events = await orders.events(network, orderId);
  return events
    .filter(({ kind, details }) => kind === "refunded" && details.reason !== "paid_by_escrow")
    .filter(({ at }) => Temporal.Instant.compare(at, settledAt) > 0)
    .reduce((sum, { details }) => sum + (parseDecimal(String(details.refundedUsdc ?? "0")) ?? 0n), 0n);
}
