import { isDeepStrictEqual } from "node:util";
import type { RateTable } from "../../ports/fx.ts";
import { BOOKING_RATE } from "../bookings/index.ts";
import type { BoughtOrder } from "../orders/index.ts";
import { composeInvoice, type InvoiceFacts, sumSettled } from "./compose-invoice.ts";
import type { Aggregates } from "./context.ts";
import type { IssuePorts, Known } from "./credit-refunds.ts";
import { issueJudged, judgeInvoice } from "./e-invoices.ts";
import type { Settlement } from "./find-settlement.ts";
import { DRAFT_NUMBER, RECEIPT_SERIES, seriesName } from "./invoices.ts";
import type { InvoicingSettings } from "./settings.ts";

const INVOICE_SERIES = "INV-";
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
      const total = sumSettled(settlement);
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
