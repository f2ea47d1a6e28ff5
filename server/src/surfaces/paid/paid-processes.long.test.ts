import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBuyer } from "../../../test/support/paid.ts";
import { programAt } from "../../../test/support/programs.ts";
import { dropSandboxDatabase } from "../../../test/support/service.ts";
import { createTestDatabase } from "../../../test/support/test-database.ts";
import { readConfig } from "../../config/config.ts";
import { findFreePort } from "../../embedded/free-port.ts";

/** The two hosts as two processes on one DATA_DIR and database, as `npm run edge` beside `SERVE=app npm start`. */

const program = programAt("server/src/main.ts");
const dataDir = mkdtempSync(join(tmpdir(), "wayfare-two-"));
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let ports: { app: number; edge: number };
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  ports = { app: await findFreePort(), edge: await findFreePort() };
});

afterAll(async () => {
  await Promise.all(children.map(stop));
  await dropSandboxDatabase(database.url);
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((done) => child.once("close", done));
  child.kill("SIGTERM");
  return ended;
}

async function start(
  serve: "app" | "edge",
  others: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SERVE: serve,
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: String(ports.app),
      EDGE_PORT: String(ports.edge),
      ...others,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const started = { child, output: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    started.output += text;
  });
  await new Promise<void>((done, fail) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      started.output += text;
      if (/first call .*\n/.test(started.output)) done();
    });
    child.once("close", (code) => fail(new Error(`It ended with ${code}: ${started.output}`)));
  });
  return started;
}

it("share their data: a key of one buys at the other, either can be gone", async () => {
  const [app, edge] = await Promise.all([start("app"), start("edge")]);
  const appUrl = `http://127.0.0.1:${ports.app}`;
  const edgeUrl = `http://127.0.0.1:${ports.edge}`;
  expect(app.output).toContain(`edge         ${edgeUrl} (not served by this process)`);
  expect(app.output).toContain(`first call   ${appUrl}/docs/connect`);
  expect(edge.output).toContain(`application  ${appUrl} (not served by this process)`);
  expect(edge.output).toContain(`first call   ${edgeUrl}/tools`);
  const quickstart = JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"));
  expect(quickstart).toMatchObject({ appUrl, edgeUrl });

  const authorization = `Bearer ${quickstart.apiKey}`;
  const buyer = createBuyer({ dataDir, edgeUrl });
  const bought = await buyer.buy("find_airports_nearby", { query: "Lisbon" }, { authorization });
  expect(bought.status, bought.text).toBe(200);
  const usage = await fetch(`${appUrl}/api/usage`, { headers: { authorization } });
  expect(await usage.json()).toMatchObject({ records: [{ id: bought.headers.get("x-service-meter-id") }] });
  for (const url of [appUrl, edgeUrl]) {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  }
  expect((await fetch(`${edgeUrl}/api/agent/dispatch`, { method: "POST" })).status).toBe(404);
  expect((await fetch(`${appUrl}/tools/find_airports_nearby`, { method: "POST" })).status).toBe(404);

  // Whichever process started the parts, the other one keeps them.
  expect(await stop(app.child)).toBe(0);
  const buy = async () => (await buyer.buy("find_airports_nearby", { query: "Porto" })).status;
  await expect.poll(buy, { timeout: 120_000 }).toBe(200);
  expect(await stop(edge.child)).toBe(0);
}, 300_000);

it("a host with its own folder, and so its own chain, is refused on the same database, with instructions", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wayfare-other-"));
  const own = { DATA_DIR: folder, MASTER_KEY_FILE: join(dataDir, "master.key"), PORT: "0", EDGE_PORT: "0" };
  try {
    await expect(start("app", { ...own, PUBLIC_EDGE_URL: "https://edge.example" })).rejects.toThrow(
      /Not started: .*another genesis.*share DATA_DIR .*EMBEDDED_SANDBOX=off/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);

it.each([
  ["edge", "PORT", "PUBLIC_APP_URL"],
  ["app", "EDGE_PORT", "PUBLIC_EDGE_URL"],
])("SERVE=%s needs to know where the other host is", (serve, port, publicUrl) => {
  expect(() => readConfig({ SERVE: serve, [port]: "0" })).toThrow(`set ${port} or ${publicUrl}`);
  expect(() => readConfig({ SERVE: serve, [port]: "0", [publicUrl]: "https://wayfare.example" })).not.toThrow();
});
