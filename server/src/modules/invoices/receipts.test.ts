import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { micro, openServicing, type Servicing } from "../../../test/support/servicing-service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";
import { InvoiceDocument } from "./document.ts";

/** Receipts of orders that the wallet paid for, without escrow. */

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const readDocument = async (url: unknown) => InvoiceDocument.parse(await (await fetch(String(url))).json());
/** The wallet's payment is confirmed by a block soon after the booking. */
async function receipt(bookingId: unknown) {
  await expect
    .poll(async () => (await world.service.call("generate_booking_invoice", { bookingId })).status, { timeout: 30_000 })
    .toBe(200);
  return await world.result("generate_booking_invoice", { bookingId });
}

it("says what was bought, when it was paid and by which transaction, once per order", async () => {
  const [offer] = await world.search();
  const booked = await world.result("book_flight", { offerId: offer?.id });
  const given = await receipt(booked.bookingId);
  expect(given).toMatchObject({
    invoiceNumber: expect.stringMatching(/^SANDBOX-REC-\d{6}$/),
    bookingId: booked.bookingId,
    orderId: booked.orderId,
    totalUsdc: booked.chargedUsdc,
    total: booked.totalAmount,
    currency: booked.totalCurrency,
    creditNotes: [],
    eInvoice: { available: false },
  });
  expect(await receipt(booked.orderId)).toEqual(given);
  const document = await readDocument(given.jsonUrl);
  const charge = await world.result("read_transaction", { transferId: booked.chargeTransferId });
  expect([given.settleTxHash, document.settlement.txHash]).toEqual([charge.txHash, charge.txHash]);
  expect(document).toMatchObject({
    kind: "receipt",
    booking: { bookingId: booked.bookingId, orderId: booked.orderId, pnr: booked.pnr, tripId: null },
    tax: { treatment: "none", includedAmount: null },
  });
  expect(document.booking.travelers).toHaveLength(1);
  expect(document.booking.journey.length).toBeGreaterThan(0);
  const sum = document.lines.reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0);
  expect(sum).toBe(Math.round(Number(booked.totalAmount) * 100));
  const pdf = await (await fetch(String(given.pdfUrl))).bytes();
  expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe("%PDF-");
});

it("credits a refund of the order on a note that names the receipt", async () => {
  const booked = await world.bookFlexible();
  const given = await receipt(booked.orderId);
  const { cancellationId } = await world.result("cancel_order_quote", { orderId: booked.orderId });
  const cancelled = await world.result("confirm_cancel_order", { cancellationId });
  const { creditNotes, ...again } = await receipt(booked.bookingId);
  expect(again.invoiceNumber).toBe(given.invoiceNumber);
  expect(creditNotes).toMatchObject([{ totalUsdc: cancelled.refundedUsdc }]);
  const [note] = creditNotes as readonly { jsonUrl: string }[];
  expect(await readDocument(note?.jsonUrl)).toMatchObject({
    kind: "credit_note",
    corrects: { number: given.invoiceNumber, kind: "receipt" },
  });
});

const Files = z.object({ invoiceNumber: z.string(), totalUsdc: z.string(), jsonUrl: z.string() });
const Receipts = Files.extend({
  settleTxHash: z.string(),
  furtherReceipts: z.array(Files),
  creditNotes: z.array(Files),
});
const sumUsdc = (documents: readonly { totalUsdc: string }[]) =>
  documents.reduce((sum, { totalUsdc }) => sum + micro(totalUsdc), 0n);

async function paidChange(order: Awaited<ReturnType<Servicing["bookFlexible"]>>) {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { changeId, due } = await world.selectChange(order);
    if (micro(due.amount) === 0n) continue;
    return await world.result("confirm_order_change", { changeId, payment: { type: "balance", ...due } });
  }
  throw new Error("no change costs anything");
}

it("shows each payment of an order that was changed before its receipt was issued", async () => {
  const booked = await world.bookFlexible();
  const changed = await paidChange(booked);
  const paid = micro(String(booked.totalAmount)) + micro(String(changed.chargedUsdc));
  const given = Receipts.parse(await receipt(booked.orderId));
  const document = await readDocument(given.jsonUrl);
  expect([sumUsdc([given]), sumUsdc(document.changes)]).toEqual([paid, micro(String(changed.chargedUsdc))]);
  expect(document.lines).toContainEqual(expect.objectContaining({ kind: "change", exactUsdc: changed.chargedUsdc }));
  const charge = await world.result("read_transaction", { transferId: changed.chargeTransferId });
  expect(document.changes).toMatchObject([{ changeId: changed.changeId, txHash: charge.txHash }]);
  expect(given.furtherReceipts).toEqual([]);
});

it("has a further one for a change that is paid later, and both are credited with all that comes back", async () => {
  const booked = await world.bookFlexible();
  const before = Receipts.parse(await receipt(booked.orderId));
  expect(before.furtherReceipts).toEqual([]);
  const changed = await paidChange(booked);
  const asked = await Promise.all([receipt(booked.orderId), receipt(booked.bookingId)]);
  const [after, again] = asked.map((one) => Receipts.parse(one));
  expect(again).toEqual(after);
  expect(after).toMatchObject({ invoiceNumber: before.invoiceNumber, totalUsdc: before.totalUsdc });
  expect(after?.furtherReceipts).toMatchObject([{ totalUsdc: changed.chargedUsdc }]);
  const further = await readDocument(after?.furtherReceipts[0]?.jsonUrl);
  const charge = await world.result("read_transaction", { transferId: changed.chargeTransferId });
  expect(further).toMatchObject({
    kind: "receipt",
    lines: [{ kind: "change", exactUsdc: changed.chargedUsdc }],
    settlement: { txHash: charge.txHash },
  });
  const { cancellationId } = await world.result("cancel_order_quote", { orderId: booked.orderId });
  const { refundedUsdc } = await world.result("confirm_cancel_order", { cancellationId });
  const { creditNotes } = Receipts.parse(await receipt(booked.orderId));
  expect(sumUsdc(creditNotes)).toBe(micro(String(refundedUsdc)));
  expect(micro(String(refundedUsdc))).toBeGreaterThan(micro(before.totalUsdc));
  const corrected = await Promise.all(creditNotes.map(async ({ jsonUrl }) => (await readDocument(jsonUrl)).corrects));
  expect(corrected.map((one) => one?.number)).toEqual([before.invoiceNumber, further.number]);
});

it("has none for an order that is held unpaid, or is another tenant's", async () => {
  const held = (await world.search()).map(({ id }) => id);
  const { as } = await newFundedTenant(world.service, "Receipts");
  for (const offerId of held) {
    const answer = await world.service.call("hold_flight", { offerId });
    if (answer.status !== 200) continue;
    const { orderId } = requireResult(answer);
    const asked = async (options = {}) =>
      (await world.service.call("generate_booking_invoice", { bookingId: orderId }, options)).body;
    expect(await asked()).toMatchObject({ code: "booking_not_settled", detail: expect.stringContaining("unpaid") });
    expect(await asked(as)).toMatchObject({ code: "booking_not_found" });
    return;
  }
  throw new Error("no offer can be held");
});
