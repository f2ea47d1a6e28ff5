import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { runSlice, type Slice } from "./support/load.ts";

/**
 * Dispatch with everything on (key, validation, cap, durable record, signature) against a bare node:http JSON echo, in one run on
 * one machine. Figures of different runs do not compare; the ratio does.
 */
const CONNECTIONS = 64;
const SECONDS = 3;
const ROUNDS = 5;
const TARGETS = { read: 0.25, write: 0.15 } as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const here = (path: string): string => join(import.meta.dirname, path);

async function start(program: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, [here(program)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return { child, facts: JSON.parse(line) as unknown };
  }
  throw new Error(`${program} ended before it was ready.`);
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const echo = await start("support/echo-server.ts", {});
const service = await start("support/service.ts", {
  DATA_DIR: folder,
  PORT: "0",
  EDGE_PORT: "0",
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  LOG_LEVEL: "warn",
});
try {
  const { port: echoPort } = z.object({ port: z.number() }).parse(echo.facts);
  const { appUrl, quickstartPath } = z.object({ appUrl: z.string(), quickstartPath: z.string() }).parse(service.facts);
  const { tenantId, apiKey } = z
    .object({ tenantId: z.string(), apiKey: z.string() })
    .parse(JSON.parse(readFileSync(quickstartPath, "utf8")));
  await raiseCap(folder, tenantId);

  const bodyOf = (tool: string) => JSON.stringify({ tenantId, tool, args: { text: "hello" } });
  const shared = { connections: CONNECTIONS };
  const dispatch = {
    ...shared,
    port: Number(new URL(appUrl).port),
    path: "/api/agent/dispatch",
    headers: { authorization: `Bearer ${apiKey}` },
  };
  const kinds = {
    echo: { ...shared, port: echoPort, path: "/", headers: {}, body: bodyOf("probe_read") },
    read: { ...dispatch, body: bodyOf("probe_read") },
    write: { ...dispatch, body: bodyOf("probe_write") },
  };
  say(`baseline source: bench/support/echo-server.ts (bare node:http, parses and answers the same JSON)`);
  say(
    `load: npm run bench — ${CONNECTIONS} keep-alive connections, closed loop, ${SECONDS} s a slice, ${ROUNDS} rounds interleaved, node ${process.version}`,
  );
  for (const kind of Object.values(kinds)) await runSlice({ ...kind, seconds: 2 });
  const slices: Record<keyof typeof kinds, Slice[]> = { echo: [], read: [], write: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of ["echo", "read", "write"] as const) {
      const slice = await runSlice({ ...kinds[name], seconds: SECONDS });
      slices[name].push(slice);
      const { requestsPerSecond, p50Ms, p99Ms, refused } = slice;
      say(
        `round ${round} ${name.padEnd(5)} ${requestsPerSecond.toFixed(0).padStart(7)} requests/s  p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  not 200: ${refused}`,
      );
    }
  }
  const rate = (name: keyof typeof kinds) => median(slices[name].map((slice) => slice.requestsPerSecond));
  for (const name of ["read", "write"] as const) {
    const ratio = rate(name) / rate("echo");
    const refused = slices[name].reduce((sum, slice) => sum + slice.refused, 0);
    const verdict = ratio >= TARGETS[name] && refused === 0 ? "met" : "MISSED";
    say(
      `${name}: median ${rate(name).toFixed(0)} of ${rate("echo").toFixed(0)} requests/s = ${ratio.toFixed(2)} of the echo (target ${TARGETS[name]}: ${verdict})`,
    );
    if (verdict !== "met") process.exitCode = 1;
  }
} finally {
  await Promise.all([stop(echo.child), stop(service.child)]);
  rmSync(folder, { recursive: true, force: true });
}

/** The run must not end at the demo tenant's cap. */
async function raiseCap(dataDir: string, tenantId: string): Promise<void> {
  const program = here("../server/src/commands/tenant.ts");
  const child = spawn(process.execPath, [program, "set", tenantId, "--cap", "1000000"], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error("The cap could not be raised.");
}
