import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEAD_PORT } from "../../../test/support/dead-port.ts";
import { delivery } from "../../../test/support/delivery.ts";
import {
  createManualClock,
  openTestIdentities,
  silentLog,
  type TestIdentities,
} from "../../../test/support/identity.ts";
import { type MailServer, type Refusals, startDumbServer, startMailServer } from "../../../test/support/mail-server.ts";
import { mortalWorker } from "../../../test/support/mortal-worker.ts";
import { createClaimKeys } from "../../adapters/evm/index.ts";
import { createSmtpMailer, type SmtpMailerOptions } from "../../adapters/smtp/index.ts";
import { createStores } from "../../contributions.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import type { Log } from "../../ports/log.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { reconcileEffects } from "../effects/reconcile-effects.ts";
import { describeWhole } from "../escrow/trips/trip-answers.ts";
import { openCarriers } from "../outbox/carriers/index.ts";
import type { Delivery } from "../outbox/delivery.ts";
import { messageJobs } from "../outbox/jobs.ts";
import { outboxUse } from "../outbox/send-message.ts";
import type { NewTrip, Trip } from "../trips/trips.ts";
import { buildTripGuestLink } from "./guest-link.ts";
import { type GuestMailPorts, guestMailKind, sendGuestMail as sendInTime, storeGuestMail } from "./guest-mail.ts";

const BUDGET = 500_000_000n;
const FROM = { address: "trips@wayfare.example", name: "Wayfare" };
/** Longer than any machine stalls, for waiting for the end. */
const PATIENCE_MILLISECONDS = 50_000;

let setup: TestIdentities;
let server: MailServer;
let refusals: Refusals;
let clock: ReturnType<typeof createManualClock>;
let stores: Stores;
let claimKeys: ReturnType<typeof createClaimKeys>;

beforeAll(async () => {
  setup = await openTestIdentities();
  server = await startMailServer({}, () => refusals);
  claimKeys = createClaimKeys(setup.vault);
});
beforeEach(async () => {
  refusals = {};
  server.received.length = 0;
  clock = createManualClock();
  stores = createStores(setup.db, clock, setup.vault);
  // The record of a trip is append-only, row by row.
  await sql`truncate trip, message cascade`.execute(setup.db);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await setup.close();
});

const randomHex = (bytes: number): Hex => `0x${randomBytes(bytes).toString("hex")}`;

function mailerFor(port: number, timeouts?: SmtpMailerOptions["timeouts"]): Mailer {
  const address = { host: "127.0.0.1", port, tls: "off", credentials: undefined } as const;
  return createSmtpMailer({ server: address, from: FROM, ...(timeouts === undefined ? {} : { timeouts }) });
}

const portsWith = (mailer: Mailer | undefined, change: Partial<Delivery> = {}): GuestMailPorts => ({
  stores,
  claimKeys,
  clock,
  delivery: { ...delivery, carriers: openCarriers({ mailer }), ...change },
});
const sendGuestMail: typeof sendInTime = (ports, trip, waitMilliseconds = PATIENCE_MILLISECONDS) =>
  sendInTime(ports, trip, waitMilliseconds);
/** As another process, or the same one later: over the working server. */
const runJob = (log: Log = silentLog) => {
  const ports = portsWith(mailerFor(server.port));
  return reconcileEffects([outboxUse(ports, guestMailKind(ports))], { workerId: "job", log });
};

type TripChange = Partial<Omit<NewTrip, "details">> & { details?: Partial<Trip["details"]> };

/** A trip whose budget has not arrived yet. */
async function newUnfundedTrip({ details, ...rest }: TripChange = {}): Promise<Trip> {
  return await stores.trips.insert({
    tripId: randomHex(32),
    environment: "production",
    chain: "eip155:1",
    tenantId: "tenant",
    userId: "svc:key",
    escrow: randomHex(20),
    funder: randomHex(20),
    budget: BUDGET,
    expiresAt: clock.now().add({ hours: 24 * 30 }),
    codeNonce: randomHex(32),
    requiresCode: true,
    guestEmail: "ada@example.com",
    mail: "pending",
    details: { linkOrigin: "https://trips.example", buyerName: "Bob", guestName: "Ada", ...details },
    ...rest,
  });
}

/** A trip whose budget has arrived. */
async function newTrip(change: TripChange = {}): Promise<Trip> {
  const trip = await newUnfundedTrip(change);
  await stores.trips.change(trip.environment, trip.tripId, { state: "funded", free: BUDGET });
  await storeGuestMail(stores, trip);
  return trip;
}

const readMailState = async ({ environment, tripId }: Trip) => (await stores.trips.get(environment, tripId))?.mail;

async function receivedText(): Promise<string> {
  expect(server.received).toHaveLength(1);
  return server.received[0]?.parsed.text ?? "";
}

describe("the mail", () => {
  it("has the link, its value, its deadline and its sender, and never the code", async () => {
    const trip = await newTrip({ details: { tripSummary: "Lisbon in May,\ntwo nights." } });
    expect(await sendGuestMail(portsWith(mailerFor(server.port)), trip)).toBe(true);
    expect(await readMailState(trip)).toBe("sent");
    const [mail] = server.received;
    const link = buildTripGuestLink(claimKeys, trip);
    expect(mail?.to).toEqual(["ada@example.com"]);
    expect(mail?.from).toBe(FROM.address);
    expect(mail?.parsed.from).toMatchObject(FROM);
    expect(mail?.parsed.subject).toBe("A trip for you: 500.00 USDC");
    expect(mail?.parsed.to).toEqual([{ address: "ada@example.com", name: "" }]);
    expect(mail?.parsed.messageId).toBe(`<guest-mail.${trip.tripId}@wayfare.example>`);
    const text = mail?.parsed.text ?? "";
    const html = mail?.parsed.html ?? "";
    for (const body of [text, html]) {
      expect(body).toContain(link);
      expect(body).toContain("“Bob” has set aside 500.00 USDC");
      expect(body).toContain("20 December 2026 at 12:00 UTC");
      expect(body).toContain("a six-digit code");
    }
    expect(html).toContain(`href="${link}"`);
    expect(text).toContain("> Lisbon in May,\n> two nights.");
    const without = `${mail?.raw} ${text} ${html}`.replaceAll(link, "").replaceAll(trip.tripId, "");
    expect(without).not.toMatch(new RegExp(`\\b${claimKeys.claimCode(trip.codeNonce)}\\b`));
  });

  it("asks for no code if none is needed, marks test money, and works without names", async () => {
    const trip = await newTrip({ environment: "sandbox", requiresCode: false });
    expect(await sendGuestMail(portsWith(mailerFor(server.port)), trip)).toBe(true);
    const text = await receivedText();
    expect(text).toContain("test money");
    expect(text).not.toContain("six-digit");
    server.received.length = 0;
    const live = await newTrip({ details: { buyerName: " \n", guestName: "" } });
    await sendGuestMail(portsWith(mailerFor(server.port)), live);
    expect(server.received[0]?.parsed.subject).toBe("A trip for you: 500.00 USDC");
    const other = await receivedText();
    expect(other).toMatch(/^Hello,\n\nSomebody has set aside/);
    expect(other).not.toContain("test money");
  });

  it("keeps others' words as text, in place and within bounds", async () => {
    const trip = await newTrip({
      details: {
        buyerName: "Eve\r\nBcc: all@example.com\r\n\r\n<b>Bank</b>\u202e",
        guestName: `"Ada" <eve@example.com>, x@example.com`,
        tripSummary: `<script>alert(1)</script> & "quoted"\r\n\u2028${"long ".repeat(2_000)}`,
      },
    });
    expect(await sendGuestMail(portsWith(mailerFor(server.port)), trip)).toBe(true);
    const [mail] = server.received;
    expect(mail?.to).toEqual(["ada@example.com"]);
    expect(mail?.parsed.to?.map(({ address }) => address)).toEqual(["ada@example.com"]);
    expect(mail?.parsed.bcc ?? []).toEqual([]);
    expect(mail?.parsed.subject).toBe("A trip for you: 500.00 USDC");
    expect(mail?.parsed.text).toContain("“Eve Bcc: all@example.com <b>Bank</b>” has set aside");
    expect(mail?.parsed.html).not.toMatch(/<script|<b>/);
    expect(mail?.parsed.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot;");
    expect(mail?.parsed.text?.length).toBeLessThan(3_000);
    expect(mail?.raw).not.toContain("\u202e");
  });
});

describe("a kept mail", () => {
  const send = (trip: Trip, change: Partial<Delivery>) =>
    sendGuestMail(portsWith(mailerFor(server.port), change), trip);

  it("is a sandbox mail where the service works for real guests, also if the job finds it", async () => {
    const [trial, real] = [await newTrip({ environment: "sandbox" }), await newTrip()];
    expect(await send(trial, { kept: "sandbox" })).toBe(false);
    expect(await send(real, { kept: "sandbox" })).toBe(true);
    expect([await readMailState(trial), await readMailState(real)]).toEqual(["kept", "sent"]);
    await runJob();
    expect(server.received).toHaveLength(1);
    const shown = await stores.trips.get("sandbox", trial.tripId);
    const answer = describeWhole({ trip: shown ?? trial, bookings: [], actions: [] }, clock.now());
    expect(answer.keptMail).toMatchObject({ to: "ada@example.com", subject: "A trip for you: 500.00 USDC" });
    expect(answer.keptMail?.text).toContain("“Bob” has set aside 500.00 USDC");
    expect(answer.keptMail?.text).not.toContain(buildTripGuestLink(claimKeys, trial));
  });

  it("exceeds its tenant's or recipient's daily limit, and a mail sent again counts once", async () => {
    const limits = { mostPerTenantAndDay: 3, mostPerRecipientAndDay: 2 };
    const sendTo = async (tenantId: string, guestEmail: string) =>
      send(await newTrip({ tenantId, guestEmail }), limits);
    clock.advance({ hours: 24 });
    refusals = { recipient: 450 };
    const again = await newTrip({ tenantId: "one", guestEmail: "a@example.com" });
    expect(await send(again, limits)).toBe(false);
    refusals = {};
    clock.advance({ seconds: 20 });
    expect(await send(again, limits)).toBe(true);
    expect(await sendTo("two", "A@example.com")).toBe(true);
    expect(await sendTo("three", "a@example.com"), "a third one to this address").toBe(false);
    expect(await sendTo("one", "b@example.com")).toBe(true);
    expect(await sendTo("one", "c@example.com")).toBe(true);
    expect(await sendTo("one", "d@example.com"), "a fourth one of this tenant").toBe(false);
    expect(server.received).toHaveLength(4);
    clock.advance({ hours: 24 });
    expect(await sendTo("one", "d@example.com")).toBe(true);
  });

  it("is deleted by a job after its day and the next", async () => {
    expect(await send(await newTrip({ tenantId: "past", guestEmail: "past@example.com" }), {})).toBe(true);
    const counts = () =>
      setup.db.selectFrom("guestMailCount").selectAll().where("counted", "=", "tenant:past").execute();
    const jobs = messageJobs({ stores, clock });
    clock.advance({ hours: 24 });
    for (const job of jobs) await job.run();
    expect(await counts()).toHaveLength(1);
    clock.advance({ hours: 24 });
    for (const job of jobs) await job.run();
    expect(await counts()).toEqual([]);
  });
});

describe("a mail server that refuses mail", () => {
  it("that is unreachable: the caller learns it, and the job sends the mail later", async () => {
    const trip = await newTrip();
    expect(await sendGuestMail(portsWith(mailerFor(DEAD_PORT)), trip)).toBe(false);
    expect(await readMailState(trip)).toBe("pending");
    expect(await runJob()).toBe(0);
    clock.advance({ seconds: 15 });
    expect(await runJob()).toBe(1);
    expect(await readMailState(trip)).toBe("sent");
    expect(await receivedText()).toContain(buildTripGuestLink(claimKeys, trip));
    expect(await runJob()).toBe(0);
    expect(await sendGuestMail(portsWith(mailerFor(server.port)), trip)).toBe(true);
    expect(server.received).toHaveLength(1);
  });

  it("that is silent: the caller does not wait, the attempt ends by itself, and is repeated", async () => {
    await using silent = await startDumbServer();
    const trip = await newTrip();
    const mailer = mailerFor(silent.port, { stepMilliseconds: 1_000, wholeMilliseconds: 2_000 });
    expect(await sendGuestMail(portsWith(mailer), trip, 50)).toBe(false);
    await expect.poll(silent.connectionsTaken).toBe(1);
    // The mailer gave up and put it back.
    await expect.poll(() => silent.connections.size).toBe(0);
    await expect
      .poll(async () => {
        clock.advance({ seconds: 15 });
        return runJob();
      })
      .toBe(1);
    expect(await readMailState(trip)).toBe("sent");
  });

  it("that keeps sending a little for ever is given up all the same", async () => {
    const timers: NodeJS.Timeout[] = [];
    await using drip = await startDumbServer((socket) => {
      socket.write("220 here\r\n");
      timers.push(setInterval(() => socket.writable && socket.write("250-and\r\n"), 20));
    });
    const mailer = mailerFor(drip.port, { stepMilliseconds: 10_000, wholeMilliseconds: 300 });
    const sent = mailer.send({ to: { address: "ada@example.com" }, messageId: "1", subject: "", text: "", html: "" });
    await expect(sent).rejects.toMatchObject({ code: "mail_not_sent" });
    for (const timer of timers) clearInterval(timer);
  });

  it("that refuses temporarily is asked again, ever more rarely; one that refuses permanently is not", async () => {
    refusals = { recipient: 451 };
    const trip = await newTrip();
    const ports = portsWith(mailerFor(server.port));
    expect(await sendGuestMail(ports, trip)).toBe(false);
    for (const seconds of [15, 30, 60]) {
      clock.advance({ seconds: seconds - 1 });
      expect(await runJob()).toBe(0);
      clock.advance({ seconds: 1 });
      expect(await runJob()).toBe(1);
    }
    expect(await readMailState(trip)).toBe("pending");
    refusals = { message: 554 };
    clock.advance({ seconds: 120 });
    await runJob();
    expect(await readMailState(trip)).toBe("failed");
    refusals = {};
    clock.advance({ hours: 2 });
    expect(await runJob()).toBe(0);
    expect(await sendGuestMail(ports, trip)).toBe(false);
    expect(server.received).toEqual([]);
  });

  it("is given up after a day, with a line for the operator without the address and the text", async () => {
    refusals = { message: 451 };
    const trip = await newTrip();
    const lines: string[] = [];
    const note = ({ err, ...fields }: Readonly<Record<string, unknown>>, message: string) => {
      lines.push(`${message} ${JSON.stringify(fields)} ${err} ${Object(err).stack} ${Object(err).cause}`);
    };
    const log = { info: note, warn: note, error: note };
    await runJob(log);
    expect(await readMailState(trip)).toBe("pending");
    clock.advance({ hours: 24 });
    await runJob(log);
    expect(await readMailState(trip)).toBe("failed");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain("given up");
    expect(lines[1]).toContain("451");
    expect(lines.join()).not.toMatch(/ada@|Bob|trips\.example/);
  });
});

describe("concurrent senders", () => {
  it("send it once, and all waiting callers learn that it was sent", async () => {
    const trip = await newTrip();
    const ports = portsWith(mailerFor(server.port));
    const told = await Promise.all([
      ...Array.from({ length: 6 }, () => sendGuestMail(ports, trip)),
      ...Array.from({ length: 6 }, () => runJob().then(() => true)),
    ]);
    expect(told).toEqual(told.map(() => true));
    expect(server.received).toHaveLength(1);
  });

  it("share many trips without writing to anybody twice", async () => {
    const trips = await Promise.all(Array.from({ length: 12 }, () => newTrip()));
    await Promise.all([runJob(), runJob(), runJob()]);
    const ids = server.received.map(({ parsed }) => parsed.messageId).sort();
    expect(ids).toEqual(trips.map(({ tripId }) => `<guest-mail.${tripId}@wayfare.example>`).sort());
  });
});

it("a crash between sending and recording it sends it again under the same message id, after a while", async () => {
  const trip = await newTrip();
  const ports = portsWith(mailerFor(server.port));
  // The steps: found, taken, read, counted, marked, sent, noted.
  const { wrap, death } = mortalWorker(7, "before");
  const carriers = openCarriers({ mailer: wrap(mailerFor(server.port)) });
  const dying = { ...ports, stores: wrap(stores), delivery: { ...delivery, carriers } };
  sendGuestMail(dying, trip).catch(() => undefined);
  await death;
  expect(server.received).toHaveLength(1);
  expect(await runJob()).toBe(0);
  clock.advance({ minutes: 2 });
  expect(await runJob()).toBe(1);
  const [first, second] = server.received.map(({ parsed }) => parsed.messageId);
  expect(second).toBe(first);
  expect(await readMailState(trip)).toBe("sent");
});

it("no mail is sent before the budget arrives, after the trip has expired, or without a request", async () => {
  const early = await newUnfundedTrip();
  const late = await newTrip({ expiresAt: clock.now() });
  const unasked = await newTrip({ mail: "none" });
  await runJob();
  expect(await sendGuestMail(portsWith(mailerFor(server.port)), early, 50)).toBe(false);
  expect(await sendGuestMail(portsWith(mailerFor(server.port)), unasked)).toBe(false);
  expect(await sendGuestMail(portsWith(undefined), early)).toBe(false);
  expect(await readMailState(early)).toBe("pending");
  expect(await readMailState(late)).toBe("failed");
  expect(await readMailState(unasked)).toBe("none");
  expect(server.received).toEqual([]);
});

it("a mail in progress is interrupted when the service stops, and sent later", async () => {
  await using silent = await startDumbServer();
  const trip = await newTrip();
  const address = { host: "127.0.0.1", port: silent.port, tls: "off", credentials: undefined } as const;
  const mailer = createSmtpMailer({ server: address, from: FROM });
  const sending = sendGuestMail(portsWith(mailer), trip);
  await expect.poll(() => silent.connections.size).toBe(1);
  mailer.close();
  expect(await sending).toBe(false);
  clock.advance({ minutes: 2 });
  expect(await runJob()).toBe(1);
  expect(await readMailState(trip)).toBe("sent");
});
