import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, it, test } from "vitest";
import { startMailServer } from "../../../test/support/mail-server.ts";
import { certificate, privateKey } from "../../../test/support/mail-server-certificate.ts";
import { createSmtpMailer } from "../../adapters/smtp/index.ts";
import { readConfig } from "../../config/config.ts";
import type { Mail } from "../../ports/mailer.ts";

const mail: Mail = {
  to: { address: "ada@example.com" },
  subject: "A trip",
  text: "Open it.",
  html: "<p>Open it.</p>",
  messageId: "guest-mail.1",
};
const FROM = { address: "trips@wayfare.example" };
const ours = { cert: certificate, key: privateKey };

const usual = getCACertificates("default");
const trustOurs = () => setDefaultCACertificates([...usual, certificate]);
afterEach(() => setDefaultCACertificates(usual));

type Tls = "wrapped" | "required" | "optional" | "off";
const mailerFor = (port: number, tls: Tls, credentials?: { user: string; password: string }) =>
  createSmtpMailer({ server: { host: "localhost", port, tls, credentials }, from: FROM });
const LOGIN = { user: "wayfare@example.com", password: "p@ss: word/1" };

describe("over TLS", () => {
  it.each([
    ["from the first byte", "wrapped", true],
    ["by STARTTLS", "required", false],
    ["by STARTTLS where that is optional", "optional", false],
  ] as const)("%s: logs in and sends to a server with a valid certificate", async (_how, tls, secure) => {
    trustOurs();
    await using server = await startMailServer({ ...ours, secure });
    await mailerFor(server.port, tls, LOGIN).send(mail);
    expect(server.received.map(({ isEncrypted, parsed }) => [isEncrypted, parsed.messageId])).toEqual([
      [true, "<guest-mail.1@wayfare.example>"],
    ]);
    expect(server.logins).toEqual([LOGIN]);
  });

  it.each([
    ["wrapped", true],
    ["required", false],
    ["optional", false],
  ] as const)("%s: sends nothing to a server with an untrusted certificate", async (tls, secure) => {
    await using server = await startMailServer({ ...ours, secure });
    await expect(mailerFor(server.port, tls, LOGIN).send(mail)).rejects.toMatchObject({ code: "mail_not_sent" });
    expect([server.received, server.logins]).toEqual([[], []]);
  });

  it("sends nothing to a server without it, unless that is allowed", async () => {
    await using server = await startMailServer({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    await expect(mailerFor(server.port, "required", LOGIN).send(mail)).rejects.toMatchObject({ code: "mail_not_sent" });
    expect([server.received, server.logins]).toEqual([[], []]);
    await mailerFor(server.port, "optional", LOGIN).send(mail);
    expect(server.received.map(({ isEncrypted }) => isEncrypted)).toEqual([false]);
  });
});

it("a wrong password does not refuse the mail, and is in no error", async () => {
  await using server = await startMailServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, callback) => callback(new Error(`no such user with ${password}`)),
  });
  const sent = mailerFor(server.port, "off", LOGIN).send(mail);
  await expect(sent).rejects.toMatchObject({
    code: "mail_not_sent",
    cause: { message: expect.stringContaining("535") },
  });
  const error: unknown = await sent.catch((thrown: unknown) => thrown);
  expect(`${error} ${Object(error).detail} ${Object(error).cause} ${Object(error).stack}`).not.toContain("p@ss");
});

it.each([
  "ada@example.com, eve@example.com",
  "Ada <ada@example.com>",
  "ada",
  "ada@example.com\r\nBcc: eve@example.com",
])("%j is no address", async (address) => {
  await using server = await startMailServer();
  const sent = mailerFor(server.port, "off").send({ ...mail, to: { address } });
  await expect(sent).rejects.toMatchObject({ code: "mail_refused" });
  expect(server.received).toEqual([]);
});

describe("the configuration", () => {
  const read = (url: string) => readConfig({ SMTP_URL: url, MAIL_FROM: "trips@example.com" }).smtpUrl;

  test.each([
    ["smtp://mail.example.com", { host: "mail.example.com", port: 587, tls: "required", credentials: undefined }],
    ["smtps://mail.example.com", { host: "mail.example.com", port: 465, tls: "wrapped", credentials: undefined }],
    ["smtp://mail:25?tls=optional", { host: "mail", port: 25, tls: "optional", credentials: undefined }],
    ["smtp://127.0.0.1:1025/", { host: "127.0.0.1", port: 1025, tls: "off", credentials: undefined }],
    ["smtp://[::1]:1025", { host: "::1", port: 1025, tls: "off", credentials: undefined }],
    ["smtp://127.0.0.1.example.com", { tls: "required" }],
    ["smtps://wayfare%40example.com:p%40ss%3A%20word%2F1@m.example.com", { credentials: LOGIN }],
  ])("%s", (url, expected) => {
    expect(read(url)).toMatchObject(expected);
  });

  test.each([
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail.example.com/path",
    "smtp://user@mail.example.com",
    "smtp://u:secret%zz@mail.example.com",
    "smtp://u:secret@mail.example.com?debug=true",
    "smtp://u:secret@mail.example.com?tls=off",
    "smtp://u:secret@mail.example.com:99999",
  ])("%s is refused without being repeated", (url) => {
    expect(() => read(url)).toThrow(/^Not started: SMTP_URL (?!.*secret)/);
  });

  test.each([
    ["trips@example.com", { address: "trips@example.com", name: undefined }],
    ["Wayfare Trips <trips@example.com>", { address: "trips@example.com", name: "Wayfare Trips" }],
    [`"Wayfare, Trips" <trips@example.com>`, { address: "trips@example.com", name: "Wayfare, Trips" }],
  ])("from %s", (from, expected) => {
    expect(readConfig({ SMTP_URL: "smtp://mail", MAIL_FROM: from }).mailFrom).toEqual(expected);
  });

  test.each([
    [{ SMTP_URL: "smtp://mail" }, "SMTP_URL and MAIL_FROM must be set together"],
    [{ MAIL_FROM: "trips@example.com" }, "SMTP_URL and MAIL_FROM must be set together"],
    [{ SMTP_URL: "smtp://mail", MAIL_FROM: "Wayfare" }, "MAIL_FROM must be an email address"],
    [{ SMTP_URL: "smtp://mail", MAIL_FROM: "Wayfare <trips@example.com" }, "MAIL_FROM must be an email address"],
    [{ SMTP_URL: "smtp://mail", MAIL_FROM: "trips@example.com, a@example.com" }, "MAIL_FROM must be an email"],
  ])("%j is refused with advice", (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });
});
