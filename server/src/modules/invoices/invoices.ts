import type { Micro } from "../../domain/money.ts";
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
  /** addition: a further receipt, for payments after the first one. */
  kind: "invoice" | "addition" | "credit_note";
  bookingId: string;
  orderId: string | undefined;
  total: Micro;
  document: InvoiceDocument;
  issuedAt: Temporal.Instant;
}

/** The next number of a locked series. */
interface SeriesPlace {
  series: string;
  number: number;
}

export interface DrawnInvoice {
  pdf: Uint8Array;
  /** Characters missing from our fonts, shown as boxes. */
  charactersNotShown: string;
}

export interface Invoices {
  settings(owner: Owner): Promise<InvoicingSettings | undefined>;
  /** The same with the booking's documents, as `ofBooking` gives them. */
  issued(
    owner: Owner,
    bookingId: string,
  ): Promise<{ settings: InvoicingSettings | undefined; issued: readonly StoredInvoice[] }>;
  putSettings(owner: Owner, settings: InvoicingSettings, actor: string): Promise<void>;
  /** The invoice or first receipt, its credit notes and its further receipts; each kind oldest first. */
  ofBooking(owner: Owner, bookingId: string): Promise<readonly StoredInvoice[]>;
  find(owner: Owner, invoiceNumber: string): Promise<StoredInvoice | undefined>;
  /** The orders of these invoices and credit notes. */
  listOrderIds(owner: Owner, invoiceNumbers: readonly string[]): Promise<readonly string[]>;
  /** Newest first. */
  list(owner: Owner, page: { limit: number; after: StoredInvoice | undefined }): Promise<readonly StoredInvoice[]>;
  /** Locks the booking's credit notes until the end of the transaction. */
  lockInvoice(owner: Owner, bookingId: string): Promise<StoredInvoice | undefined>;
  /** Locks the numbers of the series until the end of the transaction, and returns the next one. */
  lockSeries(owner: Owner, series: string): Promise<SeriesPlace>;
  /** Adds the document under the next number of the series, which the caller has locked. */
  add(
    owner: Owner,
    place: SeriesPlace,
    invoice: Pick<StoredInvoice, "kind" | "bookingId" | "orderId" | "total" | "issuedAt">,
    write: (invoiceNumber: string) => InvoiceDocument,
  ): Promise<StoredInvoice>;
  /** Keeps the first drawing. */
  keepDrawn(owner: Owner, invoiceNumber: string, drawn: DrawnInvoice): Promise<void>;
  /** Undefined: there is no PDF yet. */
  findDrawn(owner: Owner, invoiceNumber: string): Promise<Uint8Array | undefined>;
  /**
   * Opens the files to whoever has the token: the one that was given before, else `newToken`. `drawn` is kept if it is the
   * first drawing. Undefined: there is no PDF yet.
   */
  share(
    owner: Owner,
    invoiceNumber: string,
    newToken: string,
    drawn?: DrawnInvoice,
  ): Promise<{ token: string; charactersNotShown: string } | undefined>;
  /** Independent of the owner: the token is the permission. */
  findShared(token: string): Promise<{ document: InvoiceDocument; pdf: Uint8Array } | undefined>;
  /** False: the files were not shared. */
  revoke(owner: Owner, invoiceNumber: string): Promise<boolean>;
  /** Revokes the files of invoices whose travelers `isNamedIn` accepts. The invoices stay. */
  revokeAbout(owner: Owner, isNamedIn: (text: string) => boolean): Promise<void>;
  /** Bookings whose order has since been refunded by more than their credit notes cover. */
  listToCredit(asked: {
    since: Temporal.Instant;
    without: readonly string[];
    limit: number;
  }): Promise<readonly (Owner & { bookingId: string })[]>;
}

export const RECEIPT_SERIES = "REC-";
/** Replaces the number while the future invoice is judged. */
export const DRAFT_NUMBER = "000000";

/** Distinguishes the sandbox's numbers from real ones. */
export const seriesName = ({ environment }: Owner, series: string): string =>
  environment === "sandbox" ? `SANDBOX-${series}` : series;
