import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { silentLog } from "../../../test/support/identity.ts";
import { inPlaceThreads } from "../../../test/support/in-place-threads.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { createDuffel } from "../../adapters/duffel/index.ts";
import { createVault } from "../../adapters/vault.ts";
import { readMasterKey } from "../../embedded/master-key.ts";
import { supplierAccess } from "../../embedded/supplier-part.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import { systemClock } from "../../ports/clock.ts";
import { registerWebhooks } from "./receivers.ts";
import { createSupplierEndpoints, type SupplierEndpoints } from "./store.ts";

/** The webhook route: only events that the supplier signed just now are stored, each once. */

const PATH = "/api/webhooks/supplier";
const REFUSALS = 20;
let service: TestService;
let secret: string;
let next = 0;

beforeAll(async () => {
  service = await startTestService({ REFUSED_KEYS_PER_MINUTE: String(REFUSALS), TRUSTED_PROXIES: "127.0.0.1" });
  secret = await registeredSecret();
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function withEndpoints<T>(work: (endpoints: SupplierEndpoints) => Promise<T>): Promise<T> {
  const { masterKeyFile, dataDir, databaseUrl = "" } = service.config;
  const vault = createVault(readMasterKey({ masterKeyFile, dataDir, production: false }));
  const { db, close } = openDatabase(databaseUrl, { poolSize: 2, onError: () => undefined });
  try {
    return await work(createSupplierEndpoints({ db, vault, clock: systemClock }));
  } finally {
    await close();
  }
}

async function registeredSecret(): Promise<string> {
  const endpoint = await withEndpoints((endpoints) => endpoints.find("sandbox"));
  if (endpoint === undefined) throw new Error("no endpoint was registered");
  return endpoint.secret;
}

const Listed = z.object({ data: z.array(z.object({ id: z.string(), url: z.string() })) });

/** The supplier's own list of endpoints, and deleting from it. */
async function atSupplier(method: "GET" | "DELETE", id = "") {
  const response = await fetch(`${service.supplierUrl}/air/webhooks${id}`, {
    method,
    headers: { authorization: `Bearer ${supplierAccess(service.dataDir)?.token}`, "duffel-version": "v2" },
  });
  return method === "GET" ? Listed.parse(await response.json()).data : [];
}

function newEvent(object: unknown = { id: "ord_1" }) {
  next += 1;
  const id = `wev_${next}`;
  return {
    id,
    body: JSON.stringify({ id, type: "order.created", data: { object }, created_at: "2026-11-20T10:00:00Z" }),
  };
}

const now = () => Math.floor(Date.now() / 1_000);
const sign = (body: string, at = now(), key = secret) =>
  `t=${at},v1=${createHmac("sha256", key).update(`${at}.${body}`).digest("hex")}`;

const post = (body: string, signature: string | undefined, headers: Record<string, string> = {}) =>
  service.send(PATH, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...headers,
      ...(signature === undefined ? {} : { "x-duffel-signature": signature }),
    },
    body,
  });

async function stored(id: string): Promise<number> {
  const rows = await service.sql("select id from webhook_event where id = $1", [id]);
  return rows.length;
}

test("a signed event is stored before it is acknowledged, and once however often it arrives", async () => {
  const { id, body } = newEvent();
  const answer = await post(body, sign(body));
  expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
  expect(await stored(id)).toBe(1);
  const again = await Promise.all(Array.from({ length: 8 }, () => post(body, sign(body))));
  expect(again.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await stored(id)).toBe(1);
  await expect
    .poll(() => service.sql("select outcome, attempts from webhook_event where id = $1", [id]))
    .toEqual([{ outcome: "not of this service", attempts: 1 }]);
});

test.each([
  ["no signature", () => undefined],
  ["another secret", (body: string) => sign(body, now(), "other")],
  ["an empty secret", (body: string) => sign(body, now(), "")],
  ["another body", () => sign("{}")],
  ["ten minutes ago", (body: string) => sign(body, now() - 600)],
  ["ten minutes ahead", (body: string) => sign(body, now() + 600)],
  ["garbage", () => "t=1,v1=zz"],
])("%s: refused without a reason, and nothing is stored", async (_name, signEvent) => {
  const { id, body } = newEvent();
  const { status, body: problem } = await post(body, signEvent(body));
  expect(status).toBe(401);
  expect(problem).toMatchObject({ code: "unauthorized", detail: "Refused." });
  expect(await stored(id)).toBe(0);
});

test("a body over the limit is not read to its end", async () => {
  const { id, body } = newEvent({ id: "ord_1", padding: "x".repeat(1_048_577) });
  expect((await post(body, sign(body))).status).toBe(413);
  expect(await stored(id)).toBe(0);
});

test("the endpoint follows the service's address, and is recreated at a supplier that has lost it", async () => {
  const url = `${service.appUrl}${PATH}`;
  expect(await atSupplier("GET")).toMatchObject([{ url }]);
  const http = createHttpClient();
  const { webhooks } = createDuffel({
    baseUrl: service.supplierUrl,
    token: supplierAccess(service.dataDir)?.token ?? "",
    sandbox: true,
    sourceLevel: "embedded",
    clock: systemClock,
    log: silentLog,
    http,
    threads: inPlaceThreads,
  });
  const register = (to: string) =>
    withEndpoints((supplierEndpoints) => registerWebhooks({ stores: { supplierEndpoints }, webhooks }, "sandbox", to));
  try {
    await register("http://127.0.0.1:9/moved");
    expect(await atSupplier("GET")).toMatchObject([{ url: "http://127.0.0.1:9/moved" }]);
    expect(await registeredSecret()).toBe(secret);
    for (const { id } of await atSupplier("GET")) await atSupplier("DELETE", `/${id}`);
    await register(url);
    expect(await atSupplier("GET")).toMatchObject([{ url }]);
    const anew = await registeredSecret();
    expect(anew).not.toBe(secret);
    secret = anew;
    const { body } = newEvent();
    await expect.poll(async () => (await post(body, sign(body))).status).toBe(200);
  } finally {
    http.close();
  }
});

test("an address that is refused too often waits; the supplier does not, however much it sends at once", async () => {
  const { body } = newEvent();
  const forge = () => post(body, sign(body, now(), "other"), { "x-forwarded-for": "198.51.100.1" });
  // All at once, and more than the limit allows again meanwhile: one every three seconds.
  const forged = await Promise.all(Array.from({ length: 4 * REFUSALS }, forge));
  for (const { status } of forged) expect([401, 429]).toContain(status);
  const late = forged.find(({ status }) => status === 429);
  expect(Number(late?.headers.get("retry-after"))).toBeGreaterThan(0);
  const good = await Promise.all(Array.from({ length: 4 * REFUSALS }, () => post(body, sign(body))));
  expect(new Set(good.map(({ status }) => status))).toEqual(new Set([200]));
});
