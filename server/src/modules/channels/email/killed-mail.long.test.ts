import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { until } from "../../../../test/support/embedded-fixture.ts";
import { KilledProduct } from "../../../../test/support/killed-product.ts";
import { type MailServer, startMailServer } from "../../../../test/support/mail-server.ts";
import { REPOSITORY } from "../../../../test/support/programs.ts";
import { buildMail, deliverMail, makeTestDomains } from "../../../../test/support/test-mails.ts";
import { DEMO_TRAVELER_ID } from "../../../domain/user-ids.ts";
import { findFreePort } from "../../../embedded/free-port.ts";

/** A process that dies between a mail and its answer, with the servers at both ends as the test plays them. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** A dead process's lease of a mail ends after a minute. */
const PATIENCE = 150_000;
const TESS = "tess@people.example";
const dns = makeTestDomains();
/** The product with the test's DNS. */
const PROGRAM = `
  const { serve } = await import(${JSON.stringify(pathToFileURL(join(REPOSITORY, "server/src/main.ts")).href)});
  const records = new Map(JSON.parse(process.env.TEST_DNS));
  const resolve = async (name, type) => {
    const found = type === "TXT" ? records.get(name.toLowerCase()) : undefined;
    if (!found) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
    return [[found]];
  };
  await serve({ decorate: { mailDns: () => resolve } });`;

/** Kills whoever sends a mail, before the answer. */
let isDeadly = false;
let product: KilledProduct;
let out: MailServer;
let port: number;
let channelId = "";
let own = "";

beforeAll(async () => {
  out = await startMailServer(
    {},
    () => ({}),
    () => {
      if (isDeadly) product.kill();
    },
  );
  port = await findFreePort();
  const settings = {
    TEST_DNS: JSON.stringify([...dns.records]),
    SMTP_URL: `${out.url}?tls=optional`,
    MAIL_FROM: "trips@mail.example",
    EMAIL_DOMAIN: "mail.example",
    EMAIL_LISTENER_PORT: String(port),
  };
  product = await KilledProduct.open(settings, ["--input-type=module", "-e", PROGRAM]);
  const { operatorKey, apiKey } = product.keys();
  const Added = z.object({ id: z.string(), setUp: z.object({ address: z.string() }) });
  const mailbox = { kind: "email", isSimulated: false };
  const added = Added.parse(JSON.parse(await product.ask("/api/channels", operatorKey, mailbox)));
  channelId = added.id;
  own = added.setUp.address;
  const path = `/api/channels/${channelId}/link-codes?userId=${DEMO_TRAVELER_ID}`;
  const { code } = z.object({ code: z.string() }).parse(JSON.parse(await product.ask(path, apiKey, {})));
  await deliver(await compose("My code", code));
  await until(async () => out.received[0]);
});

afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await out?.[Symbol.asyncDispose]();
});

const compose = (subject: string, text: string) =>
  buildMail({ to: own, ...dns.sign("people.example"), from: TESS, subject, text });

const deliver = (raw: Buffer) => deliverMail(port, raw, { from: TESS, to: [own] });
const die = () => product.whileDying(async () => product.kill());
const count = async (text: string) => {
  const turns = "select count(*)::int as count from conversation_turn where text = $1";
  return (await product.db.query(turns, [text])).rows[0]?.count;
};
const countStored = async () =>
  (await product.db.query("select count(*)::int as count from email_mail")).rows[0]?.count;

it("a mail is confirmed once it is stored, and never before", async () => {
  const { db } = product;
  const raw = await compose("Stored", "Stored or sent again");
  // Nothing can be stored while somebody else has the table.
  await db.query("begin");
  await db.query("lock table email_mail in exclusive mode");
  const refused = deliver(raw).then(
    () => "confirmed",
    () => "not confirmed",
  );
  const isWaiting = async () =>
    (await db.query("select 1 from pg_locks where not granted and relation = 'email_mail'::regclass")).rows.length;
  await expect.poll(isWaiting, { timeout: PATIENCE }).toBe(1);
  await die();
  expect(await refused).toBe("not confirmed");
  await db.query("rollback");
  expect(await countStored()).toBe(0);
  await product.start();
  // As every server does that got no answer. This time it dies once it has confirmed.
  await deliver(raw);
  await die();
  await product.start();
  await expect.poll(() => count("Stored or sent again"), { timeout: PATIENCE }).toBe(1);
  await deliver(raw);
  await expect.poll(countStored, { timeout: PATIENCE }).toBe(0);
  expect(await count("Stored or sent again")).toBe(1);
});

it("a mail out of which nobody knows whether it went is sent once more, as the same mail, and never again", async () => {
  const message = () => product.readLastMessage(channelId);
  await expect.poll(async () => (await message())?.state, { timeout: PATIENCE }).toBe("sent");
  const before = out.received.length;
  isDeadly = true;
  await product.whileDying(async () => deliver(await compose("Twice", "Answer me twice")));
  expect(await message()).toMatchObject({ state: "waiting", unsure: true, repeats: 0 });
  isDeadly = false;
  await product.start();
  isDeadly = true;
  await product.whileDying(() => product.endLease(channelId));
  isDeadly = false;
  await product.start();
  await product.endLease(channelId);
  await expect.poll(message, { timeout: PATIENCE }).toMatchObject({ state: "failed", unsure: true, repeats: 1 });
  const sent = out.received.slice(before);
  expect(sent).toHaveLength(2);
  expect(new Set(sent.map(({ parsed }) => parsed.messageId)).size).toBe(1);
});
