import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Log } from "../ports/log.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { findFreePort, isPortFree, LOOPBACK } from "./free-port.ts";
import { readLogFrom, sizeOfFile } from "./log-file.ts";
import { type OpenOptions, type Part, type RunningPart, spawnPart } from "./part.ts";
import { ensureSandboxDatabase } from "./postgres/databases.ts";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "./private-files.ts";
import { isAlive, type ProcessIdentity, sendSignal, waitUntilGone } from "./process-identity.ts";

const Settings = z.object({ token: z.string().min(1), port: z.int().min(1).max(65_535) });
const Secrets = z.object({ token: z.string(), databaseUrl: z.string() });

export const SANDBOX_PROGRAM = fileURLToPath(new URL("../../../sandbox/src/main.ts", import.meta.url));
const PROBE_MS = 50;
const PROBE_TIMEOUT_MS = 2_000;
const ADOPT_LIMIT_MS = 3_000;
const START_LIMIT_MS = 60_000;
const START_ATTEMPTS = 3;
const STOP_LIMIT_MS = 4_000;

const folderOf = (dataDir: string): string => join(dataDir, "supplier");
const settingsFileOf = (dataDir: string): string => join(folderOf(dataDir), "settings.json");
const urlOf = (port: number): string => `http://${LOOPBACK}:${port}`;

/** Where the supplier sandbox is and the token it takes; undefined before its first start. */
export const supplierAccess = (dataDir: string): { url: string; token: string } | undefined => {
  const settings = readPrivateJson(settingsFileOf(dataDir), Settings);
  return settings && { url: urlOf(settings.port), token: settings.token };
};

const isHealthy = async (port: number): Promise<boolean> => {
  try {
    const answer = await fetch(`${urlOf(port)}/healthz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
};

const becomesHealthy = async (
  { port, ...process }: RunningPart,
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    // Alive after the answer too: a stranger on the port must not pass for a sandbox that just ended.
    if ((await isHealthy(port)) && isAlive(process)) return true;
    if (!isAlive(process)) return false;
    await delay(PROBE_MS);
  }
  return false;
};

const closeProcess = async (process: ProcessIdentity): Promise<void> => {
  sendSignal(process, "SIGTERM");
  if (await waitUntilGone(process, STOP_LIMIT_MS)) return;
  sendSignal(process, "SIGKILL", "group");
  await waitUntilGone(process, 1_000);
};

export interface SupplierPartOptions {
  dataDir: string;
  log: Log;
  /** Of the service's database; the sandbox gets one of its own on the same server. */
  serviceDatabaseUrl(): string;
  progress(line: string): void;
  /** The sandbox's entry point. */
  program: string;
}

/** The supplier sandbox: an HTTP server of its own that keeps its own books in its own database. */
export const supplierPart = ({
  dataDir,
  log,
  serviceDatabaseUrl,
  progress,
  program,
}: SupplierPartOptions): Part<"supplier"> => {
  const logPath = join(dataDir, "logs", "supplier.log");
  const secretsFile = join(folderOf(dataDir), "secrets.json");

  const ensureSettings = async (mayMovePort: boolean): Promise<z.infer<typeof Settings>> => {
    const known = readPrivateJson(settingsFileOf(dataDir), Settings);
    if (known && (await isPortFree(known.port))) return known;
    if (known && !mayMovePort) {
      throw new EmbeddedError(`Port ${known.port} of the supplier sandbox is taken by another program: stop it.`);
    }
    const token = known?.token ?? `sandbox_${randomBytes(24).toString("base64url")}`;
    const settings = { token, port: await findFreePort() };
    writePrivateJson(settingsFileOf(dataDir), settings);
    return settings;
  };

  const adopt = async ({ known, signal }: OpenOptions, databaseUrl: string): Promise<RunningPart | undefined> => {
    if (!known || !isAlive(known)) return undefined;
    const sameDatabase = readPrivateJson(secretsFile, Secrets)?.databaseUrl === databaseUrl;
    if (sameDatabase && (await becomesHealthy(known, ADOPT_LIMIT_MS, signal))) {
      log.info({ pid: known.pid, port: known.port }, "adopted the running supplier sandbox");
      return known;
    }
    log.warn({ pid: known.pid }, "the running supplier sandbox does not fit and is replaced");
    await closeProcess(known);
    return undefined;
  };

  return {
    name: "supplier",
    logPath,
    async open(options) {
      const { mayMovePort, started, signal } = options;
      ensurePrivateFolder(folderOf(dataDir));
      const databaseUrl = await ensureSandboxDatabase(serviceDatabaseUrl());
      const adopted = await adopt(options, databaseUrl);
      if (adopted) return adopted;
      const { token, port } = await ensureSettings(mayMovePort);
      writePrivateJson(secretsFile, { token, databaseUrl });
      progress("Starting the supplier sandbox");
      let reason = "it said nothing";
      for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
        const logOffset = sizeOfFile(logPath);
        const words = [program, "--port", String(port), "--host", LOOPBACK, "--secrets-file", secretsFile];
        const identity = spawnPart(process.execPath, words, logPath);
        const running = { ...identity, port, url: urlOf(port) };
        started(running);
        if (await becomesHealthy(running, START_LIMIT_MS, signal)) {
          log.info({ pid: running.pid, port }, "supplier sandbox started");
          return running;
        }
        // One that ends without a word was killed while it started.
        const wasKilled = !isAlive(running);
        await closeProcess(running);
        const lines = readLogFrom(logPath, logOffset).trim().split("\n");
        reason = lines.findLast((line) => /error/i.test(line)) || lines.at(-1) || reason;
        if (!wasKilled || lines.join("") !== "") break;
      }
      throw new EmbeddedError(`The supplier sandbox does not start (${reason.slice(0, 300)}): see ${logPath}.`);
    },
    close: closeProcess,
  };
};
