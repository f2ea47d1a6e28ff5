import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { inDays } from "../../../test/support/agent.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let server: MailServer;
let service: TestService;
beforeAll(async () => {
  server = await startMailServer();
  service = await startTestService({ SMTP_URL: server.url, MAIL_FROM: "trips@wayfare.example" });
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const Order = z.looseObject({ orderId: z.string(), pnr: z.string().nullish(), reference: z.string().nullish() });
const Sent = z.looseObject({
  pdfUrl: z.string(),
  icsUrl: z.string(),
  mails: z.array(z.object({ userId: z.string(), sent: z.boolean(), reason: z.string() })),
});

async function bookFlight() {
  const journey = { origin: "LHR", destination: "JFK", departureDate: inDays(60), returnDate: inDays(70) };
  const Offers = z.object({ offers: z.array(z.object({ id: z.string() })) });
  const { offers } = Offers.parse(requireResult(await service.call("search_flights", journey)));
  const order = Order.parse(requireResult(await service.call("book_flight", { offerId: offers[0]?.id })));
  const read = async () => requireResult(await service.call("read_order", { orderId: order.orderId })).ticketing;
  await expect.poll(read, { timeout: 30_000 }).toBe("ticketed");
  return order;
}

const send = async (args: object) => Sent.parse(requireResult(await service.call("send_itinerary", args)));
/** Long lines of a calendar are folded. */
const unfold = (text: string) => text.replaceAll("\r\n ", "");

it("mails a flight's itinerary once, as PDF and calendar, in the traveler's language, and again after a change", async () => {
  requireResult(await service.call("save_traveler", { preferredLanguage: "de" }));
  const { orderId, pnr } = await bookFlight();
  const plan = requireResult(await service.call("preview_call", { tool: "send_itinerary", args: { orderId } }));
  expect(JSON.stringify(plan)).toContain("the email to the travelers of the order");
  const [first, again] = await Promise.all([send({ orderId }), send({ orderId })]);
  expect([first, again].map(({ mails }) => mails.length)).toEqual([1, 1]);
  await expect.poll(() => server.received.length).toBe(1);
  const [mail] = server.received;
  expect(mail?.parsed.subject).toBe("Ihr Reiseplan: LHR – JFK – LHR");
  const [pdf, calendar] = mail?.parsed.attachments ?? [];
  expect([pdf?.filename, pdf?.mimeType, calendar?.filename]).toEqual([
    "itinerary.pdf",
    "application/pdf",
    "itinerary.ics",
  ]);
  expect(Buffer.from(z.instanceof(ArrayBuffer).parse(pdf?.content)).subarray(0, 8).toString()).toBe("%PDF-1.7");

  const ics = unfold(await (await fetch(first.icsUrl)).text());
  expect(ics.match(/BEGIN:VEVENT/g)).toHaveLength(2);
  expect(ics).toContain(`Booking reference: ${pnr}`);
  const file = await fetch(first.pdfUrl);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "application/pdf"]);

  expect((await send({ orderId })).mails).toMatchObject([
    { sent: true, reason: expect.stringContaining("already emailed") },
  ]);
  expect((await send({ orderId, mail: false })).mails).toEqual([]);
  const change =
    "update booking set order_slices = jsonb_set(coalesce(order_slices, result->'slices'), '{0,segments,0,departingAt}', $2) where order_id = $1";
  await service.sql(change, [orderId, JSON.stringify(`${inDays(60)}T03:04:00`)]);
  expect((await send({ orderId })).mails).toMatchObject([
    { sent: true, reason: expect.stringContaining("accepted it") },
  ]);
  expect(server.received).toHaveLength(2);
});

it("says where a stay is", async () => {
  const ask = async (tool: string, args: object) => requireResult(await service.call(tool, args));
  const Hotels = z.object({ accommodations: z.array(z.object({ rates: z.array(z.object({ id: z.string() })) })) });
  const nights = { checkInDate: inDays(60), checkOutDate: inDays(62), guests: 1 };
  const { accommodations } = Hotels.parse(await ask("search_hotels", { location: "Paris", ...nights }));
  const quote = await ask("quote_stay", { rateId: accommodations[0]?.rates[0]?.id });
  const { address } = z.object({ accommodation: z.object({ address: z.string() }) }).parse(quote).accommodation;
  const guests = [{ givenName: "Tess", familyName: "Traveler" }];
  const booked = await ask("book_stay", { quoteId: quote.id, email: "tess@example.com", guests });
  expect(booked).toMatchObject({ accommodationAddress: address });
  const { orderId } = Order.parse(booked);
  expect(await ask("read_order", { orderId })).toMatchObject({ stay: { accommodationAddress: address } });
  const { icsUrl } = await send({ orderId });
  const ics = unfold(await (await fetch(icsUrl)).text()).replaceAll("\\,", ",");
  expect(ics).toContain(`, ${address}`);
});
