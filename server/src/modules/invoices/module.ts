import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { CreditRefundsJob } from "./credit-refunds-job.ts";
import { InvoiceRenderer } from "./drawing/invoice-renderer.ts";
import type { EInvoices } from "./e-invoices.ts";
import { invoiceDocument } from "./invoice-notice.ts";
import * as invoices from "./migrations/0034-invoices.ts";
import * as invoiceAddresses from "./migrations/0132-invoice-addresses.ts";
import * as invoicesAreTold from "./migrations/0146-invoices-are-told.ts";
import * as laterReceipts from "./migrations/0200-later-receipts.ts";
import { invoiceRoutes } from "./routes.ts";
import { createInvoiceAddresses, type InvoiceAddresses } from "./share-invoice.ts";
import { createInvoices } from "./store.ts";
import { invoiceEvents } from "./tenant-events.ts";
import { generateBookingInvoice } from "./tools/generate-booking-invoice.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** One per process, shared by all environments. */
    readonly "invoices.invoiceRenderer": InvoiceRenderer;
    /** Missing in an installation without the module `e-invoices`, which makes it. */
    readonly "invoices.eInvoices"?: EInvoices;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "invoices.invoiceAddresses": InvoiceAddresses;
    "invoices.invoiceRenderer": Pick<InvoiceRenderer, "render">;
    "invoices.eInvoices": EInvoices | undefined;
  }
}

const CREDIT_MILLISECONDS = 60_000;

/** Invoices of bookings settled in escrow, and credit notes for later refunds. */
export const invoicesModule = defineModule({
  name: "invoices",
  tools: [generateBookingInvoice],
  routes: invoiceRoutes,
  stores: ({ db, clock }) => ({ invoices: createInvoices(db, clock) }),
  personRecords: ({ db, clock }) => ({
    tables: { notSearched: { booking_invoice: "an invoice is a record of accounting" } },
    forgetTraces: ({ person: { tenantId, environment }, isNamedIn }) =>
      createInvoices(db, clock).revokeAbout({ tenantId, environment }, isNamedIn),
  }),
  migrations: {
    "0034-invoices": invoices,
    "0132-invoice-addresses": invoiceAddresses,
    "0146-invoices-are-told": invoicesAreTold,
    "0200-later-receipts": laterReceipts,
  },
  tenantEvents: invoiceEvents,
  account: async ({ stores }, { tenantId, environment }) => ({
    setUp: [
      {
        what: "Seller name, address and tax treatment for invoices.",
        isSet: (await stores.invoices.settings({ tenantId, environment })) !== undefined,
        how: "A person sets them with a key that has escrow:write: PUT /api/invoicing.",
        page: "invoices",
      },
    ],
  }),
  noticeDocuments: (parts) => [invoiceDocument(parts)],
  parts: { invoiceRenderer: () => new InvoiceRenderer() },
  ports: ({ invoiceRenderer, eInvoices, urls, random }) => ({
    invoiceRenderer,
    eInvoices,
    invoiceAddresses: createInvoiceAddresses(urls.app, random),
  }),
  jobs({ stores, clock, eInvoices, log }) {
    const job = new CreditRefundsJob({ stores, clock, eInvoices, log });
    return [
      defineJob({ name: "credit-refunded-invoices", everyMilliseconds: CREDIT_MILLISECONDS, run: () => job.run() }),
    ];
  },
  async stop({ invoiceRenderer }) {
    invoiceRenderer.close();
  },
});
