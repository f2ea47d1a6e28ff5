import { defineJob } from "../../kernel/job.ts";
import { defineModule } from "../../kernel/module.ts";
import { CreditRefundsJob } from "./credit-refunds-job.ts";
import { InvoiceRenderer } from "./drawing/invoice-renderer.ts";
import { EInvoiceRules, findRules } from "./e-invoice/e-invoice-rules.ts";
import type { Rules } from "./e-invoice/judge-invoice.ts";
import * as invoices from "./migrations/0034-invoices.ts";
import { invoiceRoutes } from "./routes.ts";
import { createInvoices } from "./store.ts";
import { generateBookingInvoice } from "./tools/generate-booking-invoice.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    /** One for the process, however many environments ask it. */
    readonly invoiceRenderer: InvoiceRenderer;
    readonly eInvoiceRules: EInvoiceRules;
  }
  interface Settings {
    readonly dataDir: string;
    /** Undefined: the one in the data folder, if there is one. */
    readonly eInvoiceRulesFile: string | undefined;
  }
}

declare module "../../kernel/tool.ts" {
  interface Ports {
    invoiceRenderer: Pick<InvoiceRenderer, "render">;
    eInvoiceRules: Rules;
  }
}

const CREDIT_MILLISECONDS = 60_000;

/** Invoices of bookings that were settled in escrow, and credit notes of what was refunded afterwards. */
export const invoicesModule = defineModule({
  name: "invoices",
  needs: ["identity", "bookings", "orders", "escrow", "files", "memory"],
  tools: [generateBookingInvoice],
  routes: invoiceRoutes,
  stores: ({ db, clock }) => ({ invoices: createInvoices(db, clock) }),
  migrations: { "0034-invoices": invoices },
  parts: {
    invoiceRenderer: () => new InvoiceRenderer(),
    eInvoiceRules: ({ settings }) => new EInvoiceRules(findRules(settings.eInvoiceRulesFile, settings.dataDir)),
  },
  ports: ({ invoiceRenderer, eInvoiceRules }) => ({ invoiceRenderer, eInvoiceRules }),
  /** Rules that cannot be read stop the start, rather than every invoice. */
  start: ({ eInvoiceRules }) => eInvoiceRules.requireRunnable(),
  async facts({ eInvoiceRules }) {
    if (!eInvoiceRules.areInstalled) return [];
    const { missing } = eInvoiceRules;
    if (missing !== undefined) {
      return [{ label: "e-invoices", text: `not checked, and no invoice is issued, until you run: ${missing}` }];
    }
    const { version, sha256 } = (await eInvoiceRules.check()).info;
    return [{ label: "e-invoices", text: `checked by the rules of EN 16931, version ${version}, SHA-256 ${sha256}` }];
  },
  jobs({ stores, clock, eInvoiceRules, log }) {
    const job = new CreditRefundsJob({ stores, clock, eInvoiceRules, log });
    return [
      defineJob({ name: "credit-refunded-invoices", everyMilliseconds: CREDIT_MILLISECONDS, run: () => job.run() }),
    ];
  },
  async stop({ invoiceRenderer, eInvoiceRules }) {
    invoiceRenderer.close();
    eInvoiceRules.close();
  },
});
