import { z } from "zod";
import { invalidInput } from "../../domain/errors.ts";
import { DecimalAmount, IsoDate } from "../../domain/schemas.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { definePublicRoute, defineRoute, FileAnswer } from "../../kernel/contracts/route.ts";
import type { Environment } from "../../ports/identity.ts";
import type { SharedFiles } from "../files/index.ts";
import type { Reads } from "./context.ts";
import { writeCsv } from "./invoice-csv.ts";
import type { Invoices } from "./invoices.ts";
import { InvoicingSettings } from "./settings.ts";
import { buildFileNames, type SharePorts, shareInvoice, writeJson } from "./share-invoice.ts";

interface InvoiceRoutePorts {
  stores: { invoices: Invoices; sharedFiles: Pick<SharedFiles, "withdraw"> };
  reads: Reads;
}

interface ShareRoutePorts {
  portsFor(environment: Environment): SharePorts | undefined;
}

const example: z.output<typeof InvoicingSettings> = {
  seller: {
    name: "Example Travel GmbH",
    addressLines: ["Beispielstraße 12", "10115 Berlin"],
    countryCode: "DE",
    taxId: "DE123456789",
  },
  buyer: { name: "Example Ltd", addressLines: ["1 Sample Street", "London"], countryCode: "GB", reference: "PO 4711" },
  language: "en",
  timeZone: "Europe/Berlin",
  invoiceSeries: "INV-",
  creditNoteSeries: "CN-",
  dueDays: 14,
  showMarkup: false,
  tax: { treatment: "margin_scheme" },
};

const readInvoicing = defineRoute({
  id: "read_invoicing",
  method: "GET",
  path: "/api/invoicing",
  tag: "escrow",
  summary: "Read the invoicing settings: seller, buyer and tax",
  description: "Sandbox and production have separate settings.",
  scope: "escrow:read",
  answers: {
    200: {
      description: "The settings; null: none have been set.",
      schema: z.object({ settings: InvoicingSettings.nullable() }),
    },
  },
  errors: {},
  example: { answer: { settings: example } },
  async run({ principal: { tenantId, environment } }, { stores }: InvoiceRoutePorts) {
    return { settings: (await stores.invoices.settings({ tenantId, environment })) ?? null };
  },
});

const writeInvoicing = defineRoute({
  id: "write_invoicing",
  method: "PUT",
  path: "/api/invoicing",
  tag: "escrow",
  summary: "Replace the invoicing settings: seller, buyer and tax",
  description: "Replaces all settings. Issued invoices stay as they are; new ones use the new settings.",
  scope: "escrow:write",
  body: InvoicingSettings,
  answers: { 200: { description: "The current settings.", schema: z.object({ settings: InvoicingSettings }) } },
  errors: {},
  example: { body: example, answer: { settings: example } },
  async run({ principal, body }, { stores }: InvoiceRoutePorts) {
    const { tenantId, environment, serviceAccountId } = principal;
    await stores.invoices.putSettings({ tenantId, environment }, body, serviceAccountId);
    return { settings: body };
  },
});

const MOST_EXPORTED = 5_000;
const LAST_DAY = "9999-12-31";

const Listed = z.object({
  invoiceNumber: z.string(),
  kind: z.enum(["invoice", "receipt", "credit_note"]).describe("receipt: of an order paid without escrow"),
  corrects: z.string().nullable().describe("The number of the invoice or receipt that a credit note corrects"),
  bookingId: z.string(),
  orderId: z.string().nullable(),
  totalUsdc: DecimalAmount,
  total: DecimalAmount,
  currency: z.string(),
  issuedOn: z.string(),
});

const listInvoices = defineRoute({
  id: "list_invoices",
  method: "GET",
  path: "/api/invoices",
  tag: "escrow",
  summary: "List invoices, receipts and credit notes",
  description: "Newest first. generate_booking_invoice returns the URLs of a booking's files.",
  scope: "escrow:read",
  query: z.object(pageQuery(z.string().max(40))),
  answers: {
    200: {
      description: "One page of invoices, receipts and credit notes.",
      schema: z.object({ invoices: z.array(Listed), nextCursor: NextCursor }),
    },
  },
  errors: {},
  async run({ principal: { tenantId, environment }, query }, { stores, reads }: InvoiceRoutePorts) {
    const owner = { tenantId, environment };
    const after = query.cursor === undefined ? undefined : await stores.invoices.find(owner, query.cursor);
    if (query.cursor !== undefined && after === undefined) {
      throw invalidInput([{ path: "cursor", message: CURSOR_MESSAGE }]);
    }
    const { shown, nextCursor } = await readPage(
      query,
      (limit) => reads(tenantId, ({ invoices }) => invoices.list(owner, { limit, after })),
      ({ invoiceNumber }) => invoiceNumber,
    );
    return {
      invoices: shown.map(({ invoiceNumber, bookingId, orderId, document }) => ({
        invoiceNumber,
        kind: document.kind,
        bookingId,
        orderId: orderId ?? null,
        corrects: document.corrects?.number ?? null,
        totalUsdc: document.settlement.totalUsdc,
        total: document.total,
        currency: document.currency,
        issuedOn: document.issuedOn,
      })),
      nextCursor,
    };
  },
});

const exportInvoices = defineRoute({
  id: "export_invoices",
  method: "GET",
  path: "/api/invoices/export",
  tag: "escrow",
  summary: "Export invoices and credit notes as CSV",
  description: `The newest ${MOST_EXPORTED} of the period, one per line, in UTF-8 with a header. The currency is next to each amount.`,
  scope: "escrow:read",
  query: z.object({
    from: IsoDate.optional().describe("Issued on this day or later"),
    to: IsoDate.optional().describe("Issued on this day or earlier"),
  }),
  answers: { 200: { description: "The file.", schema: z.string(), contentType: "text/csv" } },
  errors: {},
  async run(
    { principal: { tenantId, environment }, query: { from = "", to = LAST_DAY } },
    { reads }: InvoiceRoutePorts,
  ) {
    const owner = { tenantId, environment };
    const found = await reads(tenantId, ({ invoices }) =>
      invoices.list(owner, { limit: MOST_EXPORTED, after: undefined }),
    );
    const issued = found.filter(({ document: { issuedOn } }) => issuedOn >= from && issuedOn <= to);
    return new FileAnswer({ content: writeCsv(issued), contentType: "text/csv", fileName: "invoices.csv" });
  },
});

const NO_SUCH_INVOICE = "You have no invoice with this number. GET /api/invoices lists them.";
const InvoicePath = z.object({ invoiceNumber: z.string().max(40).describe("Such as INV-000001") });

const shareFiles = defineRoute({
  id: "share_invoice_files",
  method: "POST",
  path: "/api/invoices/:invoiceNumber/files",
  tag: "escrow",
  summary: "Get the URLs of an invoice's files",
  description:
    "The same URLs every time, until they are revoked. Anyone with a URL can read the file. The PDF of an e-invoice contains its XML.",
  scope: "escrow:read",
  params: InvoicePath,
  answers: {
    200: {
      description: "The URLs.",
      schema: z.object({
        invoiceNumber: z.string(),
        pdfUrl: z.string(),
        jsonUrl: z.string(),
        hasXml: z.boolean().describe("Whether the PDF contains the XML of an e-invoice"),
      }),
    },
  },
  errors: {
    not_found: NO_SUCH_INVOICE,
    unavailable: "The PDF could not be made now. Send the request again.",
    sandbox_unavailable: "This deployment runs without the sandbox. Use a production key.",
  },
  async run({ principal: { tenantId, environment }, params, fail }, { portsFor }: ShareRoutePorts) {
    const ports = portsFor(environment);
    if (ports === undefined) throw fail("sandbox_unavailable");
    const owner = { tenantId, environment };
    const invoice = await ports.stores.invoices.find(owner, params.invoiceNumber);
    if (invoice === undefined) throw fail("not_found");
    const shared = await shareInvoice(ports, owner, invoice, false);
    if (shared === undefined) throw fail("unavailable");
    const { pdfUrl, jsonUrl } = shared;
    return { invoiceNumber: invoice.invoiceNumber, pdfUrl, jsonUrl, hasXml: invoice.document.eInvoice.available };
  },
});

const revokeFiles = defineRoute({
  id: "revoke_invoice_files",
  method: "DELETE",
  path: "/api/invoices/:invoiceNumber/files",
  tag: "escrow",
  summary: "Revoke the URLs of an invoice's files",
  description:
    "Every URL of this invoice's PDF and JSON stops working at once. The invoice stays; generate_booking_invoice gives new URLs.",
  scope: "escrow:write",
  params: InvoicePath,
  answers: {
    200: { description: "The number of revoked URLs.", schema: z.object({ revoked: z.int() }) },
  },
  errors: { not_found: NO_SUCH_INVOICE },
  example: { answer: { revoked: 2 } },
  async run({ principal: { tenantId, environment }, params, fail }, { stores }: InvoiceRoutePorts) {
    const owner = { tenantId, environment };
    if ((await stores.invoices.find(owner, params.invoiceNumber)) === undefined) throw fail("not_found");
    const names = Object.values(buildFileNames(params.invoiceNumber));
    const isRevoked = await stores.invoices.revoke(owner, params.invoiceNumber);
    // Addresses of earlier releases, which expired after some weeks.
    const withdrawn = await stores.sharedFiles.withdraw(owner, names);
    return { revoked: withdrawn + (isRevoked ? names.length : 0) };
  },
});

const FILE_ADDRESS = /^([0-9A-Za-z]{32})\.(pdf|json)$/;

const readInvoiceFile = definePublicRoute({
  id: "read_invoice_file",
  method: "GET",
  path: "/api/invoice-files/:invoiceFile",
  tag: "escrow",
  summary: "Read an invoice as PDF or JSON",
  description:
    "At the URL that generate_booking_invoice gives. Anyone with the URL can read it until it is revoked; access is free.",
  // A token cannot be guessed, so only failed attempts are limited.
  limitByAddress: "refusals",
  params: z.object({ invoiceFile: z.string().regex(FILE_ADDRESS).describe("From the tool's answer") }),
  answers: { 200: { description: "The file.", schema: z.string(), contentType: "*/*" } },
  errors: {
    not_found: "There is no file at this URL, or it was revoked. generate_booking_invoice gives a new URL.",
    rate_limited: "Too many requests for files that do not exist.",
    unavailable: "The file cannot be read now. Send the request again.",
  },
  async run({ params: { invoiceFile }, fail }, { stores }: Pick<InvoiceRoutePorts, "stores">) {
    const [, token = "", kind] = FILE_ADDRESS.exec(invoiceFile) ?? [];
    const found = await stores.invoices.findShared(token);
    if (found === undefined) throw fail("not_found");
    const names = buildFileNames(found.document.number);
    return kind === "pdf"
      ? new FileAnswer({ content: found.pdf, contentType: "application/pdf", fileName: names.pdf })
      : new FileAnswer({ content: writeJson(found.document), contentType: "application/json", fileName: names.json });
  },
});

export const invoiceRoutes = [
  readInvoicing,
  writeInvoicing,
  listInvoices,
  exportInvoices,
  shareFiles,
  revokeFiles,
  readInvoiceFile,
];
