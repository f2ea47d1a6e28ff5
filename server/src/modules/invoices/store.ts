import { type InferResult, sql } from "kysely";
import { formatDecimal } from "../../domain/money.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import { insertEntryOfBooking } from "../trip-record/index.ts";
import { InvoiceDocument } from "./document.ts";
import type { Invoices, Owner, StoredInvoice } from "./invoices.ts";
import { InvoicingSettings } from "./settings.ts";

const DIGITS = 6;
const NAMES = { invoice: "Invoice", receipt: "Receipt", credit_note: "Credit note" } as const;

const columns = [
  "invoiceNumber",
  "kind",
  "bookingId",
  "orderId",
  "totalMicro as total",
  "document",
  "issuedAt",
] as const;

const selectInvoices = (db: Queryable, { tenantId, environment }: Owner) =>
  db
    .selectFrom("bookingInvoice")
    .select(columns)
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment);

type Row = InferResult<ReturnType<typeof selectInvoices>>[number];

/** Joins the caller's transaction when `db` is one. */
export function createInvoices(db: Queryable, clock: Clock): Invoices {
  return { ...createSettings(db, clock), ...createReads(db), ...createWrites(db), ...createFiles(db) };
}

function createSettings(queryable: Queryable, clock: Clock): Pick<Invoices, "settings" | "putSettings"> {
  return {
    async settings({ tenantId, environment }) {
      const row = await queryable
        .selectFrom("invoicingSettings")
        .select("settings")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .executeTakeFirst();
      return row === undefined ? undefined : InvoicingSettings.parse(row.settings);
    },

    async putSettings({ tenantId, environment }, settings, actor) {
      const values = { settings: JSON.stringify(settings), updatedAt: clock.now().toString(), updatedBy: actor };
      const work = async (db: Queryable): Promise<void> => {
        await db
          .insertInto("invoicingSettings")
          .values({ tenantId, environment, ...values })
          .onConflict((conflict) => conflict.columns(["tenantId", "environment"]).doUpdateSet(values))
          .execute();
        const audited = { tenantId, environment, actor, action: "invoicing.write", subjectId: environment };
        await appendAudit(db, { ...audited, details: { settings } }, clock);
      };
      await (queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work));
    },
  };
}

function createReads(
  db: Queryable,
): Pick<Invoices, "issued" | "ofBooking" | "find" | "listOrderIds" | "list" | "listToCredit"> {
  return {
    async issued({ tenantId, environment }, bookingId) {
      // One row without an invoice where there is none.
      const rows = await db
        .selectFrom(sql`(select 1)`.as("one"))
        .leftJoin("invoicingSettings", (join) =>
          join.on("invoicingSettings.tenantId", "=", tenantId).on("invoicingSettings.environment", "=", environment),
        )
        .leftJoin("bookingInvoice", (join) =>
          join
            .on("bookingInvoice.tenantId", "=", tenantId)
            .on("bookingInvoice.environment", "=", environment)
            .on("bookingInvoice.bookingId", "=", bookingId),
        )
        .select(["settings", ...columns])
        .orderBy("kind", "desc")
        .orderBy("issuedAt")
        .orderBy("invoiceNumber")
        .execute();
      const settings = rows[0]?.settings ?? undefined;
      return {
        settings: settings === undefined ? undefined : InvoicingSettings.parse(settings),
        issued: rows.flatMap((row) => {
          const { invoiceNumber, kind, total, document, issuedAt } = row;
          const isThere = invoiceNumber !== null && kind !== null && total !== null && issuedAt !== null;
          return isThere
            ? toInvoice({ bookingId, orderId: row.orderId, invoiceNumber, kind, total, document, issuedAt })
            : [];
        }),
      };
    },

    async ofBooking(owner, bookingId) {
      const rows = await selectInvoices(db, owner)
        .where("bookingId", "=", bookingId)
        .orderBy("kind", "desc")
        .orderBy("issuedAt")
        .orderBy("invoiceNumber")
        .execute();
      return rows.map(toInvoice);
    },

    async find(owner, invoiceNumber) {
      const row = await selectInvoices(db, owner).where("invoiceNumber", "=", invoiceNumber).executeTakeFirst();
      return row === undefined ? undefined : toInvoice(row);
    },

    async listOrderIds({ tenantId, environment }, invoiceNumbers) {
      if (invoiceNumbers.length === 0) return [];
      const rows = await db
        .selectFrom("bookingInvoice")
        .select("orderId")
        .distinct()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("invoiceNumber", "in", invoiceNumbers)
        .execute();
      return rows.flatMap(({ orderId }) => orderId ?? []);
    },

    async list(owner, { limit, after }) {
      const rows = await selectInvoices(db, owner)
        .$if(after !== undefined, (query) =>
          query.where(
            sql<boolean>`(issued_at, invoice_number) < (${after?.issuedAt.toString()}::timestamptz, ${after?.invoiceNumber})`,
          ),
        )
        .orderBy("issuedAt", "desc")
        .orderBy("invoiceNumber", "desc")
        .limit(limit)
        .execute();
      return rows.map(toInvoice);
    },

    async listToCredit({ since, without, limit }) {
      const refunded = sql`(select coalesce(sum((details->>'refundedUsdc')::numeric), 0) * 1000000 from order_event
        where network = i.network and order_id = i.order_id and kind = 'refunded'
          and details->>'reason' is distinct from 'paid_by_escrow'
          and at > (i.document->'settlement'->>'settledAt')::timestamptz)`;
      const credited = sql`(select coalesce(sum(total_micro), 0) from booking_invoice
        where tenant_id = i.tenant_id and network = i.network and booking_id = i.booking_id and kind = 'credit_note')`;
      const added = sql`(select coalesce(sum(total_micro), 0) from booking_invoice
        where tenant_id = i.tenant_id and network = i.network and booking_id = i.booking_id and kind = 'addition')`;
      // Paid changes that no receipt shows yet get one before they are credited.
      const unreceipted = sql`(select coalesce(sum(payment_micro), 0) from servicing_action
        where i.document->>'kind' = 'receipt' and network = i.network and order_id = i.order_id
          and kind = 'flight_change' and state = 'done' and not exists (select from booking_invoice
            where tenant_id = i.tenant_id and network = i.network and booking_id = i.booking_id
              and document->'changes' @> jsonb_build_array(jsonb_build_object('changeId', servicing_action.subject_id))))`;
      const { rows } = await sql<Owner & Pick<StoredInvoice, "bookingId">>`
        select i.tenant_id, i.network, i.booking_id from booking_invoice i
        where i.kind = 'invoice' and not (i.booking_id = any (${without}::text[]))
          and (i.network, i.order_id) in
            (select network, order_id from order_event where kind = 'refunded' and at >= ${since.toString()}::timestamptz)
          and ${credited} < least(${refunded}, i.total_micro + ${added} + ${unreceipted})
        limit ${limit}`.execute(db);
      return rows;
    },
  };
}

function createWrites(db: Queryable): Pick<Invoices, "lockInvoice" | "lockSeries" | "add"> {
  return {
    async lockInvoice(owner, bookingId) {
      const row = await selectInvoices(db, owner)
        .where("bookingId", "=", bookingId)
        .where("kind", "=", "invoice")
        .forUpdate()
        .executeTakeFirst();
      return row === undefined ? undefined : toInvoice(row);
    },

    async lockSeries({ tenantId, environment }, series) {
      const { lastNumber } = await db
        .insertInto("invoiceSeries")
        .values({ tenantId, environment, series })
        // The change of nothing locks a row that is there already.
        .onConflict((conflict) => conflict.columns(["tenantId", "environment", "series"]).doUpdateSet({ series }))
        .returning("lastNumber")
        .executeTakeFirstOrThrow();
      return { series, number: lastNumber + 1 };
    },

    async add(owner, { series, number }, { issuedAt, total, ...invoice }, write) {
      const { tenantId, environment } = owner;
      const invoiceNumber = series + String(number).padStart(DIGITS, "0");
      const document = write(invoiceNumber);
      const { kind, bookingId, orderId = null } = invoice;
      const told = {
        kind: "document" as const,
        key: `document:${invoiceNumber}`,
        userId: undefined,
        at: issuedAt,
        text: `${NAMES[document.kind]} ${invoiceNumber} was issued for ${formatDecimal(total)} USDC.`,
        details: { invoiceNumber, bookingId, totalUsdc: formatDecimal(total) },
      };
      await db
        .with("numbered", (cte) =>
          cte
            .updateTable("invoiceSeries")
            .set({ lastNumber: number })
            .where("tenantId", "=", tenantId)
            .where("environment", "=", environment)
            .where("series", "=", series),
        )
        .with("told", () => sql<object>`(${insertEntryOfBooking({ ...owner, bookingId }, told)})`)
        .insertInto("bookingInvoice")
        .values({
          tenantId,
          environment,
          invoiceNumber,
          series,
          number,
          kind,
          bookingId,
          orderId,
          totalMicro: total,
          document: JSON.stringify(document),
          issuedAt: issuedAt.toString(),
          traceId: currentTraceId(),
        })
        .execute();
      return { ...invoice, invoiceNumber, total, document, issuedAt };
    },
  };
}

function createFiles(
  db: Queryable,
): Pick<Invoices, "keepDrawn" | "findDrawn" | "share" | "findShared" | "revoke" | "revokeAbout"> {
  const updateOne = ({ tenantId, environment }: Owner, invoiceNumber: string) =>
    db
      .updateTable("bookingInvoice")
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("invoiceNumber", "=", invoiceNumber);
  return {
    async keepDrawn(owner, invoiceNumber, { pdf, charactersNotShown }) {
      await updateOne(owner, invoiceNumber)
        .set({ pdf: Buffer.from(pdf), charactersNotShown })
        .where("pdf", "is", null)
        .execute();
    },

    async findDrawn({ tenantId, environment }, invoiceNumber) {
      const row = await db
        .selectFrom("bookingInvoice")
        .select("pdf")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("invoiceNumber", "=", invoiceNumber)
        .executeTakeFirst();
      return row?.pdf ?? undefined;
    },

    async share(owner, invoiceNumber, newToken, drawn) {
      const kept =
        drawn === undefined
          ? {}
          : {
              pdf: sql<Buffer>`coalesce(pdf, ${Buffer.from(drawn.pdf)}::bytea)`,
              charactersNotShown: sql<string>`case when pdf is null then ${drawn.charactersNotShown} else characters_not_shown end`,
            };
      const row = await updateOne(owner, invoiceNumber)
        .set({ fileToken: sql`coalesce(file_token, ${newToken})`, ...kept })
        .where((where) => where.and(drawn === undefined ? [where("pdf", "is not", null)] : []))
        .returning(["fileToken", "charactersNotShown"])
        .executeTakeFirst();
      const { fileToken: token, charactersNotShown } = row ?? {};
      return token == null || charactersNotShown === undefined ? undefined : { token, charactersNotShown };
    },

    async findShared(token) {
      const row = await db
        .selectFrom("bookingInvoice")
        .select(["document", "pdf"])
        .where("fileToken", "=", token)
        .executeTakeFirst();
      if (row?.pdf == null) return undefined;
      return { document: InvoiceDocument.parse(row.document), pdf: row.pdf };
    },

    async revoke(owner, invoiceNumber) {
      const { numUpdatedRows } = await updateOne(owner, invoiceNumber)
        .set({ fileToken: null })
        .where("fileToken", "is not", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async revokeAbout(owner, isNamedIn) {
      const shared = await selectInvoices(db, owner).where("fileToken", "is not", null).execute();
      for (const { invoiceNumber, document } of shared) {
        const { travelers } = InvoiceDocument.parse(document).booking;
        if (isNamedIn(JSON.stringify(travelers))) await this.revoke(owner, invoiceNumber);
      }
    },
  };
}

function toInvoice({ orderId, document, ...row }: Row): StoredInvoice {
  return {
    ...row,
    orderId: orderId ?? undefined,
    document: InvoiceDocument.parse(document),
  };
}
