import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Call = z.object({
  id: z.string(),
  createdAt: z.string(),
  tool: z.string().nullable(),
  surface: z.string(),
  keyName: z.string().nullable(),
  code: z.string(),
  detail: z.string().nullable(),
  issuePaths: z.array(z.string()),
  traceId: z.string(),
  runId: z.string().nullable(),
  priceMicroUsdc: z.string(),
});
const Page = z.object({ calls: z.array(Call), nextCursor: z.string().nullable() });

const get = (query: string, key = service.apiKey) =>
  service.send(`/api/calls?outcome=failed${query}`, { headers: { authorization: `Bearer ${key}` } });

async function list(query = "", key?: string) {
  const answer = await get(query, key);
  expect(answer.status, answer.text).toBe(200);
  return Page.parse(answer.body);
}

const ask = async (args: object) => Page.parse(requireResult(await service.call("list_failed_calls", args)));

const mint = (name: string, scopes: readonly string[]) =>
  service.operator(async (identity) => {
    const key = { tenantId: service.tenantId, environment: "sandbox", name, scopes, actor: "test" } as const;
    return (await identity.mintKey(key)).apiKey;
  });

const newTenant = (monthlyCapMicroUsdc: bigint) =>
  service.operator((identity) => identity.createTenant({ name: "Other", monthlyCapMicroUsdc, actor: "test" }));

const UNKNOWN_ORDER = { orderId: "ord_0000000000000000000000" };

test("refused and failed calls are listed, newest first, and the tool and the route agree", async () => {
  expect((await service.call("find_airports_nearby", { query: "London" })).status).toBe(200);
  const narrow = await mint("Reports only", ["usage:read"]);
  const refused = [
    await service.call("search_flights", { origin: 7 }),
    await service.call("search_flights", {}, { key: narrow }),
    await service.call("no_such_tool", {}),
    await service.call("read_order", UNKNOWN_ORDER),
  ];
  await sendMcp(service, "tools/call", { name: "read_order", arguments: {} });
  const { calls, nextCursor } = await list();
  expect(nextCursor).toBeNull();
  expect(calls.toReversed()).toMatchObject([
    { tool: "search_flights", surface: "dispatch", code: "invalid_input", priceMicroUsdc: "0" },
    { tool: "search_flights", code: "missing_scope", keyName: "Reports only", issuePaths: [] },
    { tool: null, code: "tool_not_found", priceMicroUsdc: "0" },
    { tool: "read_order", code: "order_not_found", runId: null },
    { tool: "read_order", surface: "mcp", code: "invalid_input", issuePaths: ["orderId"] },
  ]);
  expect(calls.at(-1)?.issuePaths).toEqual(expect.arrayContaining(["origin", "destination"]));
  expect(calls.at(-2)?.detail).toBe(refused[1]?.body.detail);
  expect(calls.slice(1).map(({ traceId }) => traceId)).toEqual(refused.map(({ body }) => body.traceId).toReversed());
  expect(await ask({})).toEqual({ calls, nextCursor });
});

test("a preview that somebody asked for is listed if the call would be refused, and as no call that came in", async () => {
  const preview = (tool: string, args: object) => service.call("preview_call", { tool, args });
  expect(requireResult(await preview("find_airports_nearby", { query: "London" })).accepted).toBe(true);
  const [before] = (await list("&limit=1")).calls;
  expect(before?.surface).not.toBe("preview");
  const refused = await preview("search_flights", { origin: 7 });
  expect(requireResult(refused).problem).toMatchObject({ code: "invalid_input" });
  const [listed, next] = (await list("&limit=2")).calls;
  expect(listed).toMatchObject({
    tool: "search_flights",
    surface: "preview",
    code: "invalid_input",
    priceMicroUsdc: "0",
  });
  expect(listed?.issuePaths).toContain("origin");
  expect(next).toEqual(before);
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const came = await service.send("/api/channels/web/records?state=refused", { headers });
  expect(came.status, came.text).toBe(200);
  expect(came.text).not.toContain(listed?.id);
});

test("filters, pages and refuses like the other lists", async () => {
  const all = (await list()).calls;
  const [newest, second] = all;
  if (newest === undefined || second === undefined) throw new Error("too few calls");
  const { traceId, createdAt } = second;
  const only = (chosen: (call: z.infer<typeof Call>) => boolean) => all.filter(chosen);
  expect((await list("&tool=search_flights")).calls).toEqual(only(({ tool }) => tool === "search_flights"));
  expect((await list("&code=invalid_input")).calls).toEqual(only(({ code }) => code === "invalid_input"));
  expect((await ask({ traceId })).calls).toEqual([second]);
  expect((await ask({ from: createdAt })).calls).toEqual([newest, second]);
  expect((await list(`&until=${createdAt}`)).calls).toEqual(all.slice(2));
  const first = await list("&limit=2");
  expect(first.calls).toEqual(all.slice(0, 2));
  expect((await ask({ limit: 200, cursor: first.nextCursor })).calls).toEqual(all.slice(2));

  for (const [query, path] of [
    ["&cursor=elsewhere", "cursor"],
    ["&from=yesterday", "from"],
    ["&runId=1", "runId"],
    ["&limit=0", "limit"],
  ] as const) {
    const answer = await get(query);
    expect([answer.status, answer.body.issues]).toMatchObject([400, [{ path }]]);
  }
  const headers = { authorization: `Bearer ${service.apiKey}` };
  expect((await service.send("/api/calls?outcome=ok", { headers })).body.issues).toMatchObject([{ path: "outcome" }]);
});

test("a call beyond the cap is listed for the tenant that cannot pay for a list any more, and for no other tenant", async () => {
  const before = await list();
  const { tenant, apiKey } = await newTenant(0n);
  const refused = await service.call("find_airports_nearby", { query: "London" }, { key: apiKey, tenantId: tenant.id });
  expect(refused.body.code).toBe("spend_cap_exceeded");
  expect((await list("", apiKey)).calls).toMatchObject([{ code: "spend_cap_exceeded", tool: "find_airports_nearby" }]);
  expect(await list()).toEqual(before);
  const [own] = before.calls;
  expect((await list(`&traceId=${own?.traceId}`, apiKey)).calls).toEqual([]);
  expect((await list(`&cursor=fail_${"Z".repeat(26)}`, apiKey)).calls).toHaveLength(1);
});

test("calls of the other environment are not listed", async () => {
  const before = await list();
  await service.sql(
    `insert into failed_call (id, tenant_id, network, key_id, surface, code, issue_paths, trace_id, price_micro, created_at)
     values ($1, $2, 'production', 'key', 'dispatch', 'invalid_input', '{}', $3, 0, now())`,
    [`fail_${"Y".repeat(26)}`, service.tenantId, "0".repeat(32)],
  );
  expect(await list()).toEqual(before);
});

test("nothing of the arguments is stored: neither values nor names, in no text of the record", async () => {
  const secret = `zebra${randomBytes(8).toString("hex")}`;
  await service.call("search_flights", { origin: secret, [secret]: 1, destination: { [secret]: secret } });
  await service.call("search_flights", {
    origin: "LHR",
    destination: "JFK",
    departureDate: secret,
    cabinClass: secret,
  });
  const echoed = await service.call("read_order", { ...UNKNOWN_ORDER, [secret]: 1 });
  expect(echoed.body.detail).toContain(secret);
  await service.call("read_order", { orderId: secret });
  await service.call(secret, { text: secret });
  await service.call("preview_call", { tool: "search_flights", args: { [secret]: secret } });
  const { calls } = await list("&limit=6");
  const rows = await service.sql("select failed_call::text as text from failed_call where tenant_id = $1", [
    service.tenantId,
  ]);
  expect(rows.length).toBeGreaterThanOrEqual(calls.length);
  expect(JSON.stringify(rows).toLowerCase()).not.toContain(secret);
  expect(calls.flatMap(({ issuePaths }) => issuePaths)).toEqual(expect.arrayContaining(["*", "departureDate"]));
});

test("a detail keeps its own words, though a sentence of the arguments has them too", async () => {
  const asked = {
    text: "The order of the booking does not exist for the caller of that zebracall",
    orderId: "economy",
  };
  const refused = await service.call("preview_call", { tool: "read_order", args: asked });
  expect(refused.status).toBe(200);
  const echoed = await service.call("read_order", { ...UNKNOWN_ORDER, [asked.text]: 1 });
  expect(echoed.status).not.toBe(200);
  const [call] = (await list("&limit=1")).calls;
  expect(call?.detail).not.toContain("zebracall");
  expect(call?.detail).toContain("the");
});

test("a detail keeps its amounts, which the arguments have too, and hides other numbers of the arguments", async () => {
  const put = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" };
    expect((await service.send(path, { method: "PUT", headers, body: JSON.stringify(body) })).status).toBeLessThan(300);
  };
  await put("/api/policies/careful", {
    document: { title: "Careful", payments: { severity: "deny", maxAmountUsd: 2 } },
  });
  await put("/api/policy-enforcement", { policyId: "careful" });
  const refused = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "6.00" });
  await put("/api/policy-enforcement", { policyId: null });
  expect(refused.body.detail).toContain("The payment is 6.00 USD");
  const [call] = (await list("&limit=1")).calls;
  expect(call?.detail).toBe(refused.body.detail);
  const echoed = await service.call("read_order", { ...UNKNOWN_ORDER, 987654321: 987654321 });
  expect(echoed.body.detail).toContain("987654321");
  expect((await list("&limit=1")).calls[0]?.detail).not.toContain("987654321");
});

test.each([
  [99_000, expect.any(String)],
  [101_000, null],
])("with a text of %i characters in its arguments, a call has the detail %s", async (length, detail) => {
  expect((await service.call("read_order", { ...UNKNOWN_ORDER, note: "A".repeat(length) })).status).toBe(400);
  expect((await list("&limit=1")).calls).toMatchObject([{ code: "invalid_input", detail }]);
});

test("a step of a run is listed with the run", async () => {
  const tripId = `0x${randomBytes(32).toString("hex")}`;
  const input = { tripId, origin: "LHR", destination: "JFK", departureDate: "2030-01-01" };
  const run = requireResult(await service.call("run_workflow", { workflowId: "service.book_flight", input }));
  const runId = String(run.runId);
  const found = async () => (await list(`&runId=${runId}`)).calls.length;
  await expect.poll(found, { timeout: 20_000 }).toBeGreaterThan(0);
  expect((await ask({ runId })).calls[0]).toMatchObject({ surface: "workflow", runId });
  // Calls that were paid are found in the same way.
  const paid = await service.call(
    "find_airports_nearby",
    { query: "London" },
    { headers: { "idempotency-key": `${runId}:1` } },
  );
  const Paid = z.object({ records: z.array(z.object({ tool: z.string(), traceId: z.string() })) });
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const usage = async (query: string) =>
    Paid.parse((await service.send(`/api/usage?${query}`, { headers })).body).records;
  const traceId = paid.headers.get("x-service-trace-id");
  expect(await usage(`runId=${runId}`)).toMatchObject([{ tool: "find_airports_nearby", traceId }]);
  expect(await usage(`traceId=${traceId}`)).toHaveLength(1);
  expect(await usage(`traceId=${"0".repeat(32)}`)).toEqual([]);
  expect(await usage(`runId=run_${"0".repeat(26)}`)).toEqual([]);
});

test("a tenant keeps a bounded number of them, the newest", async () => {
  const { tenant, apiKey } = await newTenant(1_000_000n);
  await service.sql(
    `insert into failed_call (id, tenant_id, network, key_id, surface, code, issue_paths, trace_id, price_micro, created_at)
     select 'fail_' || lpad(i::text, 26, '0'), $1, 'sandbox', 'key', 'dispatch', 'older', '{}', $2, 0, now()
     from generate_series(1, 1500) i`,
    [tenant.id, "0".repeat(32)],
  );
  const owner = { key: apiKey, tenantId: tenant.id };
  expect((await service.call("read_order", {}, owner)).status).toBe(400);
  expect((await list("&limit=1", apiKey)).calls).toMatchObject([{ code: "invalid_input", tool: "read_order" }]);
  const [kept] = await service.sql(
    "select count(*)::int as count, min(id) as oldest from failed_call where tenant_id = $1",
    [tenant.id],
  );
  expect(kept).toEqual({ count: 1_000, oldest: `fail_${"502".padStart(26, "0")}` });
});

test("a successful call is not recorded", async () => {
  const { tenant, apiKey } = await newTenant(1_000_000n);
  const owner = { key: apiKey, tenantId: tenant.id };
  expect((await service.call("find_airports_nearby", { query: "London" }, owner)).status).toBe(200);
  expect((await list("", apiKey)).calls).toEqual([]);
});
