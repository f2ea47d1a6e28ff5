import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEGACY, MODERN, type SendOptions, sendMcp, toMessage } from "../../../test/support/mcp.ts";
import { type Answer, isSignedBy, startTestService, type TestService } from "../../../test/support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ALLOWED_ORIGINS: "https://app.example", ALLOWED_HOSTS: "mcp.example" });
});
afterAll(() => service[Symbol.asyncDispose]());

/** The body as given, with matching headers unless they are given too. */
function raw(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answer> {
  return service.send("/api/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${service.apiKey}`,
      ...headers,
    },
    body,
  });
}

function expectError(answer: Answer, status: number, code: number): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.body).toMatchObject({ jsonrpc: "2.0", error: { code, message: expect.any(String) } });
  expect(answer.text).not.toMatch(/\bat \S+ \(|node:|\.ts:/);
  expect(isSignedBy(answer, service.signingSecret)).toBe(true);
}

const call = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" });

describe("malformed messages", () => {
  it.each([
    { name: "nothing", body: "", status: 400, code: -32_700 },
    { name: "half of one", body: '{"jsonrpc":"2.0",', status: 400, code: -32_700 },
    { name: "bad UTF-8", body: new Uint8Array([0x22, 0xff, 0x22]), status: 400, code: -32_700 },
    { name: "a number", body: "7", status: 400, code: -32_600 },
    { name: "null", body: "null", status: 400, code: -32_600 },
    { name: "an empty object", body: "{}", status: 400, code: -32_600 },
    { name: "another protocol", body: '{"jsonrpc":"1.0","id":1,"method":"ping"}', status: 400, code: -32_600 },
    { name: "a method that is a number", body: '{"jsonrpc":"2.0","id":1,"method":7}', status: 400, code: -32_600 },
    {
      name: "params that are a list",
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
      status: 400,
      code: -32_600,
    },
    { name: "an empty batch", body: "[]", status: 400, code: -32_600 },
    { name: "deep nesting", body: `${"[".repeat(5_000)}${"]".repeat(5_000)}`, status: 400, code: -32_600 },
    { name: "5 MB", body: `"${"x".repeat(5_000_000)}"`, status: 413, code: -32_000 },
  ])("$name is an error of the protocol", async ({ body, status, code }) => {
    expectError(await raw(body), status, code);
  });

  it.each([null, true, 1.5, {}, []])("the id %j is refused", async (id) => {
    expectError(await raw(call(id)), 400, -32_600);
  });

  it.each([0, -1, 2 ** 53, "", "ü\u2028", "x".repeat(1000)])("the id %j is given back", async (id) => {
    for (const method of ["tools/list", "ping"]) {
      const answer = await raw(JSON.stringify({ jsonrpc: "2.0", id, method }));
      if (typeof id === "number" && !Number.isSafeInteger(id)) expectError(answer, 400, -32_600);
      else expect(answer.body).toMatchObject({ id, result: {} });
    }
  });

  it("text/plain is refused, and so is HTML", async () => {
    expectError(await raw(call(1), { "content-type": "text/plain" }), 415, -32_000);
    expectError(await raw(call(1), { accept: "text/html" }), 406, -32_000);
  });

  it("a notification and a response get 202 and no body", async () => {
    for (const message of ['"method":"notifications/initialized"', '"id":1,"result":{}']) {
      const answer = await raw(`{"jsonrpc":"2.0",${message}}`);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: "" });
    }
  });
});

describe("methods and versions", () => {
  it("unknown methods are distinguished from unknown pages", async () => {
    expectError(await sendMcp(service, "tools/explode", {}), 404, -32_601);
    expectError(await sendMcp(service, "tools/explode", {}, { era: "legacy" }), 200, -32_601);
  });

  it("unknown revisions are answered with the known ones", async () => {
    const legacy = await sendMcp(
      service,
      "tools/list",
      {},
      { era: "legacy", headers: { "mcp-protocol-version": "2024-01-01" } },
    );
    expectError(legacy, 400, -32_022);
    expect(legacy.body).toMatchObject({ error: { data: { supported: expect.arrayContaining([MODERN, LEGACY]) } } });
    const future = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const modern = await sendMcp(
      service,
      "tools/list",
      {},
      { meta: future, headers: { "mcp-protocol-version": "2099-01-01" } },
    );
    expectError(modern, 400, -32_022);
    expect(modern.body).toMatchObject({ error: { data: { supported: expect.arrayContaining([MODERN]) } } });
  });

  const mismatches: readonly SendOptions[] = [
    { headers: { "mcp-method": "tools/list" } },
    { headers: { "mcp-name": "search_hotels" } },
    { headers: { "mcp-protocol-version": LEGACY } },
  ];
  it.each(mismatches)("headers that contradict the body are refused: %j", async (options) => {
    expectError(await sendMcp(service, "tools/call", { name: "search_flights", arguments: {} }, options), 400, -32_020);
  });

  it.each(["GET", "DELETE", "PUT", "PATCH"])("%s is not allowed", async (method) => {
    for (const url of [`${service.appUrl}/api/mcp`, `${service.edgeUrl}/mcp`]) {
      const response = await fetch(url, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST, OPTIONS");
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: {} });
    }
  });
});

describe("access", () => {
  it("a missing key, a bad key and a bad header are HTTP 401", async () => {
    for (const authorization of ["", "Bearer ak_wrong", "Basic abc"]) {
      const answer = await raw(call(1), { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(answer.body).toMatchObject({ ok: false, code: "unauthorized" });
    }
  });

  it.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["http://localhost.evil.example", 403],
    ["http://127.0.0.1.evil.example", 403],
    ["https://app.example", 200],
    ["http://localhost:5173", 200],
    ["http://[::1]:1", 200],
  ])("a page of %s gets %d", async (origin, status) => {
    const answer = await raw(call(1), { origin, ...modernless });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("access-control-allow-origin")).toBe(status === 200 ? origin : null);
    const before = await raw(call(1), { origin, authorization: "" });
    expect(before.status).toBe(status === 200 ? 401 : 403);
  });

  it.each([
    ["evil.example", 403],
    ["localhost.evil.example", 403],
    ["", 400],
    ["mcp.example:8080", 200],
    ["localhost", 200],
    ["[::1]:99", 200],
    ["192.168.1.7:3000", 200],
  ])("the host %j gets %d", async (host, status) => {
    const body = call(1);
    const said = await overSocket(
      `POST /api/mcp HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-type: application/json\r\nauthorization: Bearer ${service.apiKey}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(said).toMatch(status === 400 ? /^HTTP\/1.1 40[03] / : new RegExp(`^HTTP/1.1 ${status} `));
    expect(said).toMatch(/content-type: application\/(?:problem\+)?json/i);
  });
});

const modernless = { "mcp-protocol-version": LEGACY };

describe("the list", () => {
  const names = (answer: Answer) => /"tools":\[.*/s.exec(answer.text)?.[0].match(/"name":"\w+","title"/g)?.length ?? 0;

  it("is filtered by area and effect, and reports unknown filters", async () => {
    const all = names(await sendMcp(service, "tools/list", {}));
    const flights = names(await sendMcp(service, "tools/list", {}, { path: "/api/mcp?areas=flights" }));
    const reads = await sendMcp(service, "tools/list", {}, { path: "/api/mcp?areas=flights,stays&readonly=1" });
    expect(all).toBeGreaterThan(flights);
    expect(flights).toBeGreaterThan(names(await sendMcp(service, "tools/list", {}, { path: "/api/mcp?areas=stays" })));
    expect(reads.text).toContain("search_hotels");
    expect(reads.text).not.toContain('"name":"book_flight"');
    const unknown = await sendMcp(service, "tools/list", {}, { path: "/api/mcp?areas=flihgts" });
    expectError(unknown, 400, -32_602);
    expect(unknown.text).toContain('Did you mean \\"flights\\"');
    expectError(await sendMcp(service, "tools/list", {}, { path: "/api/mcp?readonly=maybe" }), 400, -32_602);
  });

  it("has what the key may do, and calling the rest names the missing scope", async () => {
    const { apiKey } = await service.operator((identity) =>
      identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", scopes: ["stays:read"], actor: "test" }),
    );
    const list = await sendMcp(service, "tools/list", {}, { key: apiKey });
    expect(list.text.match(/"name":"search_\w+"/g)).toEqual([
      '"name":"search_hotels"',
      '"name":"search_family_hotels"',
      '"name":"search_more_stays"',
    ]);
    const args = { name: "search_flights", arguments: {} };
    const refused = await sendMcp(service, "tools/call", args, { key: apiKey });
    expect(refused.body).toMatchObject({ result: { isError: true } });
    expect(refused.text).toContain("flights:read");
  });

  it("is given to hundreds at once and a thousand in all, byte for byte the same", async () => {
    const { headers, message } = toMessage("tools/list", {});
    const init = {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify(message),
    };
    const texts = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => service.send("/api/mcp", init)));
      for (const { status, text } of answers) texts.add(`${status} ${text}`);
    }
    expect(texts.size).toBe(1);
    expect([...texts][0]).toMatch(/^200 /);
  });
});

it("a half-closed connection does not harm the service", async () => {
  const body = call(1);
  const head = `POST /api/mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${service.apiKey}\r\ncontent-type: application/json\r\n`;
  await Promise.all([
    overSocket(`${head}content-length: ${body.length}\r\n\r\n${body}`, { halfClose: true }),
    overSocket(`${head}content-length: 999\r\n\r\n${body}`, { halfClose: true }),
  ]);
  expect((await raw(body)).status).toBe(200);
});

function overSocket(text: string, options: { halfClose?: boolean } = {}): Promise<string> {
  const { port } = new URL(service.appUrl);
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true }, () => {
      if (options.halfClose === true) socket.end(text);
      else socket.write(text);
    });
    socket.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
    socket.on("end", () => {
      socket.end();
      resolve(said);
    });
    socket.on("error", (error) => (options.halfClose === true ? resolve(said) : reject(error)));
  });
}
