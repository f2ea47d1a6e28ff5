import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CLERK_SECRET_KEY,
  type ClerkSimulator,
  newOrganization,
  startClerkSimulator,
} from "../../../../test/support/clerk-simulator.ts";
import { createManualClock, silentLog } from "../../../../test/support/identity.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { stranger } from "../../../../test/support/treasury.ts";
import { createClerkKeys } from "../../../adapters/clerk/index.ts";
import { readConfig } from "../../../config/config.ts";
import { defaultScopes } from "../../../domain/scopes.ts";
import { openOutsideKeys } from "../../../outside/identity/outside-keys.ts";
import { openVault } from "../../../outside/vault.ts";
import { type OpenDatabase, openDatabase } from "../../../platform/database/database.ts";
import { createHttpClient } from "../../../platform/http-client/http-client.ts";
import type { OutsideKeys } from "../../../ports/outside-keys.ts";
import { createIdentity } from "../identity.ts";
import { sweepOutsideKeys } from "./sweep-outside-keys.ts";

const clock = createManualClock(Temporal.Now.instant().toString());
const TIMEOUT_MILLISECONDS = 400;
const MOST_GUESSES = 30;
let clerk: ClerkSimulator;
let service: TestService;
let organizationId: string;
let database: OpenDatabase;
const http = createHttpClient();

/** The product's, with a shorter patience. */
const openKeys = (url = clerk.url): OutsideKeys =>
  createClerkKeys({
    url,
    secretKey: CLERK_SECRET_KEY,
    http,
    clock,
    log: { warn: () => undefined },
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
  });

beforeAll(async () => {
  clerk = await startClerkSimulator(() => clock.now().epochMilliseconds);
  service = await startTestService(
    { CLERK_SECRET_KEY, CLERK_API_URL: clerk.url, REFUSED_KEYS_PER_MINUTE: String(MOST_GUESSES) },
    { clock, decorate: { outsideKeys: () => openKeys() } },
  );
  database = openDatabase(service.config.databaseUrl ?? "", { poolSize: 2, onError: () => undefined });
  await service.isFunded(service.tenantId);
  organizationId = newOrganization();
  await service.operator(({ setTenant }) => setTenant(service.tenantId, { organizationId }, "test"));
});
afterAll(async () => {
  await database?.close();
  await service?.[Symbol.asyncDispose]();
  await clerk?.close();
  http.close();
});
beforeEach(() => {
  clerk.fault = undefined;
  clerk.faultOf = /./;
  clerk.isDone = false;
  // Any pause that it asked for has passed.
  clock.advance({ seconds: 31 });
});

const read = (key: string) => service.call("read_account", {}, { key });
const spend = (key: string, amount = "1") =>
  service.call("send_tokens", { to: stranger(), amount, token: "USDC" }, { key });
const send = (method: string, path: string, body?: unknown) =>
  service.send(path, {
    method,
    headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const listed = async () => {
  const { keys } = JSON.parse((await send("GET", "/api/keys")).text);
  return keys as { keyId: string; name: string; state: string; scopes: string[] }[];
};

async function mint(body: object = {}) {
  const answer = await send("POST", "/api/keys", {
    name: "agent",
    scopes: ["treasury:spend", "account:read"],
    ...body,
  });
  expect(answer.status, answer.text).toBe(200);
  const { apiKey, key } = JSON.parse(answer.text);
  const outside = [...clerk.keys.values()].find(({ secret }) => secret === apiKey);
  if (outside === undefined) throw new Error("The key was not made at Clerk.");
  return { apiKey: String(apiKey), keyId: String(key.keyId), key, outside };
}

describe("a key of a tenant with an organization", () => {
  it("is made at Clerk, with the same scopes, environment, end and limits, and works", async () => {
    const expiresAt = clock.now().add({ hours: 24 }).toString();
    const { apiKey, keyId, outside } = await mint({ expiresAt, limits: { perCallUsdc: "2" } });
    expect(outside).toMatchObject({
      subject: organizationId,
      name: "agent",
      scopes: ["treasury:spend", "account:read"],
      claims: { wayfare_key: keyId, wayfare_environment: "sandbox" },
    });
    expect(outside.expiration).toBeGreaterThanOrEqual(Temporal.Instant.from(expiresAt).epochMilliseconds);
    expect((await read(apiKey)).status).toBe(200);
    expect((await spend(apiKey, "1")).status).toBe(200);
    expect((await spend(apiKey, "3")).body.code).toBe("spend_limit_exceeded");
    expect((await service.call("search_flights", {}, { key: apiKey })).body.code).toBe("missing_scope");
    const [row] = await service.sql("select key_hash from api_key where id = $1", [keyId]);
    expect(JSON.stringify(row)).not.toContain(apiKey);
    clock.advance({ hours: 25 });
    expect((await read(apiKey)).status).toBe(401);
  });

  it("leaves keys that were issued here valid, and asks nobody about them", async () => {
    const asked = clerk.server.requests.length;
    clerk.fault = { status: 500 };
    expect((await read(service.apiKey)).status).toBe(200);
    expect((await spend(service.apiKey)).status).toBe(200);
    expect(clerk.server.requests.length).toBe(asked);
  });

  it("revoked at Clerk, stops at once for what spends, and within 15 seconds for reads", async () => {
    const { apiKey, outside } = await mint();
    expect((await read(apiKey)).status).toBe(200);
    outside.revoked = true;
    expect((await spend(apiKey)).status).toBe(401);
    const other = await mint();
    expect((await read(other.apiKey)).status).toBe(200);
    const asked = clerk.count(/verify$/);
    other.outside.revoked = true;
    expect((await read(other.apiKey)).status, "it is cached").toBe(200);
    expect(clerk.count(/verify$/)).toBe(asked);
    clock.advance({ seconds: 15 });
    expect((await read(other.apiKey)).status).toBe(401);
  });

  it("revoked here, stops at once, also while Clerk is away, and is ended there afterwards", async () => {
    const { apiKey, keyId, outside } = await mint();
    expect((await read(apiKey)).status).toBe(200);
    clerk.fault = "reset";
    expect((await send("POST", `/api/keys/${keyId}/revoke`)).status).toBe(200);
    expect((await read(apiKey)).status).toBe(401);
    expect((await spend(apiKey)).status).toBe(401);
    clerk.fault = undefined;
    expect((await read(apiKey)).status, "though Clerk still says that it is good").toBe(401);
    await sweep();
    expect(outside.revoked).toBe(true);
  });

  it("rotates: both work until the overlap ends, and the old one is then ended at Clerk", async () => {
    const { apiKey, keyId, outside } = await mint();
    const next = JSON.parse((await send("POST", `/api/keys/${keyId}/rotate`, { overlapHours: 2 })).text);
    expect(next.key.replaces).toBe(keyId);
    expect([(await read(apiKey)).status, (await read(next.apiKey)).status]).toEqual([200, 200]);
    clock.advance({ hours: 3 });
    expect([(await read(apiKey)).status, (await read(next.apiKey)).status]).toEqual([401, 200]);
    await sweep();
    expect(outside.revoked).toBe(true);
  });

  it("whose answer was lost is replaced by asking again with the same request", async () => {
    const requestId = `request-${clock.now().epochMilliseconds}`;
    const first = await mint({ requestId });
    const second = await mint({ requestId });
    expect((await read(first.apiKey)).status).toBe(401);
    expect((await read(second.apiKey)).status).toBe(200);
    await sweep();
    expect([first.outside.revoked, second.outside.revoked]).toEqual([true, false]);
  });

  it("of which it is not known whether Clerk made it is not made again, and ended once it is found", async () => {
    clerk.fault = "reset";
    clerk.faultOf = /api_keys$/;
    clerk.isDone = true;
    const before = clerk.count(/api_keys$/);
    const answer = await send("POST", "/api/keys", { name: "lost" });
    expect([answer.status, answer.body.code]).toEqual([503, "unavailable"]);
    expect(clerk.count(/api_keys$/)).toBe(before + 1);
    clerk.fault = undefined;
    const lost = [...clerk.keys.values()].find(({ name }) => name === "lost");
    await sweep();
    expect(lost?.revoked, "it may still be on its way").toBe(false);
    clock.advance({ minutes: 2 });
    await sweep();
    expect(lost?.revoked).toBe(true);
    expect(await service.sql("select * from outside_key_intent")).toEqual([]);
    expect((await listed()).map(({ name }) => name)).not.toContain("lost");
  });
});

describe("a key that was made at Clerk", () => {
  it("works from its first use on, as a sandbox key of the tenant, and keeps its id", async () => {
    const made = clerk.make({ subject: organizationId, name: "By the component" });
    expect((await read(made.secret)).status).toBe(200);
    const [row] = (await listed()).filter(({ name }) => name === "By the component");
    expect(row).toMatchObject({ state: "active", scopes: [...defaultScopes("sandbox")] });
    expect((await spend(made.secret)).status).toBe(200);
    const again = (await listed()).filter(({ name }) => name === "By the component");
    expect(again.map(({ keyId }) => keyId)).toEqual([row?.keyId]);
  });

  it("has the scopes that it has there, without those of persons and unknown ones, and follows their change", async () => {
    const scopes = ["account:read", "approvals:decide", "keys:administer", "chats:write"];
    const made = clerk.make({ subject: organizationId, name: "Scoped", scopes });
    expect((await read(made.secret)).status).toBe(200);
    expect((await spend(made.secret)).body.code).toBe("missing_scope");
    const asked = await service.send("/api/keys", { headers: { authorization: `Bearer ${made.secret}` } });
    expect(asked.status).toBe(403);
    made.scopes = ["treasury:spend"];
    expect((await spend(made.secret)).status, "at once, as it spends").toBe(200);
    expect((await read(made.secret)).body.code).toBe("missing_scope");
    expect((await listed()).find(({ name }) => name === "Scoped")?.scopes).toEqual(["treasury:spend"]);
  });

  it("is listed before it is used, and revoked here for good", async () => {
    const made = clerk.make({ subject: organizationId, name: "Never used" });
    const row = (await listed()).find(({ name }) => name === "Never used");
    expect((await send("POST", `/api/keys/${row?.keyId}/revoke`)).status).toBe(200);
    expect((await read(made.secret)).status).toBe(401);
    await sweep();
    expect(made.revoked).toBe(true);
  });

  it("is nobody's without an organization here, for a user, or after the organization was taken away", async () => {
    const user = `user_${organizationId.slice(4)}`;
    for (const subject of [newOrganization(), user]) {
      expect((await read(clerk.make({ subject }).secret)).status, subject).toBe(401);
    }
    const made = clerk.make({ subject: organizationId });
    expect((await spend(made.secret)).status).toBe(200);
    const set = (id: string | null) =>
      service.operator(({ setTenant }) => setTenant(service.tenantId, { organizationId: id }, "test"));
    await set(null);
    expect((await spend(made.secret)).status).toBe(401);
    await set(organizationId);
    clock.advance({ seconds: 2 });
    expect((await spend(made.secret)).status).toBe(200);
  });

  it("of another tenant's organization acts for that tenant only", async () => {
    const other = newOrganization();
    await service.operator(async ({ createTenant, setTenant }) => {
      const { tenant } = await createTenant({ name: "Other", actor: "test" });
      await setTenant(tenant.id, { organizationId: other }, "test");
      await expect(setTenant(tenant.id, { organizationId }, "test")).rejects.toMatchObject({ code: "conflict" });
    });
    const made = clerk.make({ subject: other, name: "Of the other" });
    const { body } = await read(made.secret);
    expect(JSON.stringify(body)).not.toContain(service.tenantId);
    expect((await listed()).map(({ name }) => name)).not.toContain("Of the other");
    made.subject = organizationId;
    expect((await spend(made.secret)).status, "moved at Clerk").toBe(401);
  });
});

describe("while Clerk", () => {
  const faults = {
    "does not answer": "hang",
    "breaks off": "reset",
    "answers half": { truncated: '{"object":"api_key"' },
    "has a fault": { status: 500, text: "oops" },
    "takes our secret key no more": { status: 401, json: { errors: [] } },
    "forbids it": { status: 403, json: { errors: [{ message: "", long_message: "", code: "feature_not_enabled" }] } },
    "answers a page": { status: 200, text: "<!doctype html>" },
    "answers another object": { status: 200, json: { object: "user", id: "user_1" } },
    "answers without saying whether it is revoked": {
      status: 200,
      json: { object: "api_key", id: `ak_${"0".repeat(32)}`, subject: "org_1", name: "x", scopes: [], expired: false },
    },
    redirects: { status: 302, headers: { location: "http://127.0.0.1:1/" } },
  } as const;

  it.each(Object.entries(faults))("%s, nobody is let through, and the answer says why", async (_name, fault) => {
    const known = await mint();
    expect((await read(known.apiKey)).status).toBe(200);
    const unknown = clerk.make({ subject: organizationId });
    clerk.fault = fault;
    for (const refused of [await read(unknown.secret), await spend(known.apiKey)]) {
      expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
      expect(refused.body.detail).toContain("identity provider");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.text).not.toContain(CLERK_SECRET_KEY);
    }
    clock.advance({ seconds: 16 });
    expect((await read(known.apiKey)).status).toBe(503);
    clerk.fault = undefined;
    expect((await spend(known.apiKey)).status, "as soon as it is back").toBe(200);
  });

  it("is gone, the same holds", async () => {
    const gone = openKeys("http://127.0.0.1:1/v1");
    await expect(gone.verify(`ak_${"x".repeat(32)}`)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("answers with another key than the one that was shown, it is refused", async () => {
    const known = await mint();
    const { outside: other } = await mint();
    clerk.fault = { status: 200, json: describeKey(other, organizationId) };
    clerk.faultOf = /verify$/;
    expect((await spend(known.apiKey)).status).toBe(401);
  });

  it("asks to be left alone, it is, for as long as it says", async () => {
    const { apiKey } = await mint();
    clerk.fault = { status: 429, headers: { "retry-after": "20" }, json: { errors: [] } };
    const refused = await spend(apiKey);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "20"]);
    clerk.fault = undefined;
    const asked = clerk.server.requests.length;
    expect((await spend(apiKey)).status).toBe(503);
    expect(clerk.server.requests.length).toBe(asked);
    clock.advance({ seconds: 21 });
    expect((await spend(apiKey)).status).toBe(200);
  });

  it("is slow, at most so many wait for it", async () => {
    const few = createClerkKeys({
      url: clerk.url,
      secretKey: CLERK_SECRET_KEY,
      http,
      clock,
      log: { warn: () => undefined },
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      mostAtOnce: 3,
    });
    clerk.fault = "hang";
    const asked = clerk.server.requests.length;
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => few.verify(`ak_${"y".repeat(32)}`)));
    expect(all.every(({ status }) => status === "rejected")).toBe(true);
    expect(clerk.server.requests.length - asked).toBeLessThanOrEqual(3);
  });
});

it("unknown keys are guesses, and a flood of them does not reach Clerk", async () => {
  const asked = clerk.count(/verify$/);
  const statuses = new Set<number>();
  for (let guess = 0; guess < 2 * MOST_GUESSES; guess += 1) {
    statuses.add((await read(`ak_${String(guess).padStart(32, "g")}`)).status);
  }
  expect([...statuses]).toEqual([401, 429]);
  expect(clerk.count(/verify$/) - asked).toBeLessThanOrEqual(MOST_GUESSES);
});

it("without the provider's configuration its keys are refused, and others work", async () => {
  expect(openOutsideKeys(readConfig({}), { http, clock, log: { warn: () => undefined } })).toBeUndefined();
  const configured = readConfig({ CLERK_SECRET_KEY: "sk" });
  expect(openOutsideKeys(configured, { http, clock, log: { warn: () => undefined } })).toBeDefined();
  const { apiKey } = await mint();
  const vault = await openVault(service.config);
  const common = { ...database, databaseUrl: service.config.databaseUrl ?? "", vault, clock, log: silentLog };
  const withKeys = createIdentity({ ...common, networkMode: "sandbox", outsideKeys: openKeys() });
  const without = createIdentity({ ...common, networkMode: "sandbox" });
  expect(await withKeys.authenticate(apiKey, { fresh: true })).toBeDefined();
  expect(await without.authenticate(apiKey, { fresh: true })).toBeUndefined();
  expect(await without.authenticate(service.apiKey, { fresh: true })).toBeDefined();
  await Promise.all([withKeys.close(), without.close()]);
});

const sweep = () => sweepOutsideKeys({ db: database.db, clock, outsideKeys: openKeys() });

const describeKey = (key: ReturnType<ClerkSimulator["make"]>, subject: string) => ({
  object: "api_key",
  id: key.id,
  subject,
  name: key.name,
  scopes: key.scopes,
  claims: key.claims,
  revoked: false,
  expired: false,
  expiration: null,
});
