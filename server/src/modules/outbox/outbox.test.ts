import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { DEAD_PORT } from "../../../test/support/dead-port.ts";
import { delivery } from "../../../test/support/delivery.ts";
import {
  createManualClock,
  openTestIdentities,
  silentLog,
  type TestIdentities,
} from "../../../test/support/identity.ts";
import { type MailServer, type Refusals, startMailServer } from "../../../test/support/mail-server.ts";
import { mortalWorker } from "../../../test/support/mortal-worker.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { createSmtpMailer } from "../../adapters/smtp/index.ts";
import { createStores } from "../../contributions.ts";
import { Failure } from "../../domain/errors.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { reconcileEffects } from "../effects/reconcile-effects.ts";
import type { Carrier } from "./carriers/carrier.ts";
import { openCarriers } from "./carriers/index.ts";
import { composeMail, words } from "./compose-mail.ts";
import type { Delivery } from "./delivery.ts";
import { outboxUse, sendMessage, storedWords } from "./send-message.ts";

let server: MailServer;
let refusals: Refusals;
beforeAll(async () => {
  server = await startMailServer({}, () => refusals);
});
beforeEach(() => {
  refusals = {};
  server.received.length = 0;
});
afterAll(() => server[Symbol.asyncDispose]());

const messageIds = () => server.received.map(({ parsed }) => parsed.messageId);

describe("a message", () => {
  let setup: TestIdentities;
  let stores: Stores;
  let clock: ReturnType<typeof createManualClock>;
  beforeAll(async () => {
    setup = await openTestIdentities();
  });
  beforeEach(async () => {
    clock = createManualClock();
    stores = createStores(setup.db, clock, setup.vault);
    await setup.db.deleteFrom("message").execute();
  });
  afterAll(() => setup.close());

  const mailerFor = (port: number) => {
    const address = { host: "127.0.0.1", port, tls: "off", credentials: undefined } as const;
    return createSmtpMailer({ server: address, from: { address: "trips@wayfare.example" } });
  };
  const portsWith = (port = server.port, change: Partial<Delivery> = {}, mailer = mailerFor(port)) => ({
    stores,
    clock,
    delivery: { ...delivery, carriers: openCarriers({ mailer }), ...change },
  });
  const requestTo = (address: string, about: string[] = ["LHR–JFK"]) => ({
    tenantId: "tenant",
    environment: "sandbox" as const,
    userId: address,
    kind: "disruption",
    about,
    carrier: "mail" as const,
    letter: composeMail({ to: { address }, subject: "Cancelled", language: "en", parts: [words("Your <flight>")] }),
    expiresAt: clock.now().add({ hours: 12 }),
  });
  const PATIENCE_MILLISECONDS = 50_000;
  const send = (ports: ReturnType<typeof portsWith>, request: ReturnType<typeof requestTo>) =>
    sendMessage(ports, request, PATIENCE_MILLISECONDS);
  const reconcile = () =>
    reconcileEffects([outboxUse(portsWith(), storedWords({ stores, clock }))], { workerId: "job", log: silentLog });

  it("is sent once per subject, whoever requests it and when, and is deleted afterwards", async () => {
    const request = requestTo("ada@example.com");
    const all = await Promise.all(Array.from({ length: 8 }, () => send(portsWith(), request)));
    expect(all.filter(({ isNew }) => isNew)).toMatchObject([{ state: "sent" }]);
    expect(await send(portsWith(), request)).toMatchObject({ state: "sent", isNew: false });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.to).toEqual(["ada@example.com"]);
    expect(server.received[0]?.parsed.html).toContain("Your &lt;flight&gt;");
    const rows = await setup.db.selectFrom("message").select(["encryptedMail", "attempts"]).execute();
    expect(rows).toEqual([{ encryptedMail: null, attempts: 1 }]);
    await send(portsWith(), requestTo("ada@example.com", ["JFK–LHR"]));
    expect(server.received).toHaveLength(2);
  });

  it("is sent once, whenever its sender is killed and however often it is requested", async () => {
    let died = 0;
    for (const when of ["before", "after"] as const) {
      for (let step = 1; ; step += 1) {
        server.received.length = 0;
        const request = requestTo(`${when}-${step}@example.com`);
        const { wrap, death, steps } = mortalWorker(step, when);
        const ports = portsWith(server.port, {}, wrap(mailerFor(server.port)));
        const dying = send({ ...ports, stores: wrap(stores) }, request);
        await Promise.race([death, dying.catch(() => undefined)]);
        if (steps() < step) break;
        died += 1;
        clock.advance({ minutes: 2 });
        await reconcile();
        expect(await send(portsWith(), request)).toMatchObject({ state: "sent" });
        expect(await reconcile()).toBe(0);
        // A mail server that received the mail before the crash gets it twice, with the same Message-ID.
        expect([...new Set(messageIds())], `${when} step ${step}`).toHaveLength(1);
      }
    }
    expect(died).toBeGreaterThan(10);
  });

  it("waits for an unavailable mail server, is dropped when no longer needed, and is kept where it may not be sent", async () => {
    const waiting = requestTo("ada@example.com");
    expect(await send(portsWith(DEAD_PORT), waiting)).toMatchObject({ state: "sending", isNew: true });
    expect(await reconcile()).toBe(0);
    clock.advance({ seconds: 15 });
    expect(await reconcile()).toBe(1);
    expect(await send(portsWith(), waiting)).toMatchObject({ state: "sent", isNew: false });
    refusals = { recipient: 450 };
    const late = requestTo("late@example.com");
    expect(await send(portsWith(), late)).toMatchObject({ state: "sending" });
    clock.advance({ hours: 12 });
    refusals = {};
    expect(await reconcile()).toBe(1);
    expect(server.received).toHaveLength(1);
    refusals = { message: 554 };
    expect(await send(portsWith(), requestTo("refused@example.com"))).toMatchObject({ state: "failed" });
    refusals = {};
    // A failed message may be requested again.
    expect(await send(portsWith(), requestTo("refused@example.com"))).toMatchObject({ state: "sent", isNew: true });
    const one = { mostPerRecipientAndDay: 1 };
    const many = send(portsWith(server.port, one), requestTo("refused@example.com", ["a third one of this day"]));
    expect(await many).toMatchObject({ state: "kept" });
    const trial = send(portsWith(server.port, { kept: "sandbox" }), requestTo("trial@example.com"));
    expect(await trial).toMatchObject({ state: "kept" });
    clock.advance({ hours: 1 });
    expect([await reconcile(), server.received.length]).toEqual([0, 2]);
  });

  it("waits for its carrier, which gets the same key each time", async () => {
    const keys: string[] = [];
    const carrier: Carrier = {
      async send(letter, key) {
        expect(letter).toMatchObject({ to: { address: "ada@example.com" }, subject: "Cancelled" });
        keys.push(key);
        if (keys.length === 1) throw new Failure("mail_not_sent");
      },
      close: () => undefined,
    };
    const through = (carriers: Delivery["carriers"]) => portsWith(server.port, { carriers });
    const sendLater = async (carriers: Delivery["carriers"]) => {
      clock.advance({ seconds: 15 });
      const use = outboxUse(through(carriers), storedWords({ stores, clock }));
      return await reconcileEffects([use], { workerId: "job", log: silentLog });
    };
    const request = requestTo("ada@example.com", ["by another carrier"]);
    expect(await send(through(new Map()), request)).toMatchObject({ state: "intended", isNew: true });
    const carriers = new Map([["mail", carrier]]);
    expect(await sendLater(carriers)).toBe(1);
    expect(await sendLater(carriers)).toBe(1);
    expect(await send(through(carriers), request)).toMatchObject({ state: "sent", isNew: false });
    expect(keys).toEqual([expect.stringMatching(/^message\.[A-Z0-9]+$/), keys[0]]);
  });
});

describe("the message of a replanned trip", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ SMTP_URL: `${server.url}?tls=optional`, MAIL_FROM: "trips@wayfare.example" });
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  const Messages = z.object({ messages: z.array(z.looseObject({ channel: z.string(), text: z.string() })) });
  const date = Temporal.Now.plainDateISO("UTC").add({ days: 45 });
  const disrupted = (scheduled: string, kind = "cancellation") => ({
    originalLeg: { origin: "LHR", destination: "JFK", scheduledDepartureIso: scheduled, flightNumber: "BA117" },
    disruption: { kind, reason: "Crew <b>\r\nBcc: eve@example.com" },
    rebookSearch: { departureDate: date.toString() },
    notifyChannels: ["email", "slack"],
  });
  const replan = async (args: object, options = {}) =>
    Messages.parse(requireResult(await service.call("trip_delay_replanner", args, options))).messages;

  it("is mailed to the profile's traveler only", async () => {
    const [email, slack] = await replan({ ...disrupted(`${date}T08:00:00Z`), travelerLabel: "eve@example.com" });
    expect(email).toMatchObject({
      sent: true,
      sentAt: expect.any(String),
      reason: expect.stringContaining("accepted it"),
    });
    expect(slack).toMatchObject({ sent: false, reason: expect.stringContaining("off") });
    const [mail] = server.received;
    expect([server.received.length, mail?.to]).toEqual([1, ["demo.traveler@example.com"]]);
    expect(mail?.parsed.subject).toBe("Cancelled: LHR–JFK");
    expect(mail?.parsed.bcc ?? []).toEqual([]);
    expect(mail?.parsed.text?.trim()).toBe(email?.text.trim());
    expect(mail?.parsed.text).toContain("This is a trial");
    expect(mail?.parsed.html).not.toContain("<b>");
  });

  it("goes to the travelers of the order, never to the caller who booked it for them", async () => {
    const ask = async (tool: string, args: object) => requireResult(await service.call(tool, args));
    const person = { givenName: "Dev", familyName: "Rao", bornOn: "1990-01-01", title: "mr", gender: "m" };
    const reached = { email: "dev@example.com", phoneNumber: "+14155550199" };
    for (const userId of ["dev", "gone"]) await ask("save_traveler", { userId, ...person, ...reached });
    const Offers = z.object({ offers: z.array(z.object({ fares: z.array(z.object({ id: z.string() })) })) });
    const route = { origin: "LHR", destination: "JFK", departureDate: date.toString() };
    const { offers } = Offers.parse(await ask("search_flights", route));
    const book = async (userId: string, at: number) => {
      const booking = { offerId: offers[at]?.fares[0]?.id, additionalCustomerUserIds: [userId] };
      const Booked = z.object({
        orderId: z.string(),
        pnr: z.string(),
        slices: z.tuple([z.object({ segments: z.array(z.object({ departingAt: z.string() })) })]),
      });
      return Booked.parse(await ask("book_flight", booking));
    };
    const { pnr, slices } = await book("dev", 0);
    const told = { ...disrupted(`${slices[0].segments[0]?.departingAt}Z`), notifyChannels: ["email", "whatsapp"] };
    const of = (reference: string, leg = {}) => ({
      ...told,
      originalLeg: { ...told.originalLeg, ...leg, pnr: reference },
    });
    const previewed = await ask("preview_call", { tool: "trip_delay_replanner", args: of(pnr) });
    expect(previewed.irreversible).toHaveLength(1);
    expect(await replan(of(pnr))).toMatchObject([
      { channel: "email", recipient: "d…@example.com", sent: true, traveler: { userId: "dev" } },
      { channel: "whatsapp", recipient: "…99", sent: false, traveler: { userId: "dev" } },
    ]);
    expect(server.received.map(({ to }) => to)).toEqual([["dev@example.com"]]);

    const nobody = { recipient: null, sent: false, traveler: null };
    const elsewhere = await replan(of(pnr, { origin: "CDG", destination: "FCO" }));
    expect(elsewhere[0]).toMatchObject({ ...nobody, reason: expect.stringContaining("not for this leg") });
    const { pnr: other } = await book("gone", 1);
    const headers = { authorization: `Bearer ${service.apiKey}` };
    await service.send("/api/travelers/gone?confirmFutureBookings=true", { method: "DELETE", headers });
    expect(await replan(of(other))).toMatchObject(
      ["email", "whatsapp"].map((channel) => ({
        ...nobody,
        channel,
        reason: expect.stringContaining("no traveler of the order has a profile here"),
      })),
    );
    expect(server.received).toHaveLength(1);
  });

  it("is sent once per disruption, whichever key the calls have", async () => {
    const scheduled = `${date}T09:00:00Z`;
    const once = { headers: { "idempotency-key": "replan-once" } };
    const planned = async (more = {}) => {
      const args = { ...disrupted(scheduled), ...more };
      return requireResult(await service.call("preview_call", { tool: "trip_delay_replanner", args })).irreversible;
    };
    expect(await planned()).toMatchObject([{ what: "the email to the traveler of the profile", undoableUntil: null }]);
    expect(await planned({ notifyChannels: ["slack"] })).toEqual([]);
    expect(server.received).toEqual([]);
    await replan(disrupted(scheduled), once);
    await replan(disrupted(scheduled), once);
    const [again] = await replan(disrupted(`${date}T10:00:00+01:00`));
    expect(again).toMatchObject({ sent: true, reason: expect.stringContaining("no second one") });
    expect(await planned()).toEqual([]);
    expect(server.received).toHaveLength(1);
    await replan(disrupted(scheduled, "delay"));
    expect(server.received).toHaveLength(2);
  });

  it("is retried automatically if the mail server does not accept it now", async () => {
    refusals = { recipient: 451 };
    const [email] = await replan(disrupted(`${date}T11:00:00Z`));
    expect(email).toMatchObject({
      sent: false,
      sentAt: null,
      reason: expect.stringContaining("retried automatically"),
    });
  });

  it("also goes to an approver with the link when a call needs an approval, and the link decides it", async () => {
    const owner = { tenantId: service.tenantId, environment: "sandbox" as const };
    const grace = { id: "user_grace", name: "Grace", email: "grace@example.com", roles: ["approver" as const] };
    await service.operator(({ persons }) => persons.add(owner, grace, "test"));
    const send = (path: string, method: string, body: object, key?: string) =>
      service.send(path, {
        method,
        headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
      });
    const enforce = (policyId: string | null) =>
      send("/api/policy-enforcement", "PUT", { policyId }, service.operatorKey);
    const document = { payments: { maxAmountUsd: 1 } };
    await send("/api/policies/mailed", "PUT", { document }, service.operatorKey);
    await enforce("mailed");
    const pay = () => service.call("send_tokens", { to: `0x${"1".repeat(40)}`, amount: "5" });
    const { approvalId } = (await pay()).body;
    await pay();
    const sent = () => server.received.filter(({ to }) => to.includes("grace@example.com"));
    await expect.poll(sent, { timeout: 30_000 }).toHaveLength(1);
    const [, id, linkSecret] = /\/approve\/(apr_\w+)\/user_grace#(\S+)/.exec(sent()[0]?.parsed.text ?? "") ?? [];
    expect(id).toBe(approvalId);
    const decision = { personId: grace.id, linkSecret, decision: "approve" };
    expect((await send(`/api/approval-links/${id}`, "POST", decision)).body).toMatchObject({ state: "approved" });
    expect((await pay()).status).toBe(200);
    expect(sent()).toHaveLength(1);
    await enforce(null);
  });
});

it("the outbox opens each carrier once, and closes it when the service stops", async () => {
  const seen = { opened: 0, closed: 0 };
  const countCloses = (mailer: Mailer): Mailer => ({
    send: mailer.send,
    close() {
      seen.closed += 1;
      mailer.close();
    },
  });
  const service = await startTestService(
    { SMTP_URL: `${server.url}?tls=optional`, MAIL_FROM: "trips@wayfare.example" },
    {
      decorate: {
        mailer: (mailer) => mailer && countCloses(mailer),
        delivery(delivery) {
          seen.opened += delivery.carriers.size;
          return delivery;
        },
      },
    },
  );
  expect(seen).toEqual({ opened: 1, closed: 0 });
  await service[Symbol.asyncDispose]();
  expect(seen).toEqual({ opened: 1, closed: 1 });
});
