import { z } from "zod";
import { Failure, type FailureDetails } from "../../../domain/errors.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import { EMPTY_PLAN, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { Hash, readHash, requireHash } from "../../escrow/index.ts";
import type { BoughtOrder } from "../../orders/index.ts";
import { defineTool, type Stores } from "../context.ts";
import { creditRefunds } from "../credit-refunds.ts";
import { EInvoiceNotChecked, EInvoiceRefused } from "../e-invoices.ts";
import { findPayment } from "../find-payment.ts";
import { findSettlement, type Settlement, settlementErrors } from "../find-settlement.ts";
import type { StoredInvoice } from "../invoices.ts";
import { checkInvoice, issueInvoice } from "../issue-invoice.ts";
import { readTaxRates, taxRateErrors } from "../seller-currency.ts";
import type { InvoicingSettings } from "../settings.ts";
import { shareInvoice } from "../share-invoice.ts";

const Files = z.object({
  invoiceNumber: z.string(),
  pdfUrl: z.string(),
  jsonUrl: z.string(),
  totalUsdc: DecimalAmount,
  total: DecimalAmount,
  currency: z.string(),
  issuedOn: z.string(),
  eInvoice: z.object({ available: z.boolean(), reason: z.string().nullable() }),
  charactersNotShown: z
    .string()
    .describe("Characters missing from the PDF's fonts, shown as boxes; the JSON has all of them"),
});

const errors = {
  ...settlementErrors,
  ...taxRateErrors,
  invoicing_not_set:
    "An invoice needs a seller and a buyer. Have a person add them to the tenant's invoicing settings, then call again.",
  e_invoice_refused:
    "The e-invoice would break the official rules, so nothing was issued and no number was used. The text names each broken rule and what a person must fix in the tenant's invoicing settings.",
  e_invoice_not_checked: "The e-invoice could not be checked now, so nothing was issued. Call again shortly.",
  invoice_not_drawn:
    "The invoice is issued and keeps its number, but its PDF could not be made. Call again for the files.",
} as const;

export const generateBookingInvoice = defineTool({
  name: "generate_booking_invoice",
  title: "Invoice a booking",
  titles: {
    en: "Issue the receipt of this booking",
    de: "Den Beleg für diese Buchung ausstellen",
    fr: "Établir le reçu de cette réservation",
    es: "Emitir el recibo de esta reserva",
    pt: "Emitir o recibo desta reserva",
    "pt-BR": "Emitir o recibo desta reserva",
    ja: "この予約の領収書を発行",
  },
  summary: "Issue the invoice of a settled booking, or a directly paid order's receipt, as PDF and JSON.",
  advice:
    "A repeat returns the same number and URLs, and credit notes since. A person sets seller, buyer and tax in the invoicing settings.",
  area: "escrow",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stores", "chain", "clock", "fx", "invoiceAddresses", "invoiceRenderer", "eInvoices"],
  input: z.strictObject({
    bookingId: z.string().describe("0x… for an invoice; bkg_… or order id for a receipt"),
    settleTxHash: Hash.optional().describe("Default: the recorded one"),
  }),
  output: Files.extend({
    bookingId: z.string(),
    orderId: z
      .string()
      .nullable()
      .describe("The order that the booking pays for; null: it pays one of your own vendors"),
    settleTxHash: z.string(),
    dueOn: z.string(),
    filesExpireAt: z
      .null()
      .describe("Always null: anyone with the URL can read the file until a person revokes the invoice's files"),
    furtherReceipts: z
      .array(Files)
      .describe(
        "For changes paid after the first receipt, oldest first. An order has cost the sum of all its receipts",
      ),
    creditNotes: z.array(Files).describe("For refunds after the settlement, oldest first"),
    creditNoteWaiting: z
      .object({ code: z.enum(["e_invoice_refused", "e_invoice_not_checked"]), text: z.string() })
      .nullable()
      .describe("Why a refund has no credit note yet, and what to fix; it is issued once that is fixed"),
    notGiven: z
      .array(z.enum(["seller", "buyer"]))
      .describe("Whose name or address a sandbox invoice lacks; set it in the invoicing settings"),
    language: LanguageAnswer,
    sandbox: z.boolean().describe("true: not a tax document, as it says across the page"),
  }),
  errors,
  example: (_today, { settledBookingId }) => ({ bookingId: settledBookingId }),

  plan: (input, { stores, caller }) =>
    planOrRefusal(async () => {
      const settlement = await plannedSettlements.read(caller, input.bookingId, () =>
        requireSettlement(input, stores, caller),
      );
      // The sandbox draws an invoice without settings too.
      if (caller.environment === "production") await readIssued(settlement, stores);
      return EMPTY_PLAN;
    }),

  async probe(input, { stores, chain, clock, fx, eInvoices, caller }) {
    const settlement = await takeSettlement(input, stores, caller);
    const { settings, issued } = await readIssued(settlement, stores);
    if (issued.length > 0) return;
    const readTaxRates = taxRatesReader({ fx, clock }, caller, settlement.order === undefined ? settings : undefined);
    const given = { settings, chainId: chain.chainId, readTaxRates };
    await inWordsOfTool(checkInvoice({ stores, clock, eInvoices }, settlement, given));
  },

  async run(input, { stores, chain, clock, fx, invoiceAddresses, invoiceRenderer, eInvoices, caller, fail }) {
    const settlement = await takeSettlement(input, stores, caller);
    const { settings, issued } = await readIssued(settlement, stores);
    const { tenantId, environment, bookingId } = settlement.booking;
    const owner = { tenantId, environment };
    const issuePorts = { stores, clock, eInvoices };
    const readTaxRates = taxRatesReader({ fx, clock }, caller, settlement.order === undefined ? settings : undefined);
    const given = { settings, chainId: chain.chainId, readTaxRates };
    const isNew = issued.length === 0;
    const first = isNew ? await inWordsOfTool(issueInvoice(issuePorts, settlement, given)) : { documents: issued };
    const { order, changes = [] } = settlement;
    const paid = order && { order, changes };
    const credited = await creditRefunds(issuePorts, owner, bookingId, first && { ...first, paid });
    const { documents, waiting: creditNoteWaiting = null } = credited;
    const ports = { stores, invoiceAddresses, invoiceRenderer, eInvoices };
    const answers: (z.output<typeof Files> & Pick<StoredInvoice, "kind">)[] = [];
    for (const one of documents) {
      const shared = await shareInvoice(ports, owner, one, isNew);
      if (shared === undefined) throw fail("invoice_not_drawn");
      answers.push({ ...describe(one), ...shared, kind: one.kind });
    }
    const ofKind = (asked: StoredInvoice["kind"]) =>
      answers.filter(({ kind }) => kind === asked).map(({ kind: _, ...files }) => files);
    const [[invoice], [answer]] = [documents, ofKind("invoice")];
    if (invoice === undefined || answer === undefined) throw new Error(`the invoice of ${bookingId} is gone`);
    const { document, orderId } = invoice;
    return {
      ...answer,
      bookingId,
      orderId: orderId ?? null,
      settleTxHash: document.settlement.txHash,
      dueOn: document.dueOn,
      filesExpireAt: null,
      furtherReceipts: ofKind("addition"),
      creditNotes: ofKind("credit_note"),
      creditNoteWaiting,
      notGiven: (["seller", "buyer"] as const).filter((party) => (document[party]?.addressLines ?? []).length === 0),
      language: wordsIn(document.language).answer,
      sandbox: document.sandbox,
    };
  },
});

/** A settlement that is final does not change any more. */
const plannedSettlements = new PlanReads<Settlement>();

/** The booking to invoice. Throws the records' refusals. */
async function requireSettlement(
  { bookingId: named, settleTxHash }: { bookingId: string; settleTxHash?: string | undefined },
  stores: Pick<Stores, "bookings" | "chainTransactions" | "escrowBookings" | "orders" | "servicingActions">,
  { tenantId, environment }: Caller,
): Promise<Settlement> {
  const owner = { tenantId, environment };
  const order = readHash(named) === undefined ? await findOrder(named, stores, owner) : undefined;
  // An order that escrow paid for is on the invoice of that booking.
  const bookingId = readHash(named) ?? readHash(order?.booking.escrowBookingId ?? order?.externalId ?? "");
  if (bookingId === undefined) {
    if (order === undefined) throw refused("booking_not_found");
    const payment = await findPayment(stores, order, refused);
    if (settleTxHash !== undefined && requireHash(settleTxHash) !== payment.transactionHash) {
      throw refused("settlement_of_other_booking");
    }
    return payment;
  }
  const hash = settleTxHash === undefined ? undefined : requireHash(settleTxHash);
  return await findSettlement(stores, { ...owner, bookingId, hash }, refused);
}

/** The order that the id names, itself or as its booking. */
async function findOrder(
  named: string,
  { bookings, orders }: Pick<Stores, "bookings" | "orders">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
): Promise<BoughtOrder | undefined> {
  const booking = named.startsWith("bkg_") ? await bookings.get(named) : undefined;
  const isOwn = booking?.tenantId === tenantId && booking.environment === environment;
  return await orders.findBought(tenantId, environment, (isOwn ? booking.orderId : undefined) ?? named);
}

function takeSettlement(...asked: Parameters<typeof requireSettlement>): Promise<Settlement> {
  const [{ bookingId }, , caller] = asked;
  return plannedSettlements.take(caller, bookingId, () => requireSettlement(...asked));
}

/** The settings, and the booking's earlier documents. Outside the sandbox a first document needs settings. */
async function readIssued(
  { booking: { tenantId, environment, bookingId } }: Settlement,
  { invoices }: Pick<Stores, "invoices">,
) {
  const { settings, issued } = await invoices.issued({ tenantId, environment }, bookingId);
  if (settings === undefined && environment === "production" && issued.length === 0) throw refused("invoicing_not_set");
  return { settings, issued };
}

const taxRatesReader =
  (ports: Parameters<typeof readTaxRates>[0], { environment }: Caller, settings: InvoicingSettings | undefined) =>
  (invoiceCurrency: string) =>
    readTaxRates(ports, environment, settings, invoiceCurrency);

function refused(code: keyof typeof errors, details?: FailureDetails): Failure {
  return new Failure(code, { detail: errors[code], ...details });
}

/** Maps errors to the codes that the tool declares. */
async function inWordsOfTool<Judged>(judging: Promise<Judged>): Promise<Judged> {
  try {
    return await judging;
  } catch (error) {
    if (error instanceof EInvoiceRefused) throw refused("e_invoice_refused", { detail: error.message });
    if (!(error instanceof EInvoiceNotChecked)) throw error;
    const detail = error.remedy && `${error.message} Nothing was issued. ${error.remedy} Then call again.`;
    throw refused("e_invoice_not_checked", { cause: error, ...(detail === undefined ? {} : { detail }) });
  }
}

function describe({ invoiceNumber, document: { total, currency, issuedOn, settlement, eInvoice } }: StoredInvoice) {
  const { available, reason } = eInvoice;
  return { invoiceNumber, total, currency, issuedOn, totalUsdc: settlement.totalUsdc, eInvoice: { available, reason } };
}
