import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createTransport } from "nodemailer";
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { until } from "../../../../test/support/embedded-fixture.ts";
import { type MailServer, startMailServer } from "../../../../test/support/mail-server.ts";
import { REPOSITORY } from "../../../../test/support/programs.ts";
import { dropSandboxDatabase } from "../../../../test/support/service.ts";
import { createTestDatabase } from "../../../../test/support/test-database.ts";
import { buildMail, makeTestDomains } from "../../../../test/support/test-mails.ts";
import { DEMO_TRAVELER_ID } from "../../../domain/user-ids.ts";
import { findFreePort } from "../../../embedded/free-port.ts";

/** A process that dies between a mail and its answer, with the servers at both ends as the test plays them. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const TESS = "tess@people.example";
const dataDir = mkdtempSync(join(tmpdir(), "wayfare-killed-mail-"));
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
let running: { child: ChildProcess; url: string; port: number };
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let out: MailServer;
let db: pg.Client;
let channelId = "";
let own = "";

const Keys = z.object({ operatorKey: z.string(), apiKey: z.string() });
const readKeys = () => Keys.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));

beforeAll(async () => {
  database = await createTestDatabase();
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  out = await startMailServer(
    {},
    () => ({}),
    () => {
      if (isDeadly) running.child.kill("SIGKILL");
    },
  );
  running = await start();
  const Added = z.object({ id: z.string(), setUp: z.object({ address: z.string() }) });
  const added = Added.parse(await ask("/api/channels", readKeys().operatorKey, { kind: "email", isSimulated: false }));
  channelId = added.id;
  own = added.setUp.address;
  const path = `/api/channels/${channelId}/link-codes?userId=${DEMO_TRAVELER_ID}`;
  const { code } = z.object({ code: z.string() }).parse(await ask(path, readKeys().apiKey, {}));
  await deliver(await compose("My code", code));
  await until(async () => out.received[0]);
});

afterAll(async () => {
  const { child } = running;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
  }
  await db?.end();
  await out?.[Symbol.asyncDispose]();
  if (database !== undefined) {
    await dropSandboxDatabase(database.url);
    await database.drop();
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

async function start() {
  const [port, edgePort, listenerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    cwd: REPOSITORY,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TEST_DNS: JSON.stringify([...dns.records]),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: String(port),
      EDGE_PORT: String(edgePort),
      SMTP_URL: `${out.url}?tls=optional`,
      MAIL_FROM: "trips@mail.example",
      EMAIL_DOMAIN: "mail.example",
      EMAIL_LISTENER_PORT: String(listenerPort),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
      if (/Wayfare is ready/.test(output)) ready.resolve();
    });
  }
  child.once("close", (code) => ready.reject(new Error(`It ended with ${code}: ${output}`)));
  await ready.promise;
  return { child, url: `http://127.0.0.1:${port}`, port: listenerPort };
}

async function ask(path: string, key: string, body: object): Promise<unknown> {
  const answered = await fetch(`${running.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answered.text();
  expect(answered.status, text).toBe(200);
  return JSON.parse(text);
}

const compose = (subject: string, text: string) =>
  buildMail({ to: own, ...dns.sign("people.example"), from: TESS, subject, text });

async function deliver(raw: Buffer): Promise<void> {
  const client = createTransport({ host: "127.0.0.1", port: running.port, ignoreTLS: true });
  try {
    await client.sendMail({ envelope: { from: TESS, to: [own] }, raw });
  } finally {
    client.close();
  }
}

async function die(): Promise<void> {
  const ended = once(running.child, "close");
  running.child.kill("SIGKILL");
  await ended;
}

const count = async (text: string) => {
  const { rows } = await db.query("select count(*)::int as count from conversation_turn where text = $1", [text]);
  return rows[0]?.count;
};
const countStored = async () => (await db.query("select count(*)::int as count from email_mail")).rows[0]?.count;

it("a mail is confirmed once it is stored, and never before", async () => {
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
  await expect.poll(isWaiting, { timeout: 60_000 }).toBe(1);
  await die();
  expect(await refused).toBe("not confirmed");
  await db.query("rollback");
  expect(await countStored()).toBe(0);
  running = await start();
  // As every server does that got no answer. This time it dies once it has confirmed.
  await deliver(raw);
  await die();
  running = await start();
  await expect.poll(() => count("Stored or sent again"), { timeout: 60_000 }).toBe(1);
  await deliver(raw);
  await expect.poll(countStored, { timeout: 60_000 }).toBe(0);
  expect(await count("Stored or sent again")).toBe(1);
});

const message = async () =>
  (
    await db.query(
      "select state, repeats, unsure_since is not null as unsure from channel_message where channel_id = $1 order by position desc limit 1",
      [channelId],
    )
  ).rows[0];
/** As if the dead process's lease had run out. */
const endLease = () =>
  db.query("update channel_message set next_at = now() where channel_id = $1 and next_at is not null", [channelId]);

it("a mail out of which nobody knows whether it went is sent once more, as the same mail, and never again", async () => {
  await expect.poll(async () => (await message())?.state, { timeout: 60_000 }).toBe("sent");
  const before = out.received.length;
  isDeadly = true;
  let ended = once(running.child, "close");
  await deliver(await compose("Twice", "Answer me twice"));
  await ended;
  expect(await message()).toMatchObject({ state: "waiting", unsure: true, repeats: 0 });
  isDeadly = false;
  running = await start();
  isDeadly = true;
  ended = once(running.child, "close");
  await endLease();
  await ended;
  isDeadly = false;
  running = await start();
  await endLease();
  await expect.poll(message, { timeout: 60_000 }).toMatchObject({ state: "failed", unsure: true, repeats: 1 });
  const sent = out.received.slice(before);
  expect(sent).toHaveLength(2);
  expect(new Set(sent.map(({ parsed }) => parsed.messageId)).size).toBe(1);
});
