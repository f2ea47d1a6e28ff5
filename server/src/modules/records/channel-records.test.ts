import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { createWaitingCalls } from "../../platform/batching/waiting-calls.ts";
import { describeRequest } from "../../platform/http-client/recorded-calls.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Shown = z.object({
  id: z.string(),
  direction: z.string(),
  state: z.string(),
  what: z.string(),
  status: z.number().nullable(),
  problem: z.string().nullable(),
  latencyMilliseconds: z.number().nullable(),
  traceId: z.string().nullable(),
  tripId: z.string().nullable(),
  canResend: z.boolean(),
  createdAt: z.string(),
});
const Page = z.object({ records: z.array(Shown), nextCursor: z.string().nullable() });

const get = (path: string, key = service.apiKey) =>
  service.send(`/api/channels/${path}`, { headers: { authorization: `Bearer ${key}` } });

async function list(path: string, key?: string) {
  const answer = await get(path, key);
  expect(answer.status, answer.text).toBe(200);
  return Page.parse(answer.body);
}

const resend = (id: string) =>
  service.send(`/api/channels/email/records/${id}/resend`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.operatorKey}` },
  });

const flights = () => ({
  origin: "LHR",
  destination: "JFK",
  departureDate: Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString(),
});

test("a call's request to the supplier is recorded with the call's trace, and without what it asked", async () => {
  const traceId = (await service.call("search_flights", flights())).headers.get("x-service-trace-id");
  await service.call("read_order", { orderId: "ord_0000000000000000000000" });
  const { records } = await list(`supplier/records?traceId=${traceId}`);
  expect(records).toMatchObject([{ direction: "call", state: "done", what: "POST /air/offer_requests", traceId }]);
  expect(records[0]?.latencyMilliseconds).toBeGreaterThanOrEqual(0);
  const { tenant, apiKey } = await service.operator((identity) =>
    identity.createTenant({ name: "Other", monthlyCapMicroUsdc: 0n, actor: "test" }),
  );
  expect(tenant.id).not.toBe(service.tenantId);
  expect((await list(`supplier/records?traceId=${traceId}`, apiKey)).records).toEqual([]);
  await service.sql(
    `insert into outside_call (id, tenant_id, network, party, operation, state, latency_ms, created_at)
     values ($1, $2, 'production', 'supplier', 'GET /other', 'answered', 1, now())`,
    [`out_${"Z".repeat(26)}`, service.tenantId],
  );
  expect((await list("supplier/records")).records.map(({ what }) => what)).not.toContain("GET /other");
});

test("calls by MCP and by the web are apart; a list has pages and filters", async () => {
  await service.call("find_airports_nearby", { query: "London" });
  await service.call("find_airports_nearby", { query: 1 });
  await sendMcp(service, "tools/call", { name: "find_airports_nearby", arguments: { query: "Paris" } });
  const [web, mcp] = await Promise.all([list("web/records"), list("mcp/records")]);
  expect(mcp.records).toMatchObject([{ direction: "in", state: "done", what: "find_airports_nearby" }]);
  const states = web.records.map(({ what, state, problem }) => [what, state, problem]);
  expect(states.slice(0, 2)).toEqual([
    ["find_airports_nearby", "refused", "invalid_input"],
    ["find_airports_nearby", "done", null],
  ]);
  const paged: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await list(`web/records?limit=1${cursor}`);
    paged.push(...page.records.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(paged).toEqual(web.records.map(({ id }) => id));
  const refused = web.records.filter(({ state }) => state === "refused");
  expect((await list("web/records?state=refused")).records).toEqual(refused);
  const [newest] = web.records;
  expect((await list(`web/records?to=${newest?.createdAt}`)).records).toEqual(web.records.slice(1));
  expect((await list("web/records?tripId=0x1")).records).toEqual([]);
  for (const [path, status] of [
    ["pigeon/records", 400],
    ["web/records?cursor=x", 400],
    ["web/records?from=yesterday", 400],
  ] as const)
    expect((await get(path)).status, path).toBe(status);
});

test("a failed message is sent again once, and no message that went", async () => {
  const insert = (state: string, reason: string) =>
    service.sql(
      `insert into message (id, tenant_id, network, kind, message_key, state, expires_at, failure_code, created_at, updated_at,
         record_id, quiet_until)
       values ($1, $2, 'sandbox', 'nobody_sends_it', $3, $4, now(), $5, now(), now(), '0xtrip', now() + interval '1 year')`,
      [`msg_${reason}_${state}`, service.tenantId, reason, state, state === "failed" ? "mail_refused" : null],
    );
  await insert("failed", "lost");
  await insert("sent", "gone");
  await insert("failed", "gone");
  const { records } = await list("email/records?tripId=0xtrip");
  expect(records.map(({ id, state, canResend }) => [id, state, canResend])).toEqual([
    ["msg_gone_failed", "failed", true],
    ["msg_gone_sent", "done", false],
    ["msg_lost_failed", "failed", true],
  ]);
  expect((await resend("msg_lost_failed")).status).toBe(200);
  expect((await list("email/records?state=waiting")).records).toMatchObject([{ id: "msg_lost_failed" }]);
  for (const id of ["msg_lost_failed", "msg_gone_sent", "msg_gone_failed"])
    expect((await resend(id)).body.code, id).toBe("conflict");
  expect((await resend("msg_none")).body.code).toBe("not_found");
  await service.sql("delete from message where tenant_id = $1 and kind = 'nobody_sends_it'", [service.tenantId]);
});

test.each([
  ["https://eth.example.com/v2/k3yK3yk3y", "GET /v2/*"],
  [
    "https://me:secret@api.example.com/air/orders/ord_0000Ab1/actions/cancel?token=abc",
    "GET /air/orders/*/actions/cancel",
  ],
  ["https://maps.example.com/route/v1/driving/13.38,52.51;13.39,52.52", "GET /route/v1/driving/*"],
  ["https://maps.example.com/v1/places:searchText?key=abc", "GET /v1/places:searchText"],
])("of %s only words of the path are kept", (url, shown) => {
  expect(describeRequest("GET", url)).toBe(shown);
});

test("calls that cannot be stored are bounded for each tenant and in all, and counted", () => {
  const waiting = createWaitingCalls();
  const call = {
    tenantId: "flooding",
    environment: "sandbox",
    party: "maps",
    operation: "GET /",
    state: "answered",
    status: 200,
    problem: undefined,
    requestId: undefined,
    latencyMs: 1,
    traceId: undefined,
    at: Temporal.Now.instant(),
  } as const;
  for (let sent = 0; sent < 1_500; sent += 1) waiting.record(call);
  waiting.record({ ...call, tenantId: "other" });
  expect(waiting.dropped).toBe(500);
  const taken = waiting.take(5_000);
  expect(taken).toHaveLength(1_001);
  waiting.record(call);
  waiting.putBack(taken);
  expect(waiting.dropped).toBe(501);
  expect(waiting.take(5_000)).toHaveLength(1_001);
  for (let sent = 0; sent < 6_000; sent += 1) waiting.record({ ...call, tenantId: `tenant ${sent}` });
  expect(waiting.take(10_000)).toHaveLength(5_000);
});
