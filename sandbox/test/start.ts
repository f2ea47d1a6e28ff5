// Starts the sandbox as its users do: a process of its own, reached over HTTP.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { programAt } from "../../server/test/support/programs.ts";
import { createTestDatabase } from "./postgres.ts";

export const TOKEN = "test_token_of_the_sandbox";

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

export type RunningSandbox = {
  readonly url: string;
  /** Calls with the supplier's headers; a body is wrapped in `data`. */
  call(method: string, path: string, data?: unknown): Promise<Answer>;
  /** Calls a control route, body as it is. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

const alive = new Set<ChildProcess>();
function killAll(): void {
  for (const child of alive) child.kill("SIGKILL");
}
process.once("exit", killAll);

/** Ends what a failed test left running. */
export async function stopLeftovers(): Promise<void> {
  const ended = [...alive].map((child) => new Promise((resolve) => child.once("close", resolve)));
  killAll();
  await Promise.all(ended);
}

const Ready = z.object({ ready: z.literal(true), port: z.number(), url: z.string() });

export async function request(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const body: unknown = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

export const SUPPLIER_HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  "duffel-version": "v2",
  accept: "application/json",
  "content-type": "application/json",
};

export async function startSandboxProcess(
  databaseUrl: string,
  port = 0,
  options: readonly string[] = [],
): Promise<RunningSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-secrets-"));
  const secretsFile = join(folder, "secrets.json");
  writeFileSync(secretsFile, JSON.stringify({ token: TOKEN, databaseUrl }), { mode: 0o600 });
  const child = spawn(
    process.execPath,
    [
      programAt("sandbox/src/main.ts"),
      "--port",
      String(port),
      "--stays-in",
      "account",
      "--secrets-file",
      secretsFile,
      ...options,
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  alive.add(child);
  // Not at its exit, when its complaint need not have been read to the end.
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      alive.delete(child);
      resolve(code);
    }),
  );
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += String(chunk);
  });
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    ended.then((code) => reject(new Error(`the sandbox ended with ${code}: ${complaint}`)));
  });
  const ready = Ready.parse(JSON.parse(await firstLine));
  rmSync(folder, { recursive: true, force: true });
  return {
    url: ready.url,
    call: (method, path, data) =>
      request(`${ready.url}${path}`, {
        method,
        headers: SUPPLIER_HEADERS,
        ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
      }),
    control: (method, path, body) =>
      request(`${ready.url}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

export type TestSandbox = RunningSandbox & { readonly databaseUrl: string; close(): Promise<void> };

/** A sandbox on a database of its own. */
export async function startTestSandbox(): Promise<TestSandbox> {
  const database = await createTestDatabase();
  const running = await startSandboxProcess(database.url);
  return {
    ...running,
    databaseUrl: database.url,
    async close() {
      await running.stop();
      await stopLeftovers();
      await database.drop();
    },
  };
}
