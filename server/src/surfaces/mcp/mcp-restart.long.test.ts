import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { clientKinds, connectClient } from "../../../test/support/mcp-clients.ts";
import { programAt } from "../../../test/support/programs.ts";
import { dropSandboxDatabase } from "../../../test/support/service.ts";
import { createTestDatabase } from "../../../test/support/test-database.ts";
import { findFreePort } from "../../embedded/free-port.ts";

const MAIN = programAt("server/src/main.ts");
const Quickstart = z.object({ appUrl: z.string(), edgeUrl: z.string(), apiKey: z.string() });

const dataDir = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-restart-"));
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let environment: NodeJS.ProcessEnv;
let child: ChildProcess;

async function start(): Promise<void> {
  child = spawn(process.execPath, [MAIN], { env: environment, stdio: "ignore" });
  const url = `http://127.0.0.1:${environment.PORT}/readyz`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    const isReady = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await delay(50);
  }
}

async function end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  const closed = once(child, "close");
  child.kill(signal);
  await closed;
}

beforeAll(async () => {
  database = await createTestDatabase();
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const [port, edgePort] = [await findFreePort(), await findFreePort()];
  environment = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: String(port),
    EDGE_PORT: String(edgePort),
    LOG_LEVEL: "fatal",
  };
  await start();
});

afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) await end("SIGTERM");
  await dropSandboxDatabase(database.url);
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

it("a client continues after a stop and after a kill, without a new handshake", async () => {
  const { appUrl, edgeUrl, apiKey } = Quickstart.parse(
    JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")),
  );
  const urls = [`${appUrl}/api/mcp`, `${edgeUrl}/mcp`];
  const kinds = urls.flatMap((url) => clientKinds.map((kind) => ({ url, kind })));
  const clients = await Promise.all(kinds.map(({ url, kind }) => connectClient(url, kind, apiKey)));
  const call = { name: "find_airports_nearby", arguments: { latitude: 51.47, longitude: -0.45 } };
  const callAll = async () => {
    for (const client of clients) {
      const answer = await client.callTool(call);
      expect(JSON.stringify(answer.structuredContent)).toContain("LHR");
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    }
  };
  await callAll();
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    await end(signal);
    await start();
    await callAll();
  }
  for (const client of clients) await client.close();
}, 300_000);
