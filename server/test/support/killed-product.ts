import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../src/embedded/free-port.ts";
import { programAt, REPOSITORY } from "./programs.ts";
import { dropSandboxDatabase } from "./service.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

const Keys = z.object({ operatorKey: z.string(), apiKey: z.string() });

/** A product in a process of its own, with a database of its own, that is killed and started again. */
export class KilledProduct {
  readonly db: pg.Client;
  readonly #database: TestDatabase;
  readonly #dataDir: string;
  readonly #program: readonly string[];
  readonly #settings: Readonly<Record<string, string>>;
  #running: { child: ChildProcess; url: string } | undefined;

  private constructor(database: TestDatabase, settings: Readonly<Record<string, string>>, program: readonly string[]) {
    this.db = new pg.Client({ connectionString: database.url });
    this.#database = database;
    this.#dataDir = mkdtempSync(join(tmpdir(), "wayfare-killed-"));
    this.#program = program;
    this.#settings = settings;
  }

  /** Started. `program`: node's arguments; the service as it stands if left out. */
  static async open(
    settings: Readonly<Record<string, string>>,
    program: readonly string[] = [programAt("server/src/main.ts")],
  ): Promise<KilledProduct> {
    const product = new KilledProduct(await createTestDatabase(), settings, program);
    await product.db.connect();
    await product.start();
    return product;
  }

  async start(): Promise<void> {
    const port = await findFreePort();
    const child = spawn(process.execPath, this.#program, {
      cwd: REPOSITORY,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATA_DIR: this.#dataDir,
        DATABASE_URL: this.#database.url,
        PORT: String(port),
        EDGE_PORT: String(await findFreePort()),
        ...this.#settings,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running = { child, url: `http://127.0.0.1:${port}` };
    let output = "";
    const ready = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        output += text;
        if (/Wayfare is ready/.test(output)) ready.resolve();
      });
    }
    child.once("close", (code) => ready.reject(new Error(`It ended with ${code}: ${output}`)));
    await ready.promise;
  }

  get url(): string {
    return this.#running?.url ?? "";
  }

  /** At once, as by the operating system. */
  kill(): void {
    this.#running?.child.kill("SIGKILL");
  }

  /** Until somebody has killed it meanwhile. */
  async whileDying(work: () => Promise<unknown>): Promise<void> {
    const { child } = this.#running ?? {};
    if (child === undefined) throw new Error("it was never started");
    const ended = once(child, "close");
    await work();
    expect((await ended)[1]).toBe("SIGKILL");
  }

  keys(): z.output<typeof Keys> {
    return Keys.parse(JSON.parse(readFileSync(join(this.#dataDir, "quickstart.json"), "utf8")));
  }

  /** The text of an answer that is 200. */
  async ask(path: string, key: string, body?: object): Promise<string> {
    const answered = await fetch(`${this.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
    });
    const text = await answered.text();
    expect(answered.status, text).toBe(200);
    return text;
  }

  /** The channel's last message out. */
  async readLastMessage(channelId: string) {
    const { rows } = await this.db.query(
      `select id, state, repeats, unsure_since is not null as unsure from channel_message
       where channel_id = $1 order by position desc limit 1`,
      [channelId],
    );
    return rows[0];
  }

  /** As if a dead process's lease of the channel's messages had run out. */
  async endLease(channelId: string): Promise<void> {
    const due = "update channel_message set next_at = now() where channel_id = $1 and next_at is not null";
    await this.db.query(due, [channelId]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { child } = this.#running ?? {};
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
    }
    await this.db.end();
    await dropSandboxDatabase(this.#database.url);
    await this.#database.drop();
    rmSync(this.#dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
