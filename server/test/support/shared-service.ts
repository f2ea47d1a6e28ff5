import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { DEMO_TRAVELER_ID } from "../../src/domain/user-ids.ts";
import { atEndOfWorker } from "./end-of-worker.ts";
import { mintOperatorKey, openService, type Product, startProduct, type Tenant, type TestService } from "./service.ts";

/** So many tenants are made at once: each waits for the chain, together they wait once. */
const TENANTS_AT_ONCE = 4;
const JSON_TYPE = { "content-type": "application/json" };

const traveler = {
  givenName: "Tess",
  familyName: "Traveler",
  bornOn: "1990-01-01",
  title: "ms",
  gender: "f",
  email: "tess.traveler@example.com",
  phoneNumber: "+14155550123",
};

interface Shared {
  product: Product;
  tenants: Tenant[];
}

let shared: Promise<Shared> | undefined;

const MOST_LINES = 5_000;
const lines: string[] = [];

/** Recent log lines of the worker's product that contain the text. */
export const loggedWith = (text: string): readonly string[] => lines.filter((line) => line.includes(text));

async function startShared(): Promise<Shared> {
  const logTo = {
    write(line: string) {
      lines.push(line);
      if (lines.length > MOST_LINES) lines.shift();
    },
  };
  const product = await startProduct({ LOG_LEVEL: "info", EVENT_NETWORKS: "127.0.0.0/8" }, { logTo });
  atEndOfWorker(product.stop);
  // A deployment has one demo tenant. Here each tenant is one: only then is a traveler meant by a call that names none.
  await product.pool.query("drop index tenant_one_demo");
  return { product, tenants: [] };
}

/** With money, and with a traveler who is meant when a call names nobody, as the demo tenant has them. */
async function makeTenants(product: Product): Promise<Tenant[]> {
  return await product.operator(async (identity) => {
    const tenants: Tenant[] = [];
    const quickstart: object = JSON.parse(readFileSync(product.quickstartFile, "utf8"));
    for (let made = 0; made < TENANTS_AT_ONCE; made += 1) {
      const { tenant, apiKey } = await identity.createTenant({ name: `Test ${made}`, isDemo: true, actor: "test" });
      const principal = await identity.authenticate(apiKey, { fresh: true });
      if (principal === undefined) throw new Error("a key that was just made does not work");
      const operatorKey = await mintOperatorKey(identity, tenant.id);
      const own = { tenantId: tenant.id, apiKey, operatorKey, signingSecret: principal.signingSecret };
      const quickstartFile = join(product.dataDir, `quickstart-${tenant.id}.json`);
      writeFileSync(quickstartFile, JSON.stringify({ ...quickstart, ...own }), { mode: 0o600 });
      tenants.push({ ...own, quickstartFile });
    }
    return tenants;
  });
}

/**
 * The worker's product, with a tenant of the caller's own: for every file that needs no other configuration, arms no fault that others
 * can meet, moves no clock, and counts nothing that is everybody's. Dispose of it when the file ends: it fails what left something
 * behind.
 */
export async function openSharedService(): Promise<TestService> {
  shared ??= startShared();
  const { product, tenants } = await shared;
  if (tenants.length === 0) tenants.push(...(await makeTenants(product)));
  const tenant = tenants.pop();
  if (tenant === undefined) throw new Error("no tenant was made");
  const service = openService(product, tenant);
  const put = await service.send(`/api/travelers/${DEMO_TRAVELER_ID}`, {
    method: "PUT",
    headers: { ...JSON_TYPE, authorization: `Bearer ${tenant.apiKey}` },
    body: JSON.stringify(traveler),
  });
  expect(put.status, put.text).toBe(201);
  await service.isFunded(tenant.tenantId);
  return { ...service, [Symbol.asyncDispose]: () => checkNothingIsLeft(service) };
}

const Scenarios = z.object({ scenarios: z.array(z.unknown()) });
const Clock = z.object({ offsetSeconds: z.number() });

/** A file's leftovers would fail another file, so the file that left them fails. */
async function checkNothingIsLeft({ supplierUrl, sql }: ReturnType<typeof openService>): Promise<void> {
  const ask = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(`${supplierUrl}/_sandbox/${path}`, init)).json();
  expect(Scenarios.parse(await ask("scenarios")).scenarios, "faults that are still armed").toEqual([]);
  const noTime = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ advanceSeconds: 0 }) };
  expect(Clock.parse(await ask("tick", noTime)).offsetSeconds, "what the supplier's clock was moved").toBe(0);
  const stopped = await sql("select stopped_because from chain_network where stopped_because is not null");
  expect(stopped, "chains that are stopped").toEqual([]);
}
