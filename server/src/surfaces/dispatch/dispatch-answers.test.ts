import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { isSignedBy, startTestService, type TestService } from "../../../test/support/service.ts";

const probes = createProbes();
let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, { extraTools: probes.tools });
});
afterAll(() => service?.[Symbol.asyncDispose]());

const records = async (tool: string) =>
  Number((await service.sql("select count(*)::int as n from usage_record where tool = $1", [tool]))[0]?.n);

describe("a successful call", () => {
  it("has the envelope, priced, recorded and signed", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const answer = await service.call(
      "probe_read",
      { text: "hello" },
      {
        headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      result: { text: "hello" },
      latencyMs: expect.any(Number),
      priceMicroUsdc: "500",
    });
    expect(answer.headers.get("x-service-trace-id")).toBe(traceId);
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
    expect(isSignedBy({ ...answer, text: `${answer.text} ` }, service.signingSecret)).toBe(false);
    const [record] = await service.sql("select * from usage_record where id = $1", [
      answer.headers.get("x-service-meter-id"),
    ]);
    expect(record).toMatchObject({
      tenant_id: service.tenantId,
      tool: "probe_read",
      surface: "dispatch",
      price_micro: "500",
      status: "sandbox",
      trace_id: traceId,
    });
  });

  it("gets a new trace id if none or a broken one is sent", async () => {
    const answer = await service.call("probe_read", { text: "a" }, { headers: { traceparent: "00-zz-1-01" } });
    expect(answer.headers.get("x-service-trace-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("is discounted by the plan, rounded down", async () => {
    const { tenant, apiKey } = await service.operator((identity) =>
      identity.createTenant({ name: "Pro", plan: "pro", actor: "test" }),
    );
    const answer = await service.call("probe_read", { text: "a" }, { key: apiKey, tenantId: tenant.id });
    expect(answer.body.priceMicroUsdc).toBe("350");
    const [record] = await service.sql("select * from usage_record where tenant_id = $1", [tenant.id]);
    expect(record).toMatchObject({ list_price_micro: "500", discount_percent: 30, price_micro: "350" });
  });
});

describe("a failed call", () => {
  it.each([
    ["fail", 500, "no_offers", false, "Nothing there. Try another one."],
    ["busy", 500, "provider_timeout", true, "Too slow. Send again."],
  ])("with mood %s answers its declared code and is not charged", async (mood, status, code, retryable, detail) => {
    const before = await records("probe_read");
    const answer = await service.call("probe_read", { text: "a", mood });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(answer.body).toMatchObject({ ok: false, code, retryable, detail, status });
    expect(answer.body.traceId).toBe(answer.headers.get("x-service-trace-id"));
    expect(answer.headers.get("x-service-meter-id")).toBeNull();
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
    expect(await records("probe_read")).toBe(before);
  });

  it.each(["crash", "wrong"])("with mood %s says tool_failed and nothing of the cause", async (mood) => {
    const answer = await service.call("probe_write", { text: "a", mood });
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ code: "tool_failed", retryable: false });
    expect(answer.text).not.toContain("secret");
  });

  it("says when to retry, if the tool knows", async () => {
    const answer = await service.call("probe_read", { text: "a", mood: "later" });
    expect(answer.body).toMatchObject({ code: "provider_timeout", retryable: true });
    expect(answer.headers.get("retry-after")).toBe("7");
  });

  it("returns a write's reservation", async () => {
    const spent = () => service.sql("select spent_micro from tenant_spend where tenant_id = $1", [service.tenantId]);
    const before = await spent();
    await service.call("probe_write", { text: "a", mood: "fail" });
    expect(await spent()).toEqual(before);
  });
});

describe("the caller", () => {
  it.each([
    ["no header", {}],
    ["another scheme", { authorization: "Basic YTpi" }],
    ["a key that does not exist", { authorization: `Bearer ak_${"x".repeat(40)}` }],
    ["nonsense", { authorization: "Bearer" }],
  ])("is refused with %s", async (_, headers) => {
    const answer = await service.send("/api/agent/dispatch", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: "{}",
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.body).toMatchObject({ code: "unauthorized", retryable: false });
    expect(answer.headers.get("x-service-sig")).toMatch(/^t=\d+,v1=/);
  });

  it("is refused at once for a write if the key was revoked", async () => {
    const { key, apiKey } = await service.operator((identity) =>
      identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", actor: "test" }),
    );
    expect((await service.call("probe_write", { text: "a" }, { key: apiKey })).status).toBe(200);
    await service.operator((identity) => identity.revokeKey(service.tenantId, key.id, "test"));
    expect((await service.call("probe_write", { text: "a" }, { key: apiKey })).status).toBe(401);
  });

  it("needs the tool's scope, which the refusal names", async () => {
    const { apiKey } = await service.operator((identity) =>
      identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", scopes: ["trip:read"], actor: "test" }),
    );
    expect((await service.call("probe_read", { text: "a" }, { key: apiKey })).status).toBe(200);
    const answer = await service.call("probe_write", { text: "a" }, { key: apiKey });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: "missing_scope", scope: "trip:write" });
  });

  it("names its own tenant or none, and one of its users", async () => {
    const answer = await service.send("/api/agent/dispatch", {
      method: "POST",
      headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ tool: "probe_read", args: { text: "a" } }),
    });
    expect(answer.status, answer.text).toBe(200);
    const other = await service.call("probe_read", { text: "a" }, { tenantId: "tenant_OTHER" });
    expect(other.status).toBe(404);
    expect(other.body.code).toBe("tenant_not_found");
    const stranger = await service.call("probe_read", { text: "a" }, { userId: "nobody" });
    expect(stranger.status).toBe(400);
    expect(stranger.body.issues).toEqual([{ path: "userId", message: expect.any(String) }]);
    const demo = await service.call("probe_read", { text: "a" }, { userId: "user_demo" });
    expect(demo.status).toBe(200);
  });

  it("travels as the same person whether it names its own service account or omits it", async () => {
    const [key] = await service.sql("select id from api_key where tenant_id = $1 and name = 'sandbox'", [
      service.tenantId,
    ]);
    const named = await service.call("ensure_flight_customer", {}, { userId: `svc:${String(key?.id)}` });
    const left = await service.call("ensure_flight_customer", {});
    expect([named.status, left.status]).toEqual([200, 200]);
    expect(named.body.result).toMatchObject({ userId: "user_demo" });
    expect(left.body.result).toMatchObject({ userId: "user_demo" });
  });

  it("is answered 404 for an unknown tool, with a similar name", async () => {
    const answer = await service.call("search_flight", {});
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "tool_not_found", detail: expect.stringContaining("search_flights") });
  });
});

describe("the body", () => {
  const post = (body: string, headers: Record<string, string> = { "content-type": "application/json" }) =>
    service.send("/api/agent/dispatch", {
      method: "POST",
      headers: { authorization: `Bearer ${service.apiKey}`, ...headers },
      body,
    });
  const envelope = (args: string) => `{"tenantId":"${service.tenantId}","tool":"probe_read","args":${args}}`;

  it.each([
    ["empty", "", 400, "malformed_json"],
    ["cut", '{"tenantId":', 400, "malformed_json"],
    ["an array", "[]", 400, "invalid_input"],
    ["a number", "7", 400, "invalid_input"],
    ["null", "null", 400, "invalid_input"],
    ["without members", "{}", 400, "invalid_input"],
    ["deep", "[".repeat(100_000), 400, "invalid_input"],
  ])("that is %s is refused", async (_, body, status, code) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
  });

  it("over the limit is refused without being read, and the connection stays usable", async () => {
    const answer = await post(envelope(`{"text":"${"a".repeat(300_000)}"}`));
    expect(answer.status).toBe(413);
    expect(answer.body.code).toBe("too_large");
    expect((await service.call("probe_read", { text: "a" })).status).toBe(200);
  });

  it("must be JSON by its content type", async () => {
    const answer = await post(envelope('{"text":"a"}'), { "content-type": "text/plain" });
    expect(answer.status).toBe(415);
    expect(answer.body.code).toBe("unsupported_media_type");
    const charset = await post(envelope('{"text":"a"}'), { "content-type": "application/json; charset=utf-8" });
    expect(charset.status).toBe(200);
  });

  it.each([
    ["an unknown property, with the near name", '{"txet":"a"}', "txet", 'did you mean "text"?'],
    [
      "an unknown property that is very long",
      `{"text":"a","txet":"${"x".repeat(5_000)}"}`,
      "txet",
      'did you mean "text"?',
    ],
    ["a prototype", '{"text":"a","__proto__":{"admin":true}}', "__proto__", "unknown property"],
    ["a constructor", '{"text":"a","constructor":{}}', "constructor", "unknown property"],
    ["a wrong type", '{"text":7}', "text", "must be a string, not a number"],
    ["a missing field", "{}", "text", "is missing"],
    ["a value outside the list", '{"text":"a","mood":"great"}', "mood", "must be one of"],
    ["a value near one of the list", '{"text":"a","mood":"craash"}', "mood", 'did you mean "crash"?'],
    ["too long a text", `{"text":"${"a".repeat(51)}"}`, "text", "at most 50 characters"],
  ])("with %s is refused, says where, and is not charged", async (_, args, path, message) => {
    const before = await records("probe_read");
    const answer = await post(envelope(args));
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("invalid_input");
    expect(answer.body.issues).toContainEqual({ path, message: expect.stringContaining(message) });
    expect(await records("probe_read")).toBe(before);
  });

  it("with a misspelled member names the right one", async () => {
    const answer = await post(`{"tenantID":"${service.tenantId}","tool":"probe_read","args":{}}`);
    expect(answer.body.issues).toContainEqual({
      path: "tenantID",
      message: 'unknown property; did you mean "tenantId"?',
    });
  });
});

it("refuses a key's flood with 429 and says when to retry", async () => {
  // Stopped, so that nothing is added to the bucket meanwhile.
  const instant = Temporal.Now.instant();
  await using slow = await startTestService(
    { RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "3" },
    { extraTools: probes.tools, clock: { now: () => instant } },
  );
  const answers = await Promise.all(Array.from({ length: 8 }, () => slow.call("probe_read", { text: "a" })));
  const refused = answers.filter((answer) => answer.status === 429);
  expect(refused).toHaveLength(5);
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
  expect(refused[0]?.body).toMatchObject({ code: "rate_limited", retryable: true });
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
});
