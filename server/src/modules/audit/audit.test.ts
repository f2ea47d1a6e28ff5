import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { signedInBrowser } from "../../../test/support/oauth-clients.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { nameProgram } from "../identity/name-program.ts";
import { createAuditLines } from "./store.ts";

let service: TestService;
let other: TestService;
let opened: OpenDatabase;
/** Chosen so that no other file's lines have it. */
const AUDITOR = "user_audit_grace";

const Line = z.object({
  lineId: z.string(),
  actor: z.string(),
  actorKind: z.string(),
  actorName: z.string().nullable(),
  action: z.string(),
  subjectId: z.string().nullable(),
  subjectName: z.string().nullable(),
  address: z.string().nullable(),
  program: z.string().nullable(),
  environment: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
const Page = z.object({ lines: z.array(Line), nextCursor: z.string().nullable() });

beforeAll(async () => {
  [service, other] = [await openSharedService(), await openSharedService()];
  opened = openDatabase(service.config.databaseUrl ?? "", { poolSize: 2, onError: () => undefined });
});
afterAll(async () => {
  await opened?.close();
  await service?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

const ask = async (query: string, key = service.operatorKey) =>
  await service.send(`/api/audit${query}`, { headers: { authorization: `Bearer ${key}` } });

async function list(query: string, key?: string) {
  const answer = await ask(query, key);
  expect(answer.status, answer.text).toBe(200);
  return Page.parse(answer.body);
}

async function mint(name: string, program = "curl/8.5.0 (x86_64)"): Promise<string> {
  const headers = {
    authorization: `Bearer ${service.operatorKey}`,
    "content-type": "application/json",
    "user-agent": program,
  };
  const body = JSON.stringify({ name, scopes: ["account:read"] });
  const answer = await service.send("/api/keys", { method: "POST", headers, body });
  return z.object({ key: z.object({ keyId: z.string() }) }).parse(answer.body).key.keyId;
}

/** Writes a line as an earlier change has left it. */
async function insertLine(line: {
  action: string;
  environment?: string | null;
  actor?: string;
  subject?: string;
  tenantId?: string;
  at?: string;
}): Promise<void> {
  const { action, environment = "sandbox", actor = "test", subject = null, tenantId, at } = line;
  await service.sql(
    "insert into audit_log (at, tenant_id, network, actor, action, subject_id) values (coalesce($1::timestamptz, now()), $2, $3, $4, $5, $6)",
    [at ?? null, tenantId ?? service.tenantId, environment, actor, action, subject],
  );
}

it("tells who made a key, from which address and with which program", async () => {
  const keyId = await mint("told");
  const { lines } = await list(`?subject=${keyId}`);
  expect(lines).toMatchObject([
    {
      action: "key.mint",
      actor: "user_test_operator",
      actorKind: "person",
      actorName: "Operator",
      subjectName: "told",
      program: "curl/8.5.0",
      environment: "sandbox",
      details: { scopes: ["account:read"] },
    },
  ]);
  expect(lines[0]?.address).toMatch(/127\.0\.0\.1|::1/);
  expect(lines[0]?.details, "what the line shows by itself").not.toHaveProperty("environment");
});

it("tells who signed in and out, and from where", async () => {
  const person = { id: AUDITOR, name: "Grace Hopper", email: "grace.audit@example.com", roles: ["auditor"] } as const;
  await service.operator(({ persons }) =>
    persons.add({ tenantId: service.tenantId, environment: "sandbox" }, person, "test"),
  );
  const browser = await signedInBrowser(service, AUDITOR);
  const seen = await browser.send(`/api/audit?actor=${AUDITOR}`);
  expect(Page.parse(JSON.parse(seen.text)).lines, "an auditor reads it by their session").toMatchObject([
    { action: "session.begin", actorName: "Grace Hopper", program: "Test" },
  ]);
  await browser.submit("/sign-out", await browser.send("/sign-in"));
  expect((await list("?action=session.end")).lines).toMatchObject([{ actor: AUDITOR, actorKind: "person" }]);
});

it("finds lines by person, action, subject, day and text, page by page", async () => {
  const names = ["one", "two", "three"].map((name) => `Search ${name}`);
  for (const name of names) await mint(name, "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0");
  const first = await list("?text=search%20&limit=2");
  expect(first.lines.map(({ subjectName }) => subjectName)).toEqual(["Search three", "Search two"]);
  expect(first.lines[0]?.program).toBe("Firefox on Linux");
  const second = await list(`?text=search%20&limit=2&cursor=${first.nextCursor}`);
  expect(second.lines.map(({ subjectName }) => subjectName)).toEqual(["Search one"]);
  expect(second.nextCursor).toBeNull();
  await insertLine({ action: "key.mint", at: "2031-05-05T23:59:59Z", subject: "key_later" });
  expect((await list("?from=2031-05-05&to=2031-05-05")).lines.map(({ subjectId }) => subjectId)).toEqual(["key_later"]);
  expect((await list("?from=2031-05-06")).lines).toEqual([]);
  expect((await list("?action=key&text=later")).lines).toHaveLength(1);
  expect((await list("?action=keys")).lines, "not a part of a word").toEqual([]);
  expect((await list("?actor=user_test_operator&action=key.mint&limit=1")).lines).toHaveLength(1);
  expect((await list("?actorKind=operator&action=key.mint&text=later")).lines).toEqual([]);
  expect((await list("?text=%25")).lines, "no pattern").toEqual([]);
  for (const wrong of ["?cursor=x", "?action=Key", "?from=2031-02-30", "?actorKind=robot", "?limit=0"]) {
    expect((await ask(wrong)).status, wrong).toBe(400);
  }
});

it("a search for what is rare ends a page early, and goes on with its cursor", async () => {
  await insertLine({ action: "rare.event" });
  await service.sql(
    "insert into audit_log (at, tenant_id, network, actor, action) select now(), $1, 'sandbox', 'test', 'common.event' from generate_series(1, 10000)",
    [service.tenantId],
  );
  const first = await list("?action=rare");
  expect(first.lines).toEqual([]);
  expect((await list(`?action=rare&cursor=${first.nextCursor}`)).lines).toHaveLength(1);
});

it("shows no line of another tenant or environment, and those about the whole tenant in both", async () => {
  await insertLine({ action: "secret.change", tenantId: other.tenantId });
  await insertLine({ action: "secret.change", environment: "production" });
  await insertLine({ action: "secret.change", environment: null });
  await insertLine({ action: "tenant.set", environment: null, subject: service.tenantId });
  await insertLine({ action: "ledger.capture", actor: "ledger" });
  expect((await list("?action=secret")).lines).toEqual([]);
  expect((await list("?action=ledger")).lines, "movements list those").toEqual([]);
  expect((await list("?action=tenant.set")).lines).toMatchObject([{ environment: null }]);
  const theirs = await list("?limit=200", other.operatorKey);
  expect(theirs.lines.filter(({ action }) => action === "secret.change")).toHaveLength(1);
  expect(theirs.lines.some(({ subjectId }) => subjectId === service.tenantId)).toBe(false);
});

it("an agent's key does not read it, whatever its scopes", async () => {
  expect((await ask("", service.apiKey)).body).toMatchObject({ code: "missing_scope", scope: "audit:read" });
  const asked = service.operator(({ mintKey }) =>
    mintKey({ tenantId: service.tenantId, environment: "sandbox", scopes: ["audit:read"], actor: "test" }),
  );
  await expect(asked).rejects.toMatchObject({ code: "invalid_input" });
});

it("lines cannot be changed, and only old ones can be removed", async () => {
  const keyId = await mint("kept");
  for (const change of [
    "update audit_log set network = 'production' where subject_id = $1",
    "update audit_log set address = '203.0.113.9' where subject_id = $1",
    "update audit_log set program = 'another' where subject_id = $1",
    "delete from audit_log where subject_id = $1",
  ]) {
    await expect(service.sql(change, [keyId]), change).rejects.toThrow("append-only");
  }
  const now = Temporal.Now.instant();
  await insertLine({ action: "old.event", at: now.subtract({ hours: 24 * 400 }).toString() });
  await insertLine({ action: "old.event", at: now.subtract({ hours: 24 * 300 }).toString() });
  await createAuditLines(opened.db).prune(now.subtract({ hours: 24 * 365 }));
  expect((await list("?action=old")).lines).toHaveLength(1);
  // The database keeps recent lines even if the service's clock is wrong.
  await createAuditLines(opened.db).prune(now.add({ hours: 24 }));
  expect((await list(`?subject=${keyId}`)).lines).toHaveLength(1);
});

it("an erased traveler's lines no longer tell from where they acted", async () => {
  const userId = "user_audit_erased";
  const headers = { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" };
  const profile = JSON.stringify({ givenName: "Zebedee", familyName: "Quillon" });
  expect((await service.send(`/api/travelers/${userId}`, { method: "PUT", headers, body: profile })).status).toBe(201);
  await service.sql(
    "insert into audit_log (at, tenant_id, network, actor, action, address, program) values (now(), $1, 'sandbox', $2, 'left.trace', '203.0.113.7', 'Firefox on Linux')",
    [service.tenantId, userId],
  );
  expect((await service.send(`/api/travelers/${userId}`, { method: "DELETE", headers })).status).toBeLessThan(300);
  const [line] = (await list("?action=left.trace")).lines;
  expect(line?.actor).toMatch(/^erased_/);
  expect([line?.address, line?.program]).toEqual([null, null]);
});

it.each([
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0",
    "Edge on Windows",
  ],
  ["Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36", "Chrome on Android"],
  ["node", "node"],
  ["claude-code/2.1 (cli)", "claude-code/2.1"],
  ["x".repeat(500), `${"x".repeat(59)}…`],
  ["", null],
  [undefined, null],
])("names a program: %#", (userAgent, name) => {
  expect(nameProgram(userAgent)).toBe(name);
});
