import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { endOrphanNodes } from "../../../devnet/src/orphans.ts";
import { withClient } from "../../src/embedded/postgres/databases.ts";
import { findServer } from "../../src/embedded/postgres/lock-file.ts";
import { isAlive, sendSignal } from "../../src/embedded/process-identity.ts";
import { atEndOfWorker } from "./end-of-worker.ts";
import { programAt } from "./programs.ts";

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const STAND_IN_SANDBOX = program("./stand-in-sandbox.ts");

const Part = z.object({
  name: z.string(),
  pid: z.number(),
  startTime: z.string(),
  port: z.number(),
  url: z.string(),
  ready: z.boolean(),
});
const PartsFile = z.object({
  owner: z.object({ pid: z.number(), startTime: z.string() }).nullable(),
  parts: z.array(Part),
});
const Line = z.looseObject({
  ready: z.boolean().optional(),
  failed: z.string().optional(),
  progress: z.string().optional(),
  message: z.string().optional(),
  databaseUrl: z.string().optional(),
  supplier: z.object({ url: z.string(), token: z.string() }).optional(),
  chain: z.object({ rpcUrl: z.string(), chainId: z.number() }).optional(),
});
export type Line = z.infer<typeof Line>;

export interface TestService {
  process: ChildProcess;
  lines: Line[];
  /** The first line that fits, also one of the past. */
  line(fits: (line: Line) => boolean): Promise<Line>;
  /** Its line at the end of its start: ready or failed. */
  started: Promise<Line>;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string | null>;
}

export interface ServiceOptions {
  databaseUrl?: string;
  supplierSandbox?: boolean;
  supplierProgram?: string;
  devnetPrefund?: readonly string[];
}

/** Waits for a condition that another process brings about; the test's own time limit is the only clock. */
export const until = async <Value>(read: () => Promise<Value | undefined> | Value | undefined): Promise<Value> => {
  for (;;) {
    const value = await Promise.resolve()
      .then(read)
      .catch(() => undefined);
    if (value !== undefined && value !== false) return value;
    await delay(25);
  }
};

/** The folder of a database that a service has made and left, for all who need one in this worker: a copy costs far less than another. */
const makeDatabase = async (): Promise<string> => {
  const fixture = createFixture();
  atEndOfWorker(fixture.cleanUp);
  const service = fixture.start();
  await service.started;
  await fixture.stop(service);
  return join(fixture.dataDir, "postgres");
};

let madeDatabase: Promise<string> | undefined;

/** A DATA_DIR (with a space in its path) and everything that tests do with the services on it. */
export const createFixture = () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare embedded "));
  const dataDir = join(folder, "data dir");
  const services: TestService[] = [];

  const readPartsFile = () => PartsFile.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8")));
  const findPart = (name: string) => readPartsFile().parts.find((part) => part.name === name && part.ready);
  const part = (name: string) => until(() => findPart(name));

  const start = (options: ServiceOptions = {}): TestService => {
    const setting = { dataDir, supplierSandbox: false, supplierProgram: STAND_IN_SANDBOX, ...options };
    const child = spawn(
      process.execPath,
      [programAt("server/test/support/embedded-service.ts"), JSON.stringify(setting)],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on("line", (text) => lines.push(Line.parse(JSON.parse(text))));
    const ended = new Promise<number | string | null>((resolve) =>
      child.once("close", (code, signal) => resolve(code ?? signal)),
    );
    const line = (fits: (line: Line) => boolean) => until(() => lines.find(fits));
    const started = line(({ ready, failed }) => ready === true || failed !== undefined);
    const service = { process: child, lines, line, started, ended };
    services.push(service);
    return service;
  };

  return {
    dataDir,
    readPartsFile,
    /** The entry of parts.json for a part that is ready. */
    part,
    start,
    /** As if a service had made its database here and stopped. */
    async giveDatabase(): Promise<void> {
      madeDatabase ??= makeDatabase();
      cpSync(await madeDatabase, join(dataDir, "postgres"), { recursive: true });
    },
    async stop(service: TestService): Promise<number | string | null> {
      service.process.kill("SIGTERM");
      return service.ended;
    },
    async kill(service: TestService): Promise<void> {
      service.process.kill("SIGKILL");
      await service.ended;
    },
    /** Ends everything that a test left, also after a failure. */
    async cleanUp(): Promise<void> {
      for (const { process: child } of services) child.kill("SIGKILL");
      await Promise.all(services.map(({ ended }) => ended));
      let left: { pid: number; startTime: string }[] = [];
      try {
        left = readPartsFile().parts;
      } catch {
        // Killed before anything was written down.
      }
      const server = findServer(join(dataDir, "postgres", "data"));
      for (const process of server ? [...left, server] : left) {
        sendSignal(process, "SIGKILL");
        await until(() => !isAlive(process));
      }
      endOrphanNodes(join(dataDir, "devnet"));
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
};

export type Fixture = ReturnType<typeof createFixture>;

export const query = (url: string | undefined, sql: string): Promise<Record<string, unknown>[]> =>
  withClient(url ?? "", async (client) => (await client.query(sql)).rows);
