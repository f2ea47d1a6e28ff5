import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { ApprovalDesk } from "../../../../test/support/approval-desk.ts";
import { startBrowser, type TestBrowser } from "../../../../test/support/browser.ts";
import { type MailPlay, playMail, TESS } from "../../../../test/support/mail-play.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { requireResult } from "../../../../test/support/treasury.ts";
import { DEMO_TRAVELER_ID } from "../../../domain/user-ids.ts";

/** A person reads a notice in a mailbox of the simulator's page, ends its kind, replies, and the conversation answers there. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let service: TestService;
let chromium: TestBrowser;
let mail: MailPlay;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
  const desk = new ApprovalDesk(service);
  mail = await playMail(service, desk);
  await mail.link(TESS, service.apiKey, DEMO_TRAVELER_ID);
  const preferences = { channels: ["email"], timeZone: "UTC", quietHours: null, muted: [] };
  await desk.ask(`/api/notice-preferences/${DEMO_TRAVELER_ID}`, preferences, service.apiKey, "POST");
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

it("is told of the tickets, asks about them by mail, and is answered in the same mailbox", async () => {
  const { page, errors } = await chromium.watch(new URL(mail.playUrl).origin);
  await page.goto(mail.playUrl);
  const mails = page.getByRole("list", { name: `Messages: ${TESS}` });
  await mails.getByText("You are linked").first().waitFor();

  // A real flight, whose tickets the sandbox issues at once.
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 40 }).toString();
  const search = { origin: "LHR", destination: "JFK", departureDate };
  const { offers } = requireResult(await service.call("search_flights", search));
  const [offer] = Array.isArray(offers) ? offers : [];
  const booked = requireResult(await service.call("book_flight", { offerId: offer.id }));
  await mails.getByText(String(booked.orderId)).first().waitFor({ timeout: 60_000 });
  await mails.getByText("Your tickets were issued").first().waitFor();

  await page.getByLabel(`Write in ${TESS}`).fill("What can you do for me?");
  await page.getByLabel(`Write in ${TESS}`).press("Enter");
  await mails.getByText("Please reply above this line").nth(1).waitFor({ timeout: 60_000 });

  const link = await mails
    .getByRole("link", { name: /unsubscribe#/ })
    .first()
    .getAttribute("href");
  const other = await chromium.watch(service.appUrl);
  await other.page.goto(link ?? "");
  await other.page.getByRole("button", { name: "End these mails" }).click();
  await other.page.getByRole("heading", { name: "Done" }).waitFor();
  const rows = await service.sql("select muted from notice_preference where user_id = $1", [DEMO_TRAVELER_ID]);
  expect(rows).toEqual([{ muted: ["order.ticketed"] }]);
  expect([...errors, ...other.errors]).toEqual([]);
});
