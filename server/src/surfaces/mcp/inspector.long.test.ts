import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

// Loading the inspector takes seconds each time.
vi.setConfig({ testTimeout: 240_000 });

const manifest = findPackageJSON("@modelcontextprotocol/inspector", import.meta.url) ?? "";
const PROGRAM = join(dirname(manifest), "clients/launcher/build/index.js");

let service: TestService;
let home: string;
beforeAll(async () => {
  // It keeps a folder in the home directory.
  home = mkdtempSync(join(tmpdir(), "inspector-home-"));
  service = await openSharedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

/** The inspector's command line, as used to inspect a server. */
async function inspect(url: string, key: string, ...words: string[]): Promise<{ code: number; text: string }> {
  const header = `Authorization: Bearer ${key}`;
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [PROGRAM, "--cli", url, "--transport", "http", "--header", header, "--method", ...words],
      { env: { ...process.env, HOME: home } },
    );
    return { code: 0, text: stdout };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "stdout" in error && "stderr" in error)) throw error;
    return { code: Number(error.code), text: `${error.stdout}${error.stderr}` };
  }
}

const endpoints = [
  ["application host", () => `${service.appUrl}/api/mcp`],
  ["edge host", () => `${service.edgeUrl}/mcp`],
] as const;

test.for(endpoints)("the inspector lists and calls on the %s", async ([, url]) => {
  const listed = await inspect(url(), service.apiKey, "tools/list");
  expect(listed).toMatchObject({ code: 0 });
  const { tools } = JSON.parse(listed.text);
  expect(tools).toContainEqual(
    expect.objectContaining({ name: "find_airports_nearby", inputSchema: expect.objectContaining({ type: "object" }) }),
  );

  const call = [
    "tools/call",
    "--tool-name",
    "find_airports_nearby",
    "--tool-arg",
    "latitude=51.47",
    "--tool-arg",
    "longitude=-0.45",
  ];
  const called = await inspect(url(), service.apiKey, ...call);
  expect(called).toMatchObject({ code: 0 });
  const { content, structuredContent } = JSON.parse(called.text);
  expect(structuredContent).toMatchObject({
    airports: expect.arrayContaining([expect.objectContaining({ iataCode: "LHR" })]),
  });
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
});

test("the inspector is refused without a valid key", async () => {
  // Otherwise it would look for a browser to sign in with.
  const wrong = `ak_${"x".repeat(40)}`;
  const { code, text } = await inspect(`${service.appUrl}/api/mcp`, wrong, "tools/list", "--stored-auth-only");
  expect(code).not.toBe(0);
  expect(text).toContain("auth_required");
});
