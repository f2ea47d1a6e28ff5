import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProcesses } from "../../chaos/src/processes.ts";
import { startTestService, type TestService } from "../../server/test/support/service.ts";
import { conformanceExtras } from "../src/fixtures/index.ts";
import { conformanceProgram, runSuites } from "../src/run.ts";
import { isConformant } from "../src/run-suite.ts";

const PROGRAM = resolve(import.meta.dirname, "../src/run.ts");
const LONG = 900_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "conformance-test-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** The command as an operator runs it; its temporary files go into a folder of their own, so that what it leaves shows. */
function runCommand(...args: readonly string[]) {
  const temporary = join(folder, `run-${args.length}`);
  mkdirSync(temporary);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said += text;
    });
  }
  return new Promise<{ code: number | null; said: string; left: unknown[] }>((done) => {
    child.once("close", (code) => {
      done({ code, said, left: [...readdirSync(temporary), ...findProcesses(temporary)] });
    });
  });
}

test(
  "both suites pass on both endpoints, and nothing is left behind",
  async () => {
    const { code, said, left } = await runCommand();
    expect(said).not.toMatch(/FAILED|STALE/);
    const rows = [...said.matchAll(/^(\S+) +(\S+) +(app \/api\/mcp|edge \/mcp) +(\d+) .* ok$/gm)];
    expect(rows.map(([, revision, version, endpoint]) => [revision, version, endpoint])).toEqual([
      ["2025-11-25", "0.1.16", "app /api/mcp"],
      ["2025-11-25", "0.1.16", "edge /mcp"],
      ["2026-07-28", "0.2.0-alpha.12", "app /api/mcp"],
      ["2026-07-28", "0.2.0-alpha.12", "edge /mcp"],
    ]);
    // Shown by something, not by nothing.
    for (const [, , , , passed] of rows) expect(Number(passed)).toBeGreaterThan(20);
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  LONG,
);

const ask = (service: TestService, method: string, params: object, key?: string) =>
  service.send("/api/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

const fixture = { name: "test_simple_text", arguments: {} };
const realTool = { name: "find_airports_nearby", arguments: { latitude: 51.47, longitude: -0.45 } };

test.for([["--break", "nothing"], ["--suite", "all"], ["app"]])("called wrongly, it says how: %s", async (args) => {
  const said: string[] = [];
  const output = { out: (text: string) => said.push(text), error: (text: string) => said.push(text) };
  expect(await conformanceProgram(args, output, new AbortController().signal)).toBe(2);
  expect(said.join("")).toContain("npm run conformance -- --help");
});

describe("with the fixtures", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({}, { decorate: { mcpExtras: () => conformanceExtras } });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test("callers on this machine reach the fixtures without a key, and nothing else", async () => {
    const called = await ask(service, "tools/call", fixture);
    expect(called.status).toBe(200);
    expect(called.text).toContain("This is a simple text response");
    expect((await ask(service, "tools/call", realTool)).status).toBe(401);
  });

  test("a key counts as ever, and so does a wrong one", async () => {
    const called = await ask(service, "tools/call", realTool, service.apiKey);
    expect(called.status).toBe(200);
    expect(called.text).toContain("LHR");
    expect((await ask(service, "tools/call", fixture, `ak_${"x".repeat(40)}`)).status).toBe(401);
  });
});

const LAUNCHER = resolve(import.meta.dirname, "../../scripts/start.mjs");
/** Enough for a production start to be thought of; none of it is reached. */
const production = {
  NETWORK_MODE: "production",
  PORT: "0",
  EDGE_PORT: "0",
  SUPPLIER_URL: "https://supplier.example.com",
  SUPPLIER_TOKEN: "token",
  MASTER_KEY_FILE: "/nowhere/master.key",
  CHAIN_RPC_URL: "https://chain.example.com",
  CHAIN_RELAYER_KEY_FILE: "/nowhere/relayer.key",
  CHAIN_USDC: `0x${"1".repeat(40)}`,
  CHAIN_EURC: `0x${"2".repeat(40)}`,
};

/** A start that is refused: its last words. */
function launch(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [LAUNCHER], { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  return new Promise<{ code: number | null; said: string }>((done) => {
    child.once("close", (code) => done({ code, said }));
  });
}

describe("npm start", () => {
  test("starts the service with the fixtures when CONFORMANCE is 1, and not in production", async () => {
    expect(await launch({ ...production, CONFORMANCE: "1" })).toEqual({
      code: 1,
      said: "Not started: CONFORMANCE is for the sandbox only.\n",
    });
    expect((await launch(production)).said).toMatch(/master\.key/);
  });

  test("takes no other value of it", async () => {
    expect(await launch({ CONFORMANCE: "yes" })).toEqual({
      code: 1,
      said: "Not started: CONFORMANCE is 1 or not set.\n",
    });
  });
});

test("nothing of the service knows of the suites", () => {
  const source = resolve(import.meta.dirname, "../../server/src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(100);
  // But for what a part of a PDF's description is called, and says of itself.
  const suites = /conformance(?!Level| level of the embedded XML)/i;
  expect(files.filter((path) => suites.test(readFileSync(join(source, path), "utf8")))).toEqual([]);
});

describe("without the fixtures", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test(
    "the suites fail, so that passing them says something",
    async () => {
      const runs = await runSuites({ ...service, folder: join(folder, "bare"), signal: new AbortController().signal });
      expect(runs).toHaveLength(4);
      for (const { result } of runs) {
        expect(result.exitCode).toBe(1);
        expect(result.unexpected.map(({ scenario }) => scenario)).toContain("tools-call-simple-text");
        expect(isConformant(result)).toBe(false);
      }
    },
    LONG,
  );

  test.for(["tools/list", "tools/call"])("%s without a key is refused", async (method) => {
    const { status, headers } = await ask(service, method, method === "tools/call" ? { name: "test_simple_text" } : {});
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  test.for([
    ["tools/list", "search_flights"],
    ["resources/list", "uri"],
    ["prompts/list", "arguments"],
  ] as const)("%s has no fixtures", async ([method, something]) => {
    const { status, text } = await ask(service, method, {}, service.apiKey);
    expect(status).toBe(200);
    expect(text).toContain(something);
    expect(text).not.toMatch(/test_|test:\/\/|json_schema_2020_12_tool/);
  });

  test("a fixture is an unknown tool", async () => {
    const { text } = await ask(service, "tools/call", { name: "test_simple_text", arguments: {} }, service.apiKey);
    expect(text).toContain("error");
    expect(text).not.toContain("This is a simple text response");
  });
});
