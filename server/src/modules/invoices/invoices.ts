import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";
import type { InvoiceDocument } from "./document.ts";
import type { InvoicingSettings } from "./settings.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "invoices.invoices": Invoices;
  }
}

export interface Owner {
  tenantId: string;
  environment: Environment;
}

export interface StoredInvoice {
  invoiceNumber: string;
  kind: "invoice" | "credit_note";
  bookingId: Hex;
  orderId: string | undefined;
  total: Micro;
  document: InvoiceDocument;
  issuedAt: Temporal.Instant;
}

export interface DrawnInvoice {
  pdf: Uint8Array;
  /** What no font of ours has; boxes stand in their place. */
  charactersNotShown: string;
}

export interface Invoices {
  settings(owner: Owner): Promise<InvoicingSettings | undefined>;
  putSettings(owner: Owner, settings: InvoicingSettings, actor: string): Promise<void>;
  /** The invoice and its credit notes, oldest first. */
  ofBooking(owner: Owner, bookingId: Hex): Promise<readonly StoredInvoice[]>;
  find(owner: Owner, invoiceNumber: string): Promise<StoredInvoice | undefined>;
  /** Orders that these invoices and credit notes were issued for. */
  orderIdsOf(owner: Owner, invoiceNumbers: readonly string[]): Promise<readonly string[]>;
  /** Newest first. */
  list(owner: Owner, page: { limit: number; after: StoredInvoice | undefined }): Promise<readonly StoredInvoice[]>;
  /** Until the end of the transaction nobody else issues a credit note for the booking. */
  lockInvoice(owner: Owner, bookingId: Hex): Promise<StoredInvoice | undefined>;
  /** Until the end of the transaction nobody else takes a number of the series. */
  lockSeries(owner: Owner, series: string): Promise<void>;
  /** The next number of the series, which the caller has locked, and the document under it. */
  add(
    owner: Owner,
    series: string,
    invoice: Pick<StoredInvoice, "kind" | "bookingId" | "orderId" | "total" | "issuedAt">,
    write: (invoiceNumber: string) => InvoiceDocument,
  ): Promise<StoredInvoice>;
  drawn(owner: Owner, invoiceNumber: string): Promise<DrawnInvoice | undefined>;
  /** The first drawing stays; it is answered. */
  keepDrawn(owner: Owner, invoiceNumber: string, drawn: DrawnInvoice): Promise<DrawnInvoice>;
  /** Bookings whose order was refunded since then by more than their credit notes say. */
  listToCredit(asked: {
    since: Temporal.Instant;
    without: readonly Hex[];
    limit: number;
  }): Promise<readonly (Owner & { bookingId: Hex })[]>;
}
