import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

/** Lines copied from a deployment's pages work as the page promises. */

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../../..");
const inspector = dirname(findPackageJSON("@modelcontextprotocol/inspector", import.meta.url) ?? "");

const GUIDES = ["connect", "http-dispatch", "mcp", "keys-and-tenants", "payments-and-caps", "going-live"] as const;
const EXPORTS = /^export /;

let service: TestService;
let folder: string;
const pages = new Map<string, string>();

beforeAll(async () => {
  service = await openSharedService();
  for (const slug of [...GUIDES, "quickstart", "tools/search_flights"]) {
    pages.set(slug, await (await fetch(`${service.appUrl}/docs/${slug}.md`)).text());
  }
  folder = mkdtempSync(join(tmpdir(), "wayfare connect "));
  mkdirSync(join(folder, ".data"));
  symlinkSync(service.quickstartFile, join(folder, ".data", "quickstart.json"));
  program("npx", `shift 2\nexec "${process.execPath}" "${inspector}/clients/launcher/build/index.js" "$@"`);
  program("node", `exec "${process.execPath}" "$@"`);
  program("claude", `printf '%s\\n' "$@"`);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Precedes this machine's programs: the ones that a reader has installed. */
function program(name: string, script: string): void {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function blocks(slug: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...(pages.get(slug) ?? "").matchAll(fence)].map((match) => match[1] ?? "");
}

/** Blocks run in a terminal where the blocks with variables ran before. */
async function runBlock(block: string): Promise<string> {
  const variables = blocks("connect", "sh").filter((one) => EXPORTS.test(one));
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", [...variables, block].join("\n")], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
  });
  return stdout;
}

const startingWith = (slug: string, word: string) => blocks(slug, "sh").filter((block) => block.startsWith(`${word} `));

describe("curl", () => {
  test.each(GUIDES.filter((slug) => !["mcp", "going-live"].includes(slug)))("lines of %s work", async (slug) => {
    const lines = blocks(slug, "sh").filter((block) => /^curl /m.test(block) && !block.includes("npm run"));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const answer: unknown = JSON.parse(await runBlock(line));
      expect(answer).not.toHaveProperty("error");
      expect(answer).not.toMatchObject({ ok: false });
    }
  });

  test("finds the airports of the place in the examples, over both surfaces", async () => {
    const [mcp = "", dispatch = ""] = await Promise.all(startingWith("connect", "curl").map(runBlock));
    expect(JSON.parse(mcp)).toMatchObject({
      result: {
        structuredContent: { airports: expect.arrayContaining([expect.objectContaining({ iataCode: "LIS" })]) },
      },
    });
    expect(JSON.parse(dispatch)).toMatchObject({
      ok: true,
      result: { airports: expect.arrayContaining([expect.objectContaining({ iataCode: "LIS" })]) },
    });
  });
});

test("the lines of a tool's page run unchanged, with dates in the future", async () => {
  const [line = ""] = blocks("tools/search_flights", "sh");
  expect(JSON.parse(await runBlock(line))).toMatchObject({ ok: true, result: { offers: expect.any(Array) } });
});

test("the quickstart leads from the key to a booked flight and its cost", async () => {
  const said = await runBlock(blocks("quickstart", "sh").join("\n"));
  expect(said).toContain("HTTP/1.1 200 OK");
  expect(said).toContain('"bookingId":"bkg_');
  expect(said).toContain('"capMicroUsdc"');
});

test("the inspector's lines list and call", async () => {
  const [list = "", call = ""] = await Promise.all(startingWith("connect", "npx").map(runBlock));
  expect(JSON.parse(list)).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: "find_airports_nearby" })]),
  });
  expect(JSON.stringify(JSON.parse(call))).toContain("LIS");
});

test("the line for Claude Code has its words in the order that it takes", async () => {
  const [line = ""] = startingWith("connect", "claude");
  expect((await runBlock(line)).trim().split("\n")).toEqual([
    ...["mcp", "add", "--transport", "http", "wayfare", `${service.appUrl}/api/mcp`],
    ...["--header", `Authorization: Bearer ${service.apiKey}`],
  ]);
});

const Http = z.strictObject({
  type: z.literal("http").optional(),
  url: z.url(),
  headers: z.strictObject({ Authorization: z.string() }),
});
const Stdio = z.strictObject({
  command: z.string(),
  args: z.array(z.string()),
  env: z.strictObject({ WAYFARE_URL: z.url(), WAYFARE_API_KEY: z.string() }),
});
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

describe("configuration files", () => {
  const files = () => blocks("connect", "json").map((block): unknown => JSON.parse(block));

  test("are those of the clients, each in its format", () => {
    const [claudeCode, claudeDesktop, cursor, code] = files();
    const one = (server: z.ZodType) => z.strictObject({ mcpServers: z.strictObject({ wayfare: server }) });
    one(Http.extend({ type: z.literal("http") })).parse(claudeCode);
    one(Stdio).parse(claudeDesktop);
    one(Http.omit({ type: true })).parse(cursor);
    const { inputs, servers } = z
      .strictObject({
        inputs: z.tuple([
          z.strictObject({
            type: z.literal("promptString"),
            id: z.string(),
            description: z.string(),
            password: z.literal(true),
          }),
        ]),
        servers: z.strictObject({ wayfare: Http.extend({ type: z.literal("http") }) }),
      })
      .parse(code);
    expect(servers.wayfare.headers.Authorization).toBe(`Bearer \${input:${inputs[0].id}}`);
    expect(files()).toHaveLength(4);
  });

  test("lead to the MCP endpoint with the key where the client puts it", async () => {
    const Server = z.union([Http, z.object({ env: z.object({}) })]);
    const File = z.union([
      z.object({ mcpServers: z.record(z.string(), Server) }),
      z.object({ servers: z.record(z.string(), Server) }),
    ]);
    let asked = 0;
    for (const file of files()) {
      const parsed = File.parse(file);
      const { wayfare } = "servers" in parsed ? parsed.servers : parsed.mcpServers;
      if (wayfare === undefined || !("url" in wayfare)) continue;
      asked += 1;
      const answer = await fetch(wayfare.url, {
        method: "POST",
        headers: {
          authorization: wayfare.headers.Authorization.replace(/\$\{[^}]+\}/, service.apiKey),
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(initialize),
      });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
    expect(asked).toBe(3);
  });

  test("start the bridge, which connects", async () => {
    const { mcpServers } = z
      .object({ mcpServers: z.object({ wayfare: Stdio }) })
      .parse(files().find((file) => JSON.stringify(file).includes("bridge")));
    const { command, args, env } = mcpServers.wayfare;
    const bridge = spawn(
      command,
      args.map((argument) => argument.replace("/path/to/wayfare", repository)),
      {
        env: { PATH: `${folder}:${process.env.PATH}`, ...env, WAYFARE_API_KEY: service.apiKey },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const ended = new Promise((done) => bridge.once("exit", done));
    bridge.stdin.write(`${JSON.stringify(initialize)}\n`);
    for await (const line of createInterface({ input: bridge.stdout })) {
      expect(JSON.parse(line)).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
      break;
    }
    bridge.stdin.end();
    expect(await ended).toBe(0);
  });
});

test("the function that checks signatures accepts what was sent and nothing else", async () => {
  const path = join(folder, "is-genuine.mjs");
  writeFileSync(path, blocks("http-dispatch", "js").join("\n"));
  const IsGenuine = z.object({ isGenuine: z.custom<(...args: [Headers, string, string]) => boolean>() });
  const { isGenuine } = IsGenuine.parse({ ...(await import(pathToFileURL(path).href)) });
  const { headers, text } = await service.call("find_airports_nearby", { query: "Lisbon" });
  expect(isGenuine(headers, text, service.signingSecret)).toBe(true);
  expect(isGenuine(headers, `${text} `, service.signingSecret)).toBe(false);
  expect(isGenuine(headers, text, "another secret")).toBe(false);
  expect(isGenuine(new Headers(), text, service.signingSecret)).toBe(false);
});

test("the repeated MCP call of the guide is a request that the endpoint accepts", async () => {
  const [block = ""] = blocks("mcp", "json");
  const answer = await service.send("/api/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: block,
  });
  // The offer was not searched for: the tool refuses it, but the request itself is correct.
  expect(answer.body).toMatchObject({ id: 7, result: { isError: true } });
  expect(JSON.stringify(answer.body.result)).toContain("offer_not_found");
});
