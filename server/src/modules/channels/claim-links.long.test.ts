import { randomBytes } from "node:crypto";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import {
  accept,
  code,
  DESK_IN_THE_LIGHT,
  type Look,
  PHONE_IN_THE_DARK,
  until,
  wallet,
} from "../../../test/support/claim-page.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { COLLEAGUE, direct, playSlack } from "../../../test/support/slack-play.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { APPROVER, GUEST, GUEST_PHONE, playWhatsApp, type WhatsAppPlay } from "../../../test/support/whatsapp-play.ts";

/** A guest opens the link in a browser, from the chat in the simulator's page, and the run that waits goes on. */
let service: TestService;
let chromium: TestBrowser;
let whatsapp: WhatsAppPlay;
let desk: ApprovalDesk;
let mail: MailServer;
let logged = "";
beforeAll(async () => {
  mail = await startMailServer();
  service = await startTestService(
    {
      LOG_LEVEL: "debug",
      CLAIMS_PER_MINUTE: "100000",
      SMTP_URL: mail.url,
      MAIL_FROM: "Wayfare <trips@wayfare.example>",
    },
    { logTo: { write: (line: string) => (logged += line) } },
  );
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  whatsapp = await playWhatsApp(service, desk);
  chromium = await startBrowser();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await mail?.[Symbol.asyncDispose]();
});

async function prefund(args: object = {}) {
  const answer = await service.call("prefund_trip", { budgetUsdc: "900", require2fa: true, buyerName: "Bob", ...args });
  const { tripId, guestLink, claimCode } = requireResult(answer);
  return { tripId: String(tripId), link: String(guestLink), code: String(claimCode) };
}
const sendLink = async (tripId: string, channel: string, recipient: string) =>
  requireResult(await service.call("send_claim_link", { tripId, channel, recipient }));

/** The link is in one of them, the code in a later one, and never both in one. */
function expectTwo(texts: readonly string[], { link, code }: { link: string; code: string }): void {
  const withLink = texts.flatMap((text, index) => (text.includes(link) ? [index] : []));
  const withCode = texts.flatMap((text, index) => (text.includes(code) ? [index] : []));
  expect([withLink.length, withCode.length]).toEqual([1, 1]);
  expect(withLink[0]).toBeLessThan(withCode[0] ?? -1);
}

async function startRun(tripId: string) {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  // Every test flies at the same time.
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate, acceptOverlap: true };
  const answer = await service.send("/api/workflows/run", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${service.internalToken}` },
    body: JSON.stringify({ workflowId: "service.book_flight", tenantId: service.tenantId, input }),
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const readRun = async ({ runId }: Record<string, unknown>) =>
  (
    await service.send(`/api/workflows/runs/${String(runId)}`, {
      headers: { authorization: `Bearer ${service.internalToken}` },
    })
  ).body;

async function openChat(look: Look) {
  const { page, errors } = await chromium.watch(new URL(whatsapp.playUrl).origin);
  await page.setViewportSize(look);
  await page.emulateMedia({ colorScheme: look.scheme });
  await page.goto(whatsapp.playUrl);
  const tab = page.getByRole("navigation").getByRole("button", { name: "A guest" });
  if (await tab.isVisible()) await tab.click();
  return { page, errors, chat: page.getByRole("list", { name: "Messages: A guest" }) };
}

describe("a claim link on WhatsApp", () => {
  it.each([
    ["a phone in the dark", PHONE_IN_THE_DARK],
    ["a desk in the light", DESK_IN_THE_LIGHT],
  ] as const)("opened on %s, lets the run that waits for the guest go on", async (_name, look) => {
    const trip = await prefund();
    const { link, code: claimCode } = trip;
    const run = await startRun(trip.tripId);
    expect(run).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    expect(await sendLink(trip.tripId, "whatsapp", GUEST_PHONE)).toMatchObject({ channel: "whatsapp" });
    await expect
      .poll(() => sendLink(trip.tripId, "whatsapp", GUEST_PHONE))
      .toMatchObject({ link: expect.stringMatching(/delivered|read/), code: expect.stringMatching(/delivered|read/) });

    const { page, errors, chat } = await openChat(look);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    const texts = await chat.getByRole("listitem").allInnerTexts();
    expectTwo(texts, trip);
    const shown = (await whatsapp.list(GUEST)).find(({ text }) => text.includes(claimCode))?.text ?? "";
    const digits = /\b\d{6}\b/.exec(shown)?.[0] ?? "";

    const opened = page.waitForEvent("popup");
    await chat.getByRole("link", { name: link }).click();
    const claim = await opened;
    await until(claim, "A trip for you, from Bob");
    await wallet(claim).fill(getAddress(`0x${randomBytes(20).toString("hex")}`));
    await code(claim).fill(digits);
    await accept(claim).click();
    await until(claim, "The trip is yours");
    await expect.poll(() => readRun(run), { timeout: 60_000 }).toMatchObject({ status: "completed" });
    // The chat shows that it was read.
    await expect
      .poll(async () => (await whatsapp.list(GUEST)).filter(({ isOwn }) => !isOwn).map(({ status }) => status))
      .not.toContain("delivered");
    expect(errors).toEqual([]);
    // Neither secret is in the log or, in clear, in the database.
    const secret = new URL(link).hash.slice(1);
    expect(logged).not.toContain(secret);
    const rows = await service.sql("select row_to_json(one)::text as row from channel_message one");
    expect(rows.map(({ row }) => row).join()).not.toContain(secret);
    await page.close();
  });

  it("goes by template to somebody who never wrote; the code's template could not hold it", async () => {
    const trip = await prefund();
    await sendLink(trip.tripId, "whatsapp", "+1 (202) 555-0102");
    await whatsapp.see(APPROVER, trip.link);
    const code = await whatsapp.see(APPROVER, trip.code);
    const texts = await whatsapp.list(APPROVER);
    expectTwo(
      texts.map(({ text }) => text),
      trip,
    );
    expect(code.type).toBe("wayfare_code");
    expect(texts.find(({ text }) => text.includes(trip.link))?.type).toBe("wayfare_claim_link");
    // A second call sends nothing again.
    await sendLink(trip.tripId, "whatsapp", "12025550102");
    const rows = await service.sql("select 1 from channel_message where about = $1", [trip.tripId]);
    expect(rows).toHaveLength(2);
  });

  it("that reaches nobody is known as failed, and its code is not sent", async () => {
    const trip = await prefund();
    await sendLink(trip.tripId, "whatsapp", "+12025550199");
    const states = () =>
      service.sql("select kind, state from channel_message where about = $1 order by position", [trip.tripId]);
    await expect.poll(states, { timeout: 30_000 }).toEqual([
      { kind: "claim_link", state: "failed" },
      { kind: "claim_code", state: "failed" },
    ]);
    const answer = await service.send(`/api/channels/whatsapp/records?tripId=${trip.tripId}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(answer.body.records).toMatchObject([
      { direction: "out", what: "claim_code", state: "failed", tripId: trip.tripId, canResend: true },
      { direction: "out", what: "claim_link", state: "failed", tripId: trip.tripId, canResend: true },
    ]);
  });
});

describe("a claim link elsewhere", () => {
  it("goes to a member in Slack as two messages", async () => {
    const slack = await playSlack(service, desk);
    const trip = await prefund();
    await sendLink(trip.tripId, "slack", COLLEAGUE);
    await slack.see(direct(COLLEAGUE), trip.code);
    expectTwo(
      (await slack.list(direct(COLLEAGUE))).map(({ text }) => text),
      trip,
    );
  });

  it("goes by email as two mails", async () => {
    mail.received.length = 0;
    const trip = await prefund();
    const sent = await sendLink(trip.tripId, "email", "guest@example.com");
    expect(sent).toMatchObject({ link: "sent", code: "sent" });
    const texts = mail.received.map(({ parsed }) => `${parsed.subject} ${parsed.text} ${String(parsed.html)}`);
    expect(texts).toHaveLength(2);
    expectTwo(texts, trip);
    expect(await sendLink(trip.tripId, "email", "guest@example.com")).toMatchObject({ link: "sent", code: "sent" });
    expect(mail.received).toHaveLength(2);
  });

  it("is refused for a claimed trip, and where nobody can be reached", async () => {
    const trip = await prefund({ require2fa: false });
    const send = (args: object) => service.call("send_claim_link", { tripId: trip.tripId, ...args });
    for (const args of [
      { channel: "whatsapp", recipient: "guest@example.com" },
      { channel: "email", recipient: "+12025550104" },
      { channel: "slack", recipient: "#general" },
    ]) {
      expect((await send(args)).body.code).toBe("invalid_input");
    }
    expect(await sendLink(trip.tripId, "email", "guest@example.com")).toMatchObject({ link: "sent", code: null });
    const guestWallet = getAddress(`0x${randomBytes(20).toString("hex")}`);
    requireResult(await service.call("guest_claim_link", { guestLink: trip.link, guestWallet }));
    expect((await send({ channel: "email", recipient: "guest@example.com" })).body.code).toBe("claim_closed");
  });

  it("goes to five recipients at most", async () => {
    const trip = await prefund({ require2fa: false });
    const sent: unknown[] = [];
    for (let index = 0; index < 6; index += 1)
      sent.push((await sendLink(trip.tripId, "whatsapp", `+120255501${10 + index}`)).link);
    expect(sent.slice(0, 5)).not.toContain("not_sent");
    expect(sent[5]).toBe("not_sent");
  });
});
