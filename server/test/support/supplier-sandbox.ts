import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { hangUpUntil } from "./hang-up.ts";
import { programAt } from "./programs.ts";
import { createTestDatabase } from "./test-database.ts";

/** The supplier sandbox as in production: a separate process with a separate database. */
export interface SupplierSandbox {
  url: string;
  token: string;
  /** Arms a fault for the next call of this path. */
  arm(method: string, path: string, fault: string, delayMs?: number): Promise<void>;
  /** Ends a call whose request gets no answer. */
  unanswered<Result>(calling: Promise<Result>): Promise<Result>;
  /** The supplier's actual effects. */
  ledger(): Promise<z.infer<typeof Ledger>>;
  advance(seconds: number): Promise<void>;
  /** Another control endpoint, such as `schedule_changes`. */
  control(name: string, body: unknown): Promise<unknown>;
  /** A request past our adapter, to prepare what it has no method for. */
  post(path: string, data: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

const TOKEN = "duffel_test_integration";
const Ready = z.object({ ready: z.literal(true), url: z.string() });
const Ledger = z.object({
  orders: z.array(z.looseObject({ id: z.string() })),
  payments: z.array(z.looseObject({})),
  cancellations: z.array(z.looseObject({})),
  changes: z.array(z.looseObject({ id: z.string() })),
  services: z.array(z.looseObject({ order_id: z.string() })),
  stayBookings: z.array(z.looseObject({ id: z.string() })),
});

export async function startSupplierSandbox(): Promise<SupplierSandbox> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "supplier-"));
  const secrets = join(folder, "secrets.json");
  await writeFile(secrets, JSON.stringify({ token: TOKEN, databaseUrl: database.url }), { mode: 0o600 });
  const child = spawn(
    process.execPath,
    [programAt("sandbox/src/main.ts"), "--port", "0", "--stays-in", "account", "--secrets-file", secrets],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the supplier sandbox ended before it was ready")));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(Ready.parse(JSON.parse(line)).url));
  });

  async function call(path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  return {
    url,
    token: TOKEN,
    async arm(method, path, fault, delayMs = 0) {
      await call("/_sandbox/scenarios", { match: { method, path }, fault, times: 1, delayMs });
    },
    unanswered: (calling) => hangUpUntil(url, calling),
    ledger: async () => Ledger.parse(await call("/_sandbox/ledger", undefined)),
    async advance(seconds) {
      await call("/_sandbox/tick", { advanceSeconds: seconds });
    },
    control: (name, body) => call(`/_sandbox/${name}`, body),
    post: (path, data) => call(path, { data }, { authorization: `Bearer ${TOKEN}`, "duffel-version": "v2" }),
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
      await database.drop();
    },
  };
}
