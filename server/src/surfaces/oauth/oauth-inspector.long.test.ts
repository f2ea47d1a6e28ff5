import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { allowInBrowser, signedInBrowser } from "../../../test/support/oauth-clients.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

// Loading the inspector takes seconds.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const manifest = findPackageJSON("@modelcontextprotocol/inspector", import.meta.url) ?? "";
const PROGRAM = join(dirname(manifest), "clients/launcher/build/index.js");
const ASKED = /https?:\/\/\S+\/oauth\/authorize\?\S+/;

let service: TestService;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "inspector-home-"));
  service = await startTestService();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

it("the inspector connects by OAuth and calls a tool as the person who allowed it", async () => {
  const person = { id: "user_inspecting", name: "Ada", email: "ada-inspecting@example.com", roles: ["admin"] } as const;
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  await service.operator(({ persons }) => persons.add(owner, person, "test"));
  const browser = await signedInBrowser(service, person.id);
  const callback = `http://127.0.0.1:${await findFreePort()}/oauth/callback`;
  const words = ["--method", "tools/call", "--tool-name", "read_account", "--callback-url", callback];
  const inspector = spawn(
    process.execPath,
    [PROGRAM, "--cli", `${service.appUrl}/api/mcp`, "--transport", "http", ...words],
    { env: { ...process.env, HOME: home, BROWSER: "none", MCP_AUTO_OPEN_ENABLED: "true" } },
  );
  const said = { out: "", error: "" };
  inspector.stdout.on("data", (chunk) => {
    said.out += String(chunk);
  });
  const asked = new Promise<URL>((resolve, reject) => {
    inspector.stderr.on("data", (chunk) => {
      said.error += String(chunk);
      const [url] = ASKED.exec(said.error) ?? [];
      if (url !== undefined) resolve(new URL(url));
    });
    inspector.once("exit", () => reject(new Error(said.error)));
  });
  const ended = new Promise<number | null>((resolve) => inspector.once("exit", resolve));
  try {
    const back = await allowInBrowser(browser, await asked);
    expect(`${back.origin}${back.pathname}`).toBe(callback);
    expect((await fetch(back)).status).toBe(200);
    expect(await ended, said.error).toBe(0);
    expect(JSON.parse(said.out).content[0].text).toContain("spentMicroUsdc");
    const used = await service.sql("select seen_at, client_name from connected_agent where person_id = $1", [
      person.id,
    ]);
    expect(used).toMatchObject([{ client_name: "MCP Inspector" }]);
    expect(used[0]?.seen_at).not.toBeNull();
  } finally {
    inspector.kill("SIGKILL");
  }
});
