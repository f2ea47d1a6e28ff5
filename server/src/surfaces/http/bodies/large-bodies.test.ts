import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Era, sendMcp } from "../../../../test/support/mcp.ts";
import { type Buyer, createBuyer } from "../../../../test/support/paid.ts";
import { createProbes } from "../../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { newFundedTenant } from "../../../../test/support/treasury.ts";
import { technicalBounds } from "../../../domain/schemas.ts";
import { defineAnyTool, type Tool } from "../../../kernel/contracts/tool.ts";

/** Bodies over 256 kB, which only calls of tools that take documents may have. */

const MEGABYTE = 1024 * 1024;
const MOST = 14 * MEGABYTE;
const [probeRead] = createProbes().tools;
if (probeRead === undefined) throw new Error("There is no probe.");
const usual: Tool = { ...probeRead, name: "probe_open", payableWithoutKey: true };

let waits = Promise.resolve();
/** The lengths of the texts in calls. */
const seen: number[] = [];
const large = defineAnyTool({
  name: "probe_large",
  title: "Probe (large)",
  summary: "For tests.",
  area: "documents",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: [],
  maximumBodyBytes: MOST,
  input: z.strictObject({ text: z.string().register(technicalBounds, { characters: MOST }) }),
  output: z.object({ length: z.number() }),
  errors: {},
  example: () => ({ text: "hello" }),
  async run({ text }) {
    seen.push(text.length);
    await waits;
    return { length: text.length };
  },
});

let service: TestService;
let buyer: Buyer;
let poorKey: string;
beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: "127.0.0.0/8, ::1" }, { extraTools: [usual, large] });
  buyer = createBuyer(service);
  const { tenantId } = service;
  const input = { tenantId, environment: "sandbox", scopes: ["flights:read"], actor: "test" } as const;
  poorKey = (await service.operator((identity) => identity.mintKey(input))).apiKey;
});
afterAll(() => service?.[Symbol.asyncDispose]());

const text = "x".repeat(9 * MEGABYTE);
const FITS = 300_000;

const overMcp = (era: Era, name: string, args: object, options = {}) =>
  sendMcp(service, "tools/call", { name, arguments: args }, { era, ...options });

/** The status of a large call by a raw socket, as clients that are still sending do not see an early answer. */
async function firstStatus(key: string, from: string): Promise<number> {
  const { hostname, port } = new URL(service.appUrl);
  const socket = connect({ host: hostname, port: Number(port) }).on("error", () => undefined);
  const body = JSON.stringify({ tool: "probe_large", args: { text } });
  const head = [
    ...["POST /api/agent/dispatch HTTP/1.1", "Host: localhost", "Content-Type: application/json"],
    ...[`Authorization: Bearer ${key}`, `X-Forwarded-For: ${from}`, `Content-Length: ${body.length}`],
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  const [data] = z.tuple([z.instanceof(Buffer)]).parse(await once(socket, "data"));
  socket.destroy();
  return Number(data.toString().split(" ")[1]);
}

describe("a call of a tool that takes documents", () => {
  it("may have 14 MB on dispatch, on both paths of MCP, and paid", async () => {
    seen.length = 0;
    const dispatched = await service.call("probe_large", { text });
    expect([dispatched.status, dispatched.body.result]).toEqual([200, { length: text.length }]);
    for (const era of ["legacy", "modern"] as const) {
      expect((await overMcp(era, "probe_large", { text })).status).toBe(200);
    }
    // Not plain, so that the library answers it.
    expect((await overMcp("legacy", "probe_large", { text }, { meta: { progressToken: 1 } })).status).toBe(200);
    const headers = { "payment-signature": await buyer.sign("probe_large") };
    expect((await buyer.post("probe_large", { text }, headers)).status).toBe(200);
    expect(seen).toEqual(Array(5).fill(text.length));
  });

  it("may not have more", async () => {
    const { status, body } = await service.call("probe_large", { text: "x".repeat(MOST) });
    expect([status, body.code]).toEqual([413, "too_large"]);
    expect(body.detail).toContain(`over ${MOST} bytes`);
    expect(body.detail).toContain("A file sent as base64 may have");
  });

  it("has its size in the text of arguments alone, not in names, ids or very many values", async () => {
    const half = "x".repeat(FITS);
    const bodies = [
      { tool: "probe_large", args: { [half]: "" } },
      { tool: "probe_large", args: { text: Array.from({ length: 100_000 }, () => []) } },
      { tool: "probe_large", args: { text: Array.from({ length: 200_000 }, () => 1) } },
      { tool: half, args: {} },
    ];
    for (const body of bodies) {
      const answer = await service.send("/api/agent/dispatch", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
      });
      expect([answer.status, answer.body.code]).toEqual([413, "too_large"]);
      expect(answer.text.length).toBeLessThan(1_000);
    }
  });

  it("has its room until it is answered: a tenant has one this large at a time, and others have theirs", async () => {
    const waiting = Promise.withResolvers<void>();
    waits = waiting.promise;
    seen.length = 0;
    const first = service.call("probe_large", { text });
    await expect.poll(() => seen).toHaveLength(1);
    expect(await firstStatus(service.apiKey, "198.51.100.1")).toBe(429);
    // Control: small calls of the same tenant still work, and so do large ones of others.
    expect((await service.call("probe_open", { text: "small" })).status).toBe(200);
    const other = await newFundedTenant(service, "Other");
    const second = firstStatus(other.apiKey, "198.51.100.2");
    await expect.poll(() => seen).toHaveLength(2);
    waiting.resolve();
    expect([(await first).status, await second]).toEqual([200, 200]);
    expect(await firstStatus(service.apiKey, "198.51.100.1")).toBe(200);
  });
});

describe("256 kB is the limit", () => {
  it("for every other tool, on every surface", async () => {
    const more = { text: "x".repeat(FITS) };
    expect((await service.call("probe_open", more)).status).toBe(413);
    for (const era of ["legacy", "modern"] as const) expect((await overMcp(era, "probe_open", more)).status).toBe(413);
    const headers = { "payment-signature": await buyer.sign("probe_open") };
    expect((await buyer.post("probe_open", more, headers)).status).toBe(413);
    const batch = [1, 2].map((id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "probe_large", arguments: { text: "x".repeat(FITS) } },
    }));
    const answer = await service.send("/api/mcp", {
      method: "POST",
      body: JSON.stringify(batch),
      headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
    });
    expect(answer.status).toBe(413);
  });

  it("for a key that may not call such a tool, before its body is read", async () => {
    const before = seen.length;
    const more = { text: "x".repeat(FITS) };
    expect((await service.call("probe_large", more, { key: poorKey })).status).toBe(413);
    expect((await overMcp("legacy", "probe_large", more, { key: poorKey })).status).toBe(413);
    const paying = { "payment-signature": await buyer.sign("probe_large"), authorization: `Bearer ${poorKey}` };
    expect((await buyer.post("probe_large", more, paying)).status).toBe(413);
    // Control: a body of the allowed size is refused for its scope.
    expect((await service.call("probe_large", { text: "x" }, { key: poorKey })).status).toBe(403);
    expect(seen.length).toBe(before);
  });
});
