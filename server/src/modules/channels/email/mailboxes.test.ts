import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApprovalDesk } from "../../../../test/support/approval-desk.ts";
import { type MailPlay, playMail, TESS } from "../../../../test/support/mail-play.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult } from "../../../../test/support/treasury.ts";
import { DEMO_TRAVELER_ID } from "../../../domain/user-ids.ts";

/** Mail in the sandbox: mailboxes of the simulator, notices in them, and answers behind their links. */

vi.setConfig({ testTimeout: 60_000 });

let service: TestService;
let desk: ApprovalDesk;
let mail: MailPlay;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  mail = await playMail(service, desk);
  await mail.link(TESS, service.apiKey, DEMO_TRAVELER_ID);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const PREFERENCES = `/api/notice-preferences/${DEMO_TRAVELER_ID}`;
const everyHour = { channels: ["email"], timeZone: "Europe/Berlin", quietHours: null, muted: [] };
const prefer = (preferences: object) => desk.ask(PREFERENCES, { ...everyHour, ...preferences }, service.apiKey, "POST");

/** As the triggers of bookings tell it. */
let orders = 0;
async function tell(type: string) {
  orders += 1;
  const orderId = `ord_notice${orders}${service.tenantId.slice(-8)}`;
  await service.sql(
    `insert into booking (id, tenant_id, network, user_id, call_id, kind, offer_id, state, amount_micro, total_amount,
       total_currency, order_id, created_at, updated_at, failure_code)
     values ($1, $2, 'sandbox', $3, $1, 'flight', 'off_x', 'failed', 0, '0', 'USD', $4, now(), now(), 'test')`,
    [`bok_${orderId}`, service.tenantId, DEMO_TRAVELER_ID, orderId],
  );
  const again = () =>
    service.sql("select tell_tenant($1, 'sandbox', $2, $3, jsonb_build_object('orderId', $3::text), null, $3)", [
      service.tenantId,
      type,
      orderId,
    ]);
  await again();
  return { orderId, again };
}
const notices = (orderId: string) =>
  service.sql(
    "select state, channel, reason from notice where tenant_id = $1 and data->>'orderId' = $2 and kind <> 'checkin.opens'",
    [service.tenantId, orderId],
  );

describe("a person", () => {
  it("writes from a mailbox, and the reply comes below their mail", async () => {
    await mail.write(TESS, "Hello from the mailbox");
    const [turn] = await pollTurn("Hello from the mailbox");
    const reply = await mail.see(TESS, String(turn?.reply ?? "").slice(0, 20));
    const own = (await mail.list(TESS)).find(({ text }) => text === "Hello from the mailbox");
    expect(reply.references.at(-1)).toBe(own?.messageId);
    expect(reply.replyTo).toMatch(/^reply\+/);
    // The mailbox of somebody whom nobody knows: answered once, and nothing begins.
    const { body } = await desk.ask("/api/channels/email/records");
    expect(JSON.stringify(body.records)).toContain('"direction":"in"');
    expect(JSON.stringify(body.records)).toContain('"what":"reply"');
  });

  it("is asked by mail, and answers behind the link: a yes by mail decides nothing", async () => {
    const asked = await converseUntilAsked();
    const booked = () => service.sql("select 1 from booking where tenant_id = $1", [service.tenantId]);
    await mail.write(TESS, "yes");
    await expect.poll(async () => (await listQuestions()).length, { timeout: 20_000 }).toBe(2);
    expect(await booked()).toEqual([]);
    const token = /\/answer#([\w-]+)/.exec(asked.text)?.[1] ?? "";
    const answer = (path: string, given: string) => desk.ask(path, { token: given });
    // The first question was replaced by the second.
    expect((await answer("/api/channel-answers", token)).status).toBe(404);
    const latest = (await listQuestions()).at(-1);
    const current = /\/answer#([\w-]+)/.exec(latest?.text ?? "")?.[1] ?? "";
    const view = await answer("/api/channel-answers/view", current);
    expect(view.body, view.text).toMatchObject({ answer: "Yes" });
    expect(String(view.body.question)).toContain("FRA → LIS");
    expect(await booked()).toEqual([]);
    const twice = await Promise.all([1, 2].map(() => answer("/api/channel-answers", current)));
    expect(twice.map(({ status }) => status)).toContain(200);
    await expect.poll(booked, { timeout: 20_000 }).toHaveLength(1);
  });
});

it("shows mails to travelers, guests and approvers, although no mail server is set up", async () => {
  const find = () =>
    service.sql("select order_id from booking where tenant_id = $1 and state = 'booked'", [service.tenantId]);
  await expect.poll(find, { timeout: 20_000 }).toHaveLength(1);
  const [booked] = await find();
  requireResult(await service.call("save_traveler", { email: "traveler@people.test" }));
  const itinerary = await service.call("send_itinerary", { orderId: booked?.order_id });
  expect(itinerary.text).toContain("The mail server has accepted it.");
  expect((await mail.see("traveler@people.test", "")).subject).toContain("FRA");
  const { emailSent } = requireResult(
    await service.call("prefund_trip", { budgetUsdc: "20", guestEmail: "guest@people.test", require2fa: true }),
  );
  expect(emailSent).toBe(true);
  await mail.see("guest@people.test", "/claim");
  await desk.newPerson("Grace", "approver");
  await desk.enforce({});
  const asked = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2.51", token: "USDC" });
  expect(asked.text).toContain("They get an email");
  await mail.see("grace@example.com", "2.51");
}, 90_000);

describe("a notice", () => {
  it("comes once, by mail, with a way to end its kind; one click ends it", async () => {
    expect((await prefer({})).status).toBe(200);
    const { orderId, again } = await tell("order.ticketed");
    const shown = await mail.see(TESS, orderId);
    await again();
    expect(shown.subject).toBe("Your tickets were issued");
    expect(shown.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(shown.replyTo).toBe(mail.address);
    expect((await mail.list(TESS)).filter(({ text }) => text.includes(orderId))).toHaveLength(1);
    // As a mail program does it.
    const url = /<(.+)>/.exec(shown.headers["list-unsubscribe"] ?? "")?.[1] ?? "";
    const body = "List-Unsubscribe=One-Click";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
    const muted = await tell("order.ticketed");
    await expect.poll(() => notices(muted.orderId)).toMatchObject([{ state: "skipped" }]);
    expect((await desk.ask(PREFERENCES)).body).toMatchObject({ preferences: { muted: ["order.ticketed"] } });
    // A kind that is necessary cannot be ended, and comes all the same.
    const changed = await tell("order.schedule_changed");
    const necessary = await mail.see(TESS, changed.orderId);
    expect(necessary.headers["list-unsubscribe"]).toBeUndefined();
    const forged = await fetch(`${url.slice(0, -6)}AAAAAA`, { method: "POST", headers, body });
    expect(forged.status).toBe(404);
  });

  it("waits for the end of the person's quiet hours, unless it is urgent", async () => {
    const now = Temporal.Now.zonedDateTimeISO("Asia/Tokyo");
    const at = (hours: number) => now.add({ hours }).toPlainTime().toString().slice(0, 5);
    expect((await prefer({ timeZone: "Asia/Tokyo", quietHours: { from: at(-2), until: at(3) } })).status).toBe(200);
    const calm = await tell("order.ticketed");
    const urgent = await tell("order.schedule_changed");
    await mail.see(TESS, urgent.orderId);
    const [waiting] = await service.sql(
      "select state, extract(epoch from next_at - now()) / 3600 as hours from notice where tenant_id = $1 and about = (select id from tenant_event where data->>'orderId' = $2)",
      [service.tenantId, calm.orderId],
    );
    expect(waiting?.state).toBe("waiting");
    expect(Number(waiting?.hours)).toBeGreaterThan(1.9);
    expect((await mail.list(TESS)).filter(({ text }) => text.includes(calm.orderId))).toEqual([]);
  });

  it("goes to nobody who has not asked for any", async () => {
    expect((await desk.ask(PREFERENCES, undefined, service.apiKey, "DELETE")).status).toBe(200);
    const { orderId } = await tell("order.ticketed");
    expect(await notices(orderId)).toEqual([]);
    expect((await desk.ask(PREFERENCES)).body).toEqual({ preferences: null });
  });
});

const listQuestions = async () => (await mail.list(TESS)).filter(({ text }) => text.includes("/answer#"));

/** The agent may ask for more before it asks for a yes. */
async function converseUntilAsked() {
  const day = Temporal.Now.plainDateISO("UTC").add({ days: 40 }).toString();
  const said = [
    `I need a flight from Frankfurt to Lisbon on ${day}, one way, just me`,
    "the cheapest, please",
    "just me",
    "book the cheapest one",
  ];
  for (const text of said) {
    const before = (await mail.list(TESS)).filter(({ isReceived }) => isReceived).length;
    await mail.write(TESS, text);
    const received = async () => (await mail.list(TESS)).filter(({ isReceived }) => isReceived).length;
    await expect.poll(received, { timeout: 20_000 }).toBeGreaterThan(before);
    const [asked] = await listQuestions();
    if (asked !== undefined) return asked;
  }
  throw new Error((await mail.list(TESS)).map(({ text }) => text).join("\n---\n"));
}

async function pollTurn(text: string) {
  const find = () =>
    service.sql("select reply from conversation_turn where tenant_id = $1 and text = $2 and state = 'ended'", [
      service.tenantId,
      text,
    ]);
  await expect.poll(find, { timeout: 20_000 }).toHaveLength(1);
  return await find();
}
