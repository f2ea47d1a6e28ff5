import { defineJob } from "../../kernel/job.ts";
import { defineModule } from "../../kernel/module.ts";
import { InvoiceRenderer } from "./drawing/invoice-renderer.ts";
import { creditRefunds } from "./issue-invoice.ts";
import * as invoices from "./migrations/0034-invoices.ts";
import { invoiceRoutes } from "./routes.ts";
import { createInvoices } from "./store.ts";
import { generateBookingInvoice } from "./tools/generate-booking-invoice.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    /** One for the process, however many environments ask it. */
    readonly invoiceRenderer: InvoiceRenderer;
  }
}

declare module "../../kernel/tool.ts" {
  interface Ports {
    invoiceRenderer: Pick<InvoiceRenderer, "render">;
  }
}

const CREDIT_MILLISECONDS = 60_000;
const MOST_AT_ONCE = 100;
/** A refund is credited within a minute; this far back nothing was missed because the service stood still. */
const LOOK_BACK = Temporal.Duration.from({ hours: 60 * 24 });

/** Invoices of bookings that were settled in escrow, and credit notes of what was refunded afterwards. */
export const invoicesModule = defineModule({
  name: "invoices",
  needs: ["identity", "bookings", "orders", "escrow", "files", "memory"],
  tools: [generateBookingInvoice],
  routes: invoiceRoutes,
  stores: ({ db, clock }) => ({ invoices: createInvoices(db, clock) }),
  migrations: { "0034-invoices": invoices },
  parts: { invoiceRenderer: () => new InvoiceRenderer() },
  ports: ({ invoiceRenderer }) => ({ invoiceRenderer }),
  jobs: ({ stores, clock }) => [
    defineJob({
      name: "credit-refunded-invoices",
      everyMilliseconds: CREDIT_MILLISECONDS,
      async run() {
        const due = await stores.invoices.listToCredit(clock.now().subtract(LOOK_BACK), MOST_AT_ONCE);
        for (const { bookingId, ...owner } of due) await creditRefunds({ stores, clock }, owner, bookingId);
      },
    }),
  ],
  stop: async ({ invoiceRenderer }) => invoiceRenderer.close(),
});
