import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type ApiDescription, members, readApiDescription } from "../../../../test/support/api-description.ts";
import { sendRaw } from "../../../../test/support/raw-http.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { catalog } from "../../../contributions.ts";
import { callHttpStatus, statusByCode, TOOL_FAILURE_STATUS } from "../../../domain/errors.ts";
import { createOpenApi } from "./openapi.ts";

const PATH = "/api/openapi.json";
const DISPATCH = "/api/agent/dispatch";
const PAID_SURFACE = [
  "payment_malformed",
  "payment_required",
  "payment_invalid",
  "payment_identifier_conflict",
  "payment_unavailable",
  "settlement_pending",
];
const Reports = z.array(
  z.object({ totals: z.object({ errors: z.int() }), problems: z.array(z.object({ ruleId: z.string() })) }),
);
const redocly = resolve(import.meta.dirname, "../../../../../node_modules/@redocly/cli/bin/cli.js");

// Runs a linter and a validator over the whole description.
vi.setConfig({ testTimeout: 240_000 });

let service: TestService;
let url: string;
let text: string;
let api: ApiDescription;

beforeAll(async () => {
  service = await openSharedService();
  url = `${service.appUrl}${PATH}`;
  text = (await sendRaw(url)).bytes.toString();
  api = readApiDescription(text);
});

afterAll(() => service?.[Symbol.asyncDispose]());

/** The problem codes that an operation lists for a status. */
function codesAt(path: string, method: string, status: number): unknown {
  const answer = members(members(api.find(path, method)?.members.responses)[status]);
  const schema = members(members(members(answer.content)["application/problem+json"]).schema);
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  return parts.map((part) => members(members(members(part).properties).code).enum).find((codes) => codes !== undefined);
}

describe("GET /api/openapi.json", () => {
  it("is made between other requests, so that none waits for the whole of it", async () => {
    const today = Temporal.PlainDate.from("2026-11-27");
    let isMade = false;
    const made = createOpenApi(catalog, { appUrl: url, routes: [], events: [], today }).finally(() => {
      isMade = true;
    });
    let turns = 0;
    for (; !isMade; turns += 1) await setImmediate();
    expect(JSON.parse(await made)).toMatchObject({ openapi: "3.1.0" });
    expect(turns).toBeGreaterThanOrEqual(catalog.entries.length);
  });

  it("is JSON that any page may read and cache for an hour", async () => {
    const { status, headers, bytes } = await sendRaw(url);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["cache-control"]).toBe("max-age=3600");
    expect(headers["content-length"]).toBe(String(bytes.length));
  });

  it("answers HEAD with the same headers and nothing else", async () => {
    const [get, head] = await Promise.all([sendRaw(url), sendRaw(url, { method: "HEAD" })]);
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    expect({ ...head.headers, date: "" }).toEqual({ ...get.headers, date: "" });
  });

  it.each([
    ["the same", (etag: string) => etag],
    ["the same, called weak", (etag: string) => `W/${etag}`],
    ["one of several", (etag: string) => `"other", ${etag}`],
    ["any", () => "*"],
  ])("is not sent again to who has %s", async (_name, findTag) => {
    const first = await sendRaw(url);
    const etag = first.headers.etag ?? "";
    const again = await sendRaw(url, { headers: { "if-none-match": findTag(etag) } });
    expect(again.status).toBe(304);
    expect(again.bytes).toHaveLength(0);
    expect(again.headers.etag).toBe(etag);
    expect(again.headers["access-control-allow-origin"]).toBe("*");
  });

  it("is sent to clients with an outdated one", async () => {
    const { status } = await sendRaw(url, { headers: { "if-none-match": '"other"' } });
    expect(status).toBe(200);
  });

  it.each([
    ["gzip", "gzip", gunzipSync],
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ["*", "br", brotliDecompressSync],
  ])("is compressed for who takes %s", async (accepted, encoding, unpack) => {
    const answer = await sendRaw(url, { headers: { "accept-encoding": accepted } });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.headers.vary).toBe("accept-encoding");
    expect(unpack(answer.bytes).toString()).toBe(text);
    expect(answer.bytes.length).toBeLessThan(text.length / 4);
    // Another representation has another ETag.
    const plain = await sendRaw(url, { headers: { "if-none-match": answer.headers.etag ?? "" } });
    expect(plain.status).toBe(200);
  });

  it("answers preflights of other origins", async () => {
    const { status, headers } = await sendRaw(url, {
      method: "OPTIONS",
      headers: { origin: "https://example.com", "access-control-request-method": "GET" },
    });
    expect(status).toBe(204);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["access-control-allow-methods"]).toBe("GET, HEAD, OPTIONS");
  });

  it("refuses POST", async () => {
    const answer = await service.send(PATH, { method: "POST", body: "{}" });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
  });
});

describe("the description", () => {
  it("is OpenAPI 3.1.0, version 1.0.0, of this host", () => {
    expect(api.document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: service.appUrl }],
    });
  });

  it("passes Redocly's rules without an error, as the description of the paid surface does", async () => {
    const files = ["openapi.json", "edge-openapi.json"].map((name) => join(service.dataDir, name));
    const texts = [text, (await sendRaw(`${service.edgeUrl}/openapi.json`)).bytes.toString()];
    for (const [index, file] of files.entries()) writeFileSync(file, texts[index] ?? "");
    const environment = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const lint = promisify(execFile)(process.execPath, [redocly, "lint", "--format=json", ...files], {
      cwd: service.dataDir,
      env: environment,
    });
    // One report for each file.
    const reports = Reports.parse(JSON.parse(`[${(await lint).stdout.replaceAll("\n}{", "\n},{")}]`));
    expect(reports.map(({ totals }) => totals.errors)).toEqual([0, 0]);
    // A public operation without input has no client errors.
    const remarks = new Set(reports[0]?.problems.map(({ ruleId }) => ruleId));
    expect(remarks).toEqual(new Set(["operation-4xx-response"]));
  });

  it("has one operation for each tool, with its name fixed", () => {
    const described = api.operations.filter(({ path }) => path.startsWith(DISPATCH)).map(({ path }) => path);
    const ofTools = catalog.names().map((name) => `${DISPATCH}#${name}`);
    expect(described).toEqual([...ofTools, `${DISPATCH}#input`, `${DISPATCH}#text`]);
    for (const name of catalog.names()) {
      const steps = ["paths", `${DISPATCH}#${name}`, "post", "requestBody", "content", "application/json", "schema"];
      const body = { tenantId: service.tenantId, tool: name, args: catalog.find(name)?.tool.example(today()) };
      expect(api.problems(steps, body)).toEqual([]);
      const { tenantId: _, ...withoutTenant } = body;
      expect(api.problems(steps, withoutTenant)).not.toEqual([]);
      expect(api.problems(steps, { ...body, tool: "another" })).not.toEqual([]);
      expect(api.problems(steps, { ...body, stray: 1 })).not.toEqual([]);
      expect(api.problems(steps, { ...body, args: { ...body.args, stray: 1 } })).not.toEqual([]);
    }
  });

  it("lists the codes of each tool at 500", () => {
    for (const { tool } of catalog.entries) {
      const own = Object.keys(tool.errors).filter((code) => callHttpStatus(code) === TOOL_FAILURE_STATUS);
      expect(codesAt(`${DISPATCH}#${tool.name}`, "post", 500)).toEqual([...own, "tool_failed", "internal_error"]);
    }
  });

  it("lists every other code at its status", () => {
    // A description lists the existing methods and none that is refused.
    // Operations are described for keys, not for signed-in people, and MCP alone asks for confirmations.
    const others = ["session_refused", "sign_in_again", "confirmation_required", "not_confirmed"];
    const elsewhere = [...PAID_SURFACE, ...others, "method_not_allowed"];
    const everywhere = Object.entries(statusByCode).filter(([code]) => !elsewhere.includes(code));
    const named = new Set(
      api.operations.flatMap(({ path, method, members: operation }) =>
        Object.keys(members(operation.responses)).flatMap((status) => {
          const codes = codesAt(path, method, Number(status));
          return Array.isArray(codes) ? codes.map((code) => `${status} ${code}`) : [];
        }),
      ),
    );
    const missing = everywhere.filter(([code, status]) => !named.has(`${status} ${code}`)).map(([code]) => code);
    expect(missing).toEqual([]);
  });

  it("lists for a route only what it can answer", () => {
    const listStatuses = (path: string, method: string) =>
      Object.keys(members(api.find(path, method)?.members.responses));
    expect(listStatuses("/api/usage", "get")).toEqual(["200", "400", "401", "403", "429", "431", "500", "503"]);
    expect(listStatuses("/healthz", "get")).toEqual(["200"]);
  });

  it("requires a key with the scope of the tool or route", () => {
    for (const { tool, scopes } of catalog.entries) {
      const asked = scopes.length === 0 ? [{ apiKey: [] }] : scopes.map((scope) => ({ apiKey: [scope] }));
      expect(api.find(`${DISPATCH}#${tool.name}`, "post")?.members.security).toEqual(asked);
    }
    expect(api.find("/api/usage", "get")?.members.security).toEqual([{ apiKey: ["usage:read"] }]);
    expect(api.find("/api/travelers/{userId}", "put")?.members.security).toEqual([{ apiKey: ["travelers:write"] }]);
    expect(api.find("/healthz", "get")?.members.security).toEqual([]);
  });

  it("has examples that match their schemas", () => {
    const { count, found } = api.exampleProblems();
    expect(found).toEqual([]);
    expect(count).toBeGreaterThan(catalog.entries.length * 10);
  });

  it("describes every route of the application host under /api, and its health", () => {
    const described = new Set(
      api.operations.map(({ path, method }) => `${method.toUpperCase()} ${path.split("#")[0]}`),
    );
    const mounted = service.app.routes
      .filter(
        ({ method, path }) => method !== "OPTIONS" && (path.startsWith("/api/") || /^\/(health|ready)z$/.test(path)),
      )
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    expect(mounted).toContain("GET /api/usage");
    expect(mounted.filter((route) => !described.has(route))).toEqual([]);
    expect([...described].filter((route) => !mounted.includes(route))).toEqual([]);
  });
});

describe("real answers match their description:", () => {
  const authorized = () => ({ authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" });

  // Checking the whole description takes longer than an idle connection is kept, so both ends close it first.
  beforeAll(async () => {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  });

  it.each(catalog.names().map((name) => [name]))("by %s", async (name) => {
    const answer = await service.call(name, catalog.find(name)?.tool.example(today()));
    expect(api.answerProblems(`${DISPATCH}#${name}`, "post", answer)).toEqual([]);
  });

  it("by a booking", async () => {
    const found = await service.call("search_flights", catalog.find("search_flights")?.tool.example(today()));
    const offers = members(found.body.result).offers;
    const offerId = Array.isArray(offers) ? members(offers[0]).id : undefined;
    const booked = await service.call("book_flight", { offerId }, { headers: { "idempotency-key": "once" } });
    expect(booked.status).toBe(200);
    const again = await service.call("book_flight", { offerId }, { headers: { "idempotency-key": "once" } });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await service.call("book_flight", { offerId: "off_x" }, { headers: { "idempotency-key": "once" } });
    expect(other.status).toBe(422);
    await service.call("book_flight", { offerId: "off_x" }, { headers: { "idempotency-key": "lost" } });
    const lost = await service.call("book_flight", { offerId: "off_x" }, { headers: { "idempotency-key": "lost" } });
    expect(lost.status).toBe(500);
    expect(lost.headers.get("idempotent-replayed")).toBe("true");
    for (const answer of [booked, again, other, lost]) {
      expect(api.answerProblems(`${DISPATCH}#book_flight`, "post", answer)).toEqual([]);
    }
  });

  it("by a refused call", async () => {
    const path = `${DISPATCH}#search_flights`;
    const args = { origin: "LHR", destination: "JFK", departureDate: "2020-02-30" };
    for (const [answer, status] of [
      [await service.call("search_flights", args), 400],
      [await service.call("search_flights", args, { key: "ak_none" }), 401],
      [await service.call("search_flights", args, { tenantId: "tenant_none" }), 404],
      [await service.call("search_flights", args, { headers: { "content-type": "text/plain" } }), 415],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(api.answerProblems(path, "post", answer)).toEqual([]);
    }
  });

  it("by the travelers' routes", async () => {
    const path = "/api/travelers/{userId}";
    const body = members(
      members(members(members(api.find(path, "put")?.members.requestBody).content)["application/json"]),
    );
    const put = () =>
      service.send("/api/travelers/user_ada", {
        method: "PUT",
        headers: authorized(),
        body: JSON.stringify(body.example),
      });
    for (const status of [201, 200]) {
      const answer = await put();
      expect(answer.status).toBe(status);
      expect(api.answerProblems(path, "put", answer)).toEqual([]);
    }
    for (const [userId, status] of [
      ["user_ada", 200],
      ["user_nobody", 404],
    ] as const) {
      const answer = await service.send(`/api/travelers/${userId}`, { headers: authorized() });
      expect(answer.status).toBe(status);
      expect(api.answerProblems(path, "get", answer)).toEqual([]);
    }
  });

  it("by the usage route", async () => {
    for (const [query, status] of [
      ["?limit=1", 200],
      ["?limit=0", 400],
      ["?limit=201", 400],
      ["?cursor=x", 400],
    ] as const) {
      const answer = await service.send(`/api/usage${query}`, { headers: authorized() });
      expect(answer.status).toBe(status);
      expect(api.answerProblems("/api/usage", "get", answer)).toEqual([]);
    }
  });

  it("by the MCP endpoint", async () => {
    const send = (body: string, headers: Readonly<Record<string, string>> = {}) =>
      service.send("/api/mcp", { method: "POST", headers: { ...authorized(), ...headers }, body });
    const message = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const list = message("tools/list", {});
    const example = catalog.find("search_flights")?.tool.example(today());
    const key = { "idempotency-key": "over MCP" };
    for (const [answer, status] of [
      [await send(list), 200],
      [await send(message("tools/call", { name: "search_flights", arguments: { origin: "LHR" } })), 200],
      [await send(message("tools/call", { name: "search_flights", arguments: example }), key), 200],
      [await send(message("tools/call", { name: "search_flights", arguments: example }), key), 200],
      [await send("{"), 400],
      [await send(list, { authorization: "Bearer ak_none" }), 401],
      [await send(list, { origin: "https://elsewhere.example" }), 403],
      [await send(list, { accept: "text/html" }), 406],
      [await send(message("x", { text: "x".repeat(300_000) })), 413],
      [await send(list, { "content-type": "text/plain" }), 415],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(api.answerProblems("/api/mcp", "post", answer)).toEqual([]);
    }
  });

  it("by the public routes", async () => {
    for (const path of ["/healthz", "/readyz", PATH, "/api/mcp/server-card"]) {
      const answer = await service.send(path, {});
      expect(answer.status).toBe(200);
      expect(api.answerProblems(path, "get", answer)).toEqual([]);
    }
  });
});

function today(): Temporal.PlainDate {
  return Temporal.Now.plainDateISO("UTC");
}
