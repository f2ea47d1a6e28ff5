import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

const Created = z.object({ tenant: z.looseObject({ tenantId: z.string() }), apiKey: z.string(), keyId: z.string() });

/** Its tenant is the demo tenant, which operates a sandbox deployment. */
let service: TestService;

beforeAll(async () => {
  service = await openSharedService();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function send(
  path: string,
  { key = service.operatorKey, body, to = service }: { key?: string; body?: object; to?: TestService } = {},
) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return await to.send(path, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
}

async function create(body: object) {
  const answer = await send("/api/tenants", { body });
  expect(answer.status, answer.text).toBe(200);
  return Created.parse(answer.body);
}

/** A key of a person of the new tenant, who has every scope there. */
async function mintOwnerKey(tenantId: string): Promise<string> {
  return await service.operator(async ({ persons, mintKey }) => {
    const owner = { tenantId, environment: "sandbox" } as const;
    const person = { id: "user_owner", name: "Owner", email: "owner@example.com", roles: ["owner"] } as const;
    await persons.add(owner, person, "test");
    const scopes = ["*", "audit:read", "tenants:administer"];
    return (await mintKey({ ...owner, personId: person.id, scopes, actor: "test" })).apiKey;
  });
}

it("the operator creates a tenant, whose key works and is shown nowhere else", async () => {
  const { tenant, apiKey } = await create({ name: "Made here", plan: "pro", monthlyCapUsdc: "12.5" });
  expect(tenant).toMatchObject({ name: "Made here", plan: "pro", discountPercent: 30, monthlyCapUsdc: "12.50" });
  const found = await send(`/api/tenants?text=made+here`);
  expect(found.body).toMatchObject({ isOperator: true, tenants: [tenant] });
  expect(found.text).not.toContain(apiKey);
  expect((await send("/api/usage", { key: apiKey })).body).toMatchObject({ totals: { capMicroUsdc: "12500000" } });
});

it("a changed plan applies to the next call, and both audit logs have the change", async () => {
  const { tenant, apiKey } = await create({ name: "Changing" });
  const path = `/api/tenants/${tenant.tenantId}`;
  const changed = await send(path, { body: { plan: "enterprise", name: "Changed" } });
  expect(changed.body).toMatchObject({ plan: "enterprise", discountPercent: 50, name: "Changed" });
  const answer = await service.send("/api/agent/dispatch", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ tool: "read_account", args: {} }),
  });
  expect(answer.status, answer.text).toBe(200);
  expect((await send("/api/usage", { key: apiKey })).body).toMatchObject({
    records: [{ discountPercent: 50, priceMicroUsdc: "250" }],
  });
  const theirs = await send(`/api/audit?action=tenant.set`, { key: await mintOwnerKey(tenant.tenantId) });
  expect(theirs.body).toMatchObject({ lines: [{ actor: "operator", actorName: null, environment: null }] });
  const ours = await send(`/api/audit?subject=${tenant.tenantId}&action=tenant.set`);
  expect(ours.body).toMatchObject({ lines: [{ actor: "user_test_operator", actorName: "Operator" }] });
});

it("everybody else sees their own tenant only, and changes nothing", async () => {
  const { tenant, apiKey } = await create({ name: "Guest" });
  const ownerKey = await mintOwnerKey(tenant.tenantId);
  for (const key of [apiKey, ownerKey]) {
    expect((await send("/api/tenants", { key })).body).toMatchObject({ isOperator: false, tenants: [tenant] });
    expect((await send(`/api/tenants?text=${service.tenantId}`, { key })).body).toMatchObject({ tenants: [] });
    const body = { name: "Mine", plan: "enterprise" };
    expect((await send("/api/tenants", { key, body })).body).toMatchObject({ code: "missing_scope" });
    for (const tenantId of [tenant.tenantId, service.tenantId]) {
      const refused = await send(`/api/tenants/${tenantId}`, { key, body });
      expect(refused.status, refused.text).toBe(key === apiKey ? 403 : 404);
    }
  }
  expect((await send("/api/tenants", { key: apiKey })).body).toMatchObject({ tenants: [{ plan: "free" }] });
});

it("refuses what is no tenant, and lists page by page", async () => {
  const missing = "tenant_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4";
  expect((await send(`/api/tenants/${missing}`, { body: { plan: "pro" } })).status).toBe(404);
  for (const body of [{ name: " " }, { name: "x", plan: "gold" }, { name: "x", monthlyCapUsdc: "-1" }, {}]) {
    expect((await send("/api/tenants", { body })).status, JSON.stringify(body)).toBe(400);
  }
  await create({ name: "Paged one" });
  await create({ name: "Paged two" });
  const first = await send("/api/tenants?text=paged&limit=1");
  expect(first.body).toMatchObject({ tenants: [{ name: "Paged two" }] });
  const second = await send(`/api/tenants?text=paged&limit=1&cursor=${first.body.nextCursor}`);
  expect(second.body).toMatchObject({ tenants: [{ name: "Paged one" }], nextCursor: null });
});

it("with OPERATOR_TENANT, that tenant operates, and the demo tenant does not", async () => {
  await using named = await startTestService({ OPERATOR_TENANT: "tenant_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4" });
  const answer = await send("/api/tenants", { key: named.operatorKey, to: named });
  expect(answer.body).toMatchObject({ isOperator: false });
  const refused = await send("/api/tenants", { key: named.operatorKey, to: named, body: { name: "None" } });
  expect(refused.body).toMatchObject({ code: "missing_scope" });
});
