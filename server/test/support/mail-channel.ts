import type Mail from "nodemailer/lib/mailer/index.js";
import { expect } from "vitest";
import { DEMO_TRAVELER_ID } from "../../src/domain/user-ids.ts";
import { findFreePort } from "../../src/embedded/free-port.ts";
import { ApprovalDesk } from "./approval-desk.ts";
import { until } from "./embedded-fixture.ts";
import { startMailServer } from "./mail-server.ts";
import { startTestService } from "./service.ts";
import { buildMail, deliverMail, makeTestDomains } from "./test-mails.ts";

/** Somebody whom the channel knows. */
export const TESS = "tess@people.example";
/** The operator's own domain. */
export const DOMAIN = "mail.example";

/** A product with a channel for real mail: its listener, a server for what it sends, and the DNS are the test's own. */
export async function openMailChannel(settings: Readonly<Record<string, string>>) {
  const dns = makeTestDomains();
  const [out, port] = await Promise.all([startMailServer(), findFreePort()]);
  const service = await startTestService(
    {
      SMTP_URL: out.url,
      MAIL_FROM: `Wayfare <trips@${DOMAIN}>`,
      EMAIL_DOMAIN: DOMAIN,
      EMAIL_LISTENER_PORT: String(port),
      LOG_LEVEL: "warn",
      ...settings,
    },
    { decorate: { mailDns: () => dns.resolve } },
  );
  const desk = new ApprovalDesk(service);
  const added = await desk.ask("/api/channels", { kind: "email", isSimulated: false }, service.operatorKey);
  expect(added.status, added.text).toBe(200);
  const channelId = String(added.body.id);
  const own = String(Object(added.body.setUp).address);
  const deliver = (raw: Buffer, envelope: { from: string; to: string[] }) => deliverMail(port, raw, envelope);
  /** By the sender's own domain, unless said otherwise. */
  const compose = (mail: Mail.Options, signedBy: Parameters<typeof dns.sign>[0] = "people.example") =>
    buildMail({ to: own, ...dns.sign(signedBy), ...mail });

  async function send(mail: Mail.Options, signedBy?: Parameters<typeof dns.sign>[0]): Promise<Buffer> {
    const raw = await compose(mail, signedBy);
    await deliver(raw, { from: String(mail.from), to: [String(mail.to ?? own)] });
    return raw;
  }
  const received = (to: string) => out.received.filter((mail) => mail.to.includes(to));
  const find = (to: string, text: string) => received(to).findLast(({ parsed }) => parsed.text?.includes(text));
  const see = (to: string, text: string) => until(async () => find(to, text));

  async function link(from: string): Promise<void> {
    const path = `/api/channels/${channelId}/link-codes?userId=${DEMO_TRAVELER_ID}`;
    const issued = await desk.ask(path, undefined, service.apiKey, "POST");
    await send({ from, subject: "My code", text: String(issued.body.code) });
    await see(from, "You are linked");
  }
  await link(TESS);

  return {
    ...{ service, desk, dns, out, port, channelId, own },
    ...{ deliver, compose, send, received, find, see, link },
    turns: (text: string) =>
      service.sql("select conversation_id, text from conversation_turn where tenant_id = $1 and text like $2", [
        service.tenantId,
        `%${text}%`,
      ]),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await out[Symbol.asyncDispose]();
    },
  };
}

export type MailChannel = Awaited<ReturnType<typeof openMailChannel>>;
