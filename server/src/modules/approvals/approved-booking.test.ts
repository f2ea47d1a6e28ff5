import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openAgent } from "../../../test/support/agent.ts";
import { ApprovalDesk, day, type TestPerson } from "../../../test/support/approval-desk.ts";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import { openLink, PHONE_IN_THE_DARK, until } from "../../../test/support/claim-page.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

/** A flight over the limit, from the refusal of its booking to its invoice, over every surface for agents. */

let service: TestService;
let agent: Awaited<ReturnType<typeof openAgent>>;
let desk: ApprovalDesk;
let approver: TestPerson;
let chromium: TestBrowser;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  [agent, chromium, approver] = await Promise.all([
    openAgent(service),
    startBrowser(),
    desk.newPerson("Grace", "approver"),
  ]);
  // Flights over a dollar need approval; payments by the escrow do not.
  await desk.enforce({}, { payments: undefined });
});
afterAll(async () => {
  await agent?.close();
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

type Said = Readonly<Record<string, unknown>>;
type Call = (tool: string, args: Record<string, unknown>) => Promise<Said>;
const byHttp: Call = async (tool, args) => {
  const { body } = await service.call(tool, args);
  return body.ok === true ? z.record(z.string(), z.unknown()).parse(body.result) : body;
};
const byMcp: Call = async (tool, args) => (await agent.call(tool, args)).said;

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })).min(1) });
const Booked = z.object({ orderId: z.string(), pnr: z.string(), totalAmount: z.string(), itineraryHash: z.string() });
const Trip = z.object({ tripId: z.string() });
const Booking = z.object({ bookingId: z.string() });
const Invoice = z.object({ invoiceNumber: z.string(), pdfUrl: z.string(), jsonUrl: z.string(), totalUsdc: z.string() });
const Lines = z.looseObject({ lines: z.array(z.looseObject({ kind: z.string() })) });

it.each([
  ["HTTP", byHttp, 120],
  ["the official MCP client", byMcp, 121],
] as const)(
  "over %s it is refused, approved on a phone, booked once, settled and invoiced",
  async (name, call, days) => {
    const search = { origin: "LHR", destination: "JFK", departureDate: day(days) };
    const { offers } = Offers.parse(await call("search_flights", search));
    const book = () => call("book_flight", { offerId: offers[0]?.id });
    const refused = await book();
    expect(refused).toMatchObject({ code: "approval_required", approvalId: expect.stringMatching(/^apr_/) });

    const { page, errors } = await openLink(
      chromium,
      await desk.findLink(refused.approvalId, approver),
      PHONE_IN_THE_DARK,
    );
    await until(page, "Your approval is needed");
    await page.getByRole("button", { name: "Approve" }).click();
    await until(page, "Approved");
    expect(errors).toEqual([]);

    const answers = await Promise.all([book(), book(), book()]);
    const done = answers.filter((answer) => "orderId" in answer);
    expect(new Set(done.map(({ orderId }) => orderId)).size, JSON.stringify(answers)).toBeLessThanOrEqual(1);
    const booked = Booked.parse(await book());
    const orders = await service.sql("select order_id from booking where tenant_id = $1 and offer_id = $2", [
      ...[service.tenantId, offers[0]?.id],
    ]);
    expect(orders).toEqual([{ order_id: booked.orderId }]);
    expect((await desk.ask(`/api/approvals/${String(refused.approvalId)}`)).body.state).toBe("used");

    const { pdfUrl, jsonUrl, totalUsdc, invoiceNumber } = await settleAndInvoice(call, booked);
    expect(Number(totalUsdc)).toBe(Number(booked.totalAmount));
    const text = await (await fetch(jsonUrl)).text();
    for (const said of [booked.pnr, invoiceNumber, "Tess"]) expect(text).toContain(said);
    expect(Lines.parse(JSON.parse(text)).lines.length).toBeGreaterThan(0);
    const pdf = Buffer.from(await (await fetch(pdfUrl)).arrayBuffer());
    expect(pdf.toString("latin1")).toContain("<pdfaid:part>3</pdfaid:part>");
    expect(pdf.toString("latin1").match(/\/Type \/Page\b/g), name).toHaveLength(1);
  },
);

/** The escrow pays the order of the booking, and the booking is invoiced. */
async function settleAndInvoice(call: Call, { itineraryHash, totalAmount }: z.output<typeof Booked>) {
  const [wallet] = await service.sql(
    "select address from wallet join chain_network using (network, chain) where kind = 'collection' and network = 'sandbox' and is_home",
  );
  const vendor = {
    vendorAmountUsdc: totalAmount,
    vendorAddress: z.object({ address: z.string() }).parse(wallet).address,
  };
  const { tripId } = Trip.parse(await call("prefund_trip", { budgetUsdc: "5000" }));
  const reserved = await call("reserve_booking", { tripId, upperBoundUsdc: totalAmount });
  const { bookingId } = Booking.parse(reserved);
  Booking.parse(await call("commit_booking", { bookingId, itineraryHash, ...vendor }));
  Booking.parse(await call("confirm_flight", { bookingId, ticketOrderHash: itineraryHash }));
  const settled = await call("settle_booking", { bookingId });
  expect(settled).toMatchObject({ state: "settled", txHash: expect.stringMatching(/^0x/) });
  return Invoice.parse(await call("generate_booking_invoice", { bookingId, settleTxHash: settled.txHash }));
}
