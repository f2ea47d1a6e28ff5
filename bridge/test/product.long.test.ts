import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startApp } from "../../server/src/compose.ts";
import { findFreePort } from "../../server/src/embedded/free-port.ts";
import { partPrograms } from "../../server/test/support/programs.ts";
import { startTestService, type TestService } from "../../server/test/support/service.ts";
import { openSharedService } from "../../server/test/support/shared-service.ts";
import { BRIDGE, startBridge } from "./support/bridge-process.ts";

// It does nothing when it is called by a path with a symbolic link in it.
const INSPECTOR = realpathSync(
  join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js"),
);
const me = { name: "bridge-test", version: "1.0.0" };
const Found = z.object({ structuredContent: z.object({ offers: z.array(z.object({ id: z.string() })).min(1) }) });
const Booked = z.object({ structuredContent: z.object({ orderId: z.string(), pnr: z.string() }) });

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const environment = () => ({ WAYFARE_URL: `${service.appUrl}/api/mcp`, WAYFARE_API_KEY: service.apiKey });
const command = () => ({ command: process.execPath, args: [BRIDGE], env: environment() });
const inDays = (days: number) => Temporal.Now.plainDateISO().add({ days }).toString();

type Call = (name: string, args: Record<string, unknown>) => Promise<object>;

async function bookThrough(call: Call, days: number): Promise<void> {
  const found = await call("search_flights", { origin: "LHR", destination: "JFK", departureDate: inDays(days) });
  const [best] = Found.parse(found).structuredContent.offers;
  const booked = Booked.parse(await call("book_flight", { offerId: best?.id })).structuredContent;
  const rows = await service.sql("select 1 from booking where order_id = $1", [booked.orderId]);
  expect(rows).toHaveLength(1);
}

describe("the official client over the bridge lists, searches and books", () => {
  it.each([
    ["2.4, 2026-07-28", { pin: "2026-07-28" }, 60],
    ["2.4, finding out", "auto", 61],
    ["2.4, initialize", "legacy", 62],
  ] as const)("%s", async (_name, mode, days) => {
    const client = new Client(me, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(command()));
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("book_flight");
      await bookThrough((name, args) => client.callTool({ name, arguments: args }), days);
    } finally {
      await client.close();
    }
  });

  it("1.32", async () => {
    const client = new ClientV1(me);
    await client.connect(new StdioClientTransportV1(command()));
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("book_flight");
      await bookThrough((name, args) => client.callTool({ name, arguments: args }), 63);
    } finally {
      await client.close();
    }
  });
});

it("the inspector lists and calls over the bridge", async () => {
  const home = mkdtempSync(join(tmpdir(), "bridge-inspector-"));
  const inspect = async (...words: string[]): Promise<unknown> => {
    const settings = Object.entries(environment()).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const child = spawn(process.execPath, [INSPECTOR, ...settings, ...words, process.execPath, BRIDGE], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, HOME: home },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
    return JSON.parse(output);
  };
  try {
    const tools = expect.arrayContaining([expect.objectContaining({ name: "search_flights" })]);
    expect(await inspect("--method", "tools/list")).toMatchObject({ tools });
    const called = await inspect(
      "--tool-arg",
      "query=Lisbon",
      "--method",
      "tools/call",
      "--tool-name",
      "find_airports_nearby",
    );
    expect(JSON.stringify(called)).toContain("LIS");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

it("a refused key and a wrong path are said to the client", async () => {
  const request = { id: 1, method: "tools/list", params: {} };
  {
    await using bridge = startBridge({ ...environment(), WAYFARE_API_KEY: `ak_${"x".repeat(40)}` });
    bridge.send(request);
    const { error } = await bridge.answer(1);
    expect(error?.data).toMatchObject({ reason: "unauthorized", status: 401 });
    expect(error?.message).toContain("API key");
  }
  {
    await using bridge = startBridge({ ...environment(), WAYFARE_URL: `${service.appUrl}/mcp-somewhere` });
    bridge.send(request);
    expect((await bridge.answer(1)).error?.data).toMatchObject({ status: 404 });
  }
});

it("a client goes on without a handshake when the service has been restarted between two calls", async () => {
  await using restarted = await startTestService({ PORT: String(await findFreePort()) });
  const url = `${restarted.appUrl}/api/mcp`;
  const client = new ClientV1(me);
  const env = { WAYFARE_URL: url, WAYFARE_API_KEY: restarted.apiKey };
  await client.connect(new StdioClientTransportV1({ command: process.execPath, args: [BRIDGE], env }));
  try {
    const call = () => client.callTool({ name: "find_airports_nearby", arguments: { query: "Lisbon" } });
    expect((await call()).isError).not.toBe(true);
    await restarted.app.stop();
    // The first of them can still find the connection that is ending.
    const refusal = () => call().then(() => "answered", String);
    await expect.poll(refusal).toContain("No server answers at");
    const port = Number(new URL(restarted.appUrl).port);
    const again = await startApp({ ...restarted.config, port }, partPrograms());
    try {
      expect((await call()).isError).not.toBe(true);
    } finally {
      await again.stop();
    }
  } finally {
    await client.close();
  }
});
