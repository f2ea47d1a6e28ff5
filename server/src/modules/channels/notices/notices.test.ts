import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, type TestPerson } from "../../../../test/support/approval-desk.ts";
import { CHAT_KINDS, type ChatKind, type ChatPlay, playChats } from "../../../../test/support/chat-plays.ts";
import { openEscrow } from "../../../../test/support/escrow.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { settledFlight } from "../../../../test/support/settled-flight.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult } from "../../../../test/support/treasury.ts";
import { DEMO_TRAVELER_ID } from "../../../domain/user-ids.ts";

/** Notices in chats: their documents, the person's language, check-in, and runs that wait. */

let service: TestService;
let escrow: ReturnType<typeof openEscrow>;
let desk: ApprovalDesk;
let plays: Record<ChatKind, ChatPlay>;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  desk = new ApprovalDesk(service);
  plays = await playChats(service, desk);
  for (const kind of CHAT_KINDS)
    await plays[kind].link("traveler", service.apiKey, `link-codes?userId=${DEMO_TRAVELER_ID}`);
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(() => speak("en"));

const prefer = async (kind: ChatKind) => {
  const body = { channels: [kind], timeZone: "Europe/London", quietHours: null, muted: [] };
  const answer = await desk.ask(`/api/notice-preferences/${DEMO_TRAVELER_ID}`, body);
  expect(answer.status, answer.text).toBe(200);
};
const speak = async (preferredLanguage: string) => {
  const path = `/api/travelers/${DEMO_TRAVELER_ID}`;
  const { body } = await desk.ask(path);
  const { givenName, familyName, bornOn, title, gender, email, phoneNumber } = body;
  const profile = { givenName, familyName, bornOn, title, gender, email, phoneNumber, preferredLanguage };
  const answer = await desk.ask(path, profile, service.apiKey, "PUT");
  expect(answer.status, answer.text).toBeLessThan(300);
};

async function book(): Promise<string> {
  const booked = requireResult(await service.call("book_flight", { offerId: await desk.anOffer(45) }));
  return z.object({ orderId: z.string() }).parse(booked).orderId;
}

const seeDocument = async (kind: ChatKind, text: string) => {
  const message = await plays[kind].see("traveler", text);
  return { message, files: await plays[kind].readFiles(message) };
};

describe.each(CHAT_KINDS)("a notice by %s", (kind) => {
  it("that tickets were issued brings the itinerary, once, as a PDF", async () => {
    await prefer(kind);
    const orderId = await book();
    const { message, files } = await seeDocument(kind, orderId);
    expect(message.text).toContain("Your tickets were issued");
    expect(files.map(({ name }) => name)).toEqual(["itinerary.pdf"]);
    expect(files[0]?.content.subarray(0, 5).toString()).toBe("%PDF-");
    const received = await plays[kind].listReceived("traveler");
    expect(received.filter(({ text }) => text.includes(orderId))).toHaveLength(1);
  });

  it.each(["lost_answer", "reset", "rate_limited"])("brings its document once through %s", async (fault) => {
    await prefer(kind);
    await plays[kind].armDocument(fault);
    const orderId = await book();
    const { files } = await seeDocument(kind, orderId);
    expect(files).toHaveLength(1);
    await expect
      .poll(() =>
        service.sql("select 1 from channel_message where tenant_id = $1 and next_at is not null", [service.tenantId]),
      )
      .toEqual([]);
    const received = await plays[kind].listReceived("traveler");
    expect(received.filter(({ text }) => text.includes(orderId))).toHaveLength(1);
  });
});

describe("a notice", () => {
  it.each([
    ["de", "Ihre Tickets wurden ausgestellt"],
    ["fr", "Vos billets ont été émis"],
    ["es", "Sus billetes han sido emitidos"],
    ["pt-BR", "Suas passagens foram emitidas"],
    ["pt", "Os seus bilhetes foram emitidos"],
    ["ja", "航空券が発券され"],
  ])("is in the language of the person's profile: %s", async (language, text) => {
    await prefer("slack");
    await speak(language);
    const orderId = await book();
    expect((await plays.slack.see("traveler", orderId)).text).toContain(text);
  });

  it("in a workspace whose app may send no documents has the document's address", async () => {
    await prefer("slack");
    await plays.slack.armDocument("missing_scope");
    const orderId = await book();
    const { message, files } = await seeDocument("slack", orderId);
    expect(files).toEqual([]);
    expect(message.text).toMatch(/\/api\/files\/\w+\.pdf>/);
  });

  it("of an invoice brings it", async () => {
    await prefer("whatsapp");
    const { bookingId } = await settledFlight(service, escrow);
    const seller = { name: "Example Ltd", addressLines: ["1 Street", "London"], countryCode: "GB" };
    const buyer = { ...seller, name: "Buyer Ltd" };
    const settings = { seller, buyer, dueDays: 14, language: "en", tax: { treatment: "none" } };
    const set = await desk.ask("/api/invoicing", settings, service.operatorKey, "PUT");
    expect(set.status, set.text).toBe(200);
    const issued = requireResult(await service.call("generate_booking_invoice", { bookingId }));
    const number = z.looseObject({ invoiceNumber: z.string() }).parse(issued).invoiceNumber;
    const { message, files } = await seeDocument("whatsapp", number);
    expect(message.text).toContain("An invoice for your booking was issued.");
    expect(files[0]?.name).toMatch(/\.pdf$/);
    expect(files[0]?.content.subarray(0, 5).toString()).toBe("%PDF-");
  });

  it("outside WhatsApp's day is a template with the document's address", async () => {
    await prefer("whatsapp");
    await plays.whatsapp.beSilent("traveler", 25);
    const orderId = await book();
    const { message, files } = await seeDocument("whatsapp", orderId);
    expect(files).toEqual([]);
    const url = /https?:\/\/\S+\/api\/files\/\w+\.pdf/.exec(message.text)?.[0] ?? "";
    const { status, headers } = await fetch(url);
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
  });

  it("about a disruption is shaped for the chat: without signs of a markup that nobody applies", async () => {
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const scheduledDepartureIso = `${departureDate}T09:30:00Z`;
    const answer = await service.call("trip_delay_replanner", {
      originalLeg: { origin: "LHR", destination: "JFK", flightNumber: "BA117", carrier: "BA", scheduledDepartureIso },
      disruption: { kind: "cancellation", earliestUsableDepartureIso: `${departureDate}T14:00:00Z` },
      rebookSearch: { departureDate },
      notifyChannels: ["slack", "whatsapp"],
    });
    const { messages } = z
      .object({ messages: z.array(z.object({ channel: z.string(), text: z.string(), reason: z.string() })) })
      .parse(requireResult(answer));
    // The answer has the channel's markup, for whoever passes it on.
    expect(messages.map(({ text }) => text.startsWith("*"))).toEqual([true, true]);
    for (const kind of CHAT_KINDS) {
      const told = await plays[kind].see("traveler", "BA117");
      expect(told.raw).not.toMatch(/\*|&amp;lt;|<http[^>]*\|/);
    }
  });

  it("of check-in comes a day before each flight, and follows the airline's times", async () => {
    await prefer("slack");
    const orderId = await book();
    const notice = () =>
      service.sql(
        "select state, round(extract(epoch from next_at - now()) / 3600)::int as hours, reason from notice where tenant_id = $1 and kind = 'checkin.opens' and about = $2",
        [service.tenantId, orderId],
      );
    const [waiting] = await expect
      .poll(notice)
      .toMatchObject([{ state: "waiting" }])
      .then(notice);
    // Booked 45 days ahead.
    await expect.poll(async () => Number((await notice())[0]?.hours)).toBeGreaterThan(42 * 24);
    expect(waiting).toBeDefined();
    expect((await plays.slack.listReceived("traveler")).filter(({ text }) => text.includes("Check-in"))).toEqual([]);
    // The airline moves the flight: it departs in five hours.
    const departingAt = Temporal.Now.zonedDateTimeISO("Europe/London").add({ hours: 5 }).toPlainDateTime();
    await service.sql(
      `update booking set order_slices = jsonb_set(coalesce(order_slices, result->'slices'), '{0,segments,0,departingAt}', to_jsonb($1::text))
       where tenant_id = $2 and order_id = $3`,
      [departingAt.toString({ smallestUnit: "second" }), service.tenantId, orderId],
    );
    await service.sql(
      "select tell_tenant($1, 'sandbox', 'order.schedule_changed', 'order:' || $2, jsonb_build_object('orderId', $2::text))",
      [service.tenantId, orderId],
    );
    const told = await plays.slack.see("traveler", "Check-in for flight");
    expect(told.text).toContain("London (LHR)");
    expect(told.text).toContain(orderId);
    await expect.poll(notice).toMatchObject([{ state: "skipped", reason: "no flight is to come" }]);
    expect(
      (await plays.slack.listReceived("traveler")).filter(({ text }) => text.includes("Check-in for")),
    ).toHaveLength(1);
  });
});

it("an approver without any other role says where they want notices, for nobody else", async () => {
  const alan = await desk.newPerson("Alan", "approver");
  const path = `/api/notice-preferences/${alan.id}`;
  const wanted = { channels: ["email"], timeZone: "UTC", quietHours: null, muted: [] };
  expect((await desk.ask(path, wanted, alan.key)).status).toBe(200);
  expect((await desk.ask(path, undefined, alan.key)).body).toEqual({ preferences: wanted });
  // Controls: a traveler's preferences need the scope, and an agent's key never speaks for somebody with duties.
  const theirs = `/api/notice-preferences/${DEMO_TRAVELER_ID}`;
  for (const body of [undefined, wanted])
    expect((await desk.ask(theirs, body, alan.key)).body).toMatchObject({ code: "missing_scope" });
  expect((await desk.ask(path, wanted)).status).toBe(404);
  expect((await desk.ask(path, undefined, alan.key, "DELETE")).status).toBe(200);
  expect((await desk.ask(path, undefined, alan.key)).body).toEqual({ preferences: null });
});

describe("a run that waits for somebody", () => {
  let grace: TestPerson;
  beforeAll(async () => {
    grace = await desk.newPerson("Grace", "approver,traveler");
    await plays.slack.link("approver", grace.key);
  });

  /** Paused, and past half of its time. */
  async function waitingRun(name: string, endsInHours: number) {
    const { tenantId } = service;
    await service.sql(
      `insert into workflow_run (id, tenant_id, network, workflow_id, version, key_id, input, state, request_hash, trace_id, created_at, updated_at)
       values ($1, $2, 'sandbox', 'service.book_flight', 1, 'key', '{}', 'paused', $1, 'trace', now(), now())`,
      [`run_${name}`, tenantId],
    );
    await service.sql(
      `insert into workflow_pause (session_id, run_id, tenant_id, network, step_id, reason, decided_by, expects, on_timeout, remind_at, expires_at, created_at)
       values ($1, $2, $3, 'sandbox', 's', 'Shall it go on?', 'person', '{}', '{}', now(), now() + make_interval(hours => $4), now())`,
      [`ses_${name}`, `run_${name}`, tenantId, endsInHours],
    );
    await service.sql("select pg_notify('work_changed', 'workflow_pause 0')");
    return `run_${name}`;
  }
  const wantReminders = async (quietHours: { from: string; until: string } | null) => {
    const body = { channels: ["slack"], timeZone: "UTC", quietHours, muted: [] };
    expect((await desk.ask(`/api/notice-preferences/${grace.id}`, body, grace.key)).status).toBe(200);
  };
  const quiet = (hours: number) =>
    Temporal.Now.zonedDateTimeISO("UTC").add({ hours }).toPlainTime().toString().slice(0, 5);

  it("reminds them once where they want to be told, and not by mail", async () => {
    await wantReminders(null);
    const runId = await waitingRun("noticed", 5);
    const told = await plays.slack.see("approver", runId);
    expect(told.text).toContain("waits for an answer until");
    const mails = await service.sql("select 1 from message where tenant_id = $1 and user_id = $2", [
      service.tenantId,
      grace.id,
    ]);
    expect(mails).toEqual([]);
  });

  it("waits for the end of their quiet hours, unless it ends before", async () => {
    await wantReminders({ from: quiet(-1), until: quiet(3) });
    const ends = await waitingRun("urgent", 2);
    await plays.slack.see("approver", ends);
    const waits = await waitingRun("calm", 8);
    const notice = () =>
      service.sql(
        "select state, round(extract(epoch from next_at - now()) / 3600)::int as hours from notice where about = $1",
        [waits.replace("run_", "ses_")],
      );
    await expect.poll(notice).toEqual([{ state: "waiting", hours: 3 }]);
    expect((await plays.slack.listReceived("approver")).filter(({ text }) => text.includes(waits))).toEqual([]);
  });
});
