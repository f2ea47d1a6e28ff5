import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { z } from "zod";
import { readConfig, variables } from "../../config.ts";
import { withIdentity } from "../../open-identity.ts";
import type { Identity } from "../../ports/identity.ts";
import { endProcesses, findPart, findProcesses } from "./processes.ts";
import { aimAt } from "./victims.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
export const SERVICE = "service";
const ACTOR = "chaos";
/** What a service prints when its start has come to its end. */
const READY = "Wayfare is ready";

const Quickstart = z.object({
  appUrl: z.string(),
  tenantId: z.string(),
  apiKey: z.string(),
  signingSecret: z.string(),
  supplierUrl: z.string(),
  chain: z.object({ rpcUrl: z.string(), chainId: z.int(), usdc: z.string(), eurc: z.string() }),
});
export type Quickstart = z.infer<typeof Quickstart>;
const PartsFile = z.object({ parts: z.array(z.object({ name: z.string(), pid: z.int(), ready: z.boolean() })) });
const Access = z.object({ user: z.string(), password: z.string(), port: z.int() });

/** What a caller of a tenant needs. */
export interface TenantAccess {
  tenantId: string;
  apiKey: string;
  signingSecret: string;
}

/** It does not come back, although nothing is killed any more. */
export class NotReadyError extends Error {}

/** One service on a folder of its own with its embedded parts: started, killed, started again as an operator would. */
export interface Deployment {
  dataDir: string;
  /** Facts of the running service; there after the first `untilReady`. */
  quickstart(): Quickstart;
  /** Rejects with NotReadyError when it does not come back. */
  untilReady(signal: AbortSignal): Promise<void>;
  /** Looks up `service`, an embedded part or one of its processes (`victims.ts`); calling the result sends SIGKILL at once. False: it was not running. */
  aim(name: string): () => boolean;
  readonly starts: number;
  /** Runs and starts of the service that ended although nothing was killed under them, with their last words. */
  readonly endedByItself: readonly string[];
  /** Starts that gave up because a part was killed while they needed it; the next start is the operator's remedy. */
  readonly startsCutOff: readonly string[];
  /** Longest time from a kill of anything to the service being ready again. */
  readonly longestOutageMs: number;
  query(text: string): Promise<Record<string, unknown>[]>;
  allowSpending(tenantId: string, microUsdc: bigint): Promise<void>;
  createTenant(name: string): Promise<TenantAccess>;
  /** SIGTERM. Returns what was wrong with the way it stopped. */
  stop(): Promise<readonly string[]>;
  /** Ends whatever is left, at once, and removes the folder unless it is kept. */
  destroy(): Promise<void>;
}

const POLL_MILLISECONDS = 50;
const READY_LIMIT_MILLISECONDS = 60_000;
const STOP_LIMIT_MILLISECONDS = 15_000;
const RESTART_PAUSE_MILLISECONDS = 50;
/** So many starts in a row that fail although nothing was killed, and the next one will not be better. */
const MOST_FAILED_STARTS = 3;

export async function createDeployment(options: {
  environment: Readonly<Record<string, string>>;
  keep: boolean;
}): Promise<Deployment> {
  const dataDir = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-chaos-"));
  // Fixed ports: callers have to find the service again after it was killed.
  const [port, edgePort] = await findFreePorts();
  const settings = { ...options.environment, DATA_DIR: dataDir, PORT: String(port), EDGE_PORT: String(edgePort) };
  const appUrl = `http://127.0.0.1:${port}`;
  const logFile = join(dataDir, "service.log");
  const endedByItself: string[] = [];
  const startsCutOff: string[] = [];
  let partKilledSinceStart = false;
  let failedStarts = 0;
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  let stopping = false;
  let starts = 0;
  let downSince: number | undefined;
  let longestOutageMs = 0;

  function start(): void {
    starts += 1;
    partKilledSinceStart = false;
    const log = openSync(logFile, "a");
    const logOffset = fstatSync(log).size;
    // A group of its own: Ctrl-C is for the harness, which ends everything itself.
    const started = spawn(process.execPath, [MAIN], {
      detached: true,
      env: { ...inherited(), ...settings },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    child = started;
    exited = new Promise((resolve) => {
      started.once("close", (code, signal) => {
        if (signal !== "SIGKILL" && !stopping) {
          const said = readFileSync(logFile).subarray(logOffset).toString("utf8");
          const cutOff = partKilledSinceStart && !said.includes(READY);
          if (!cutOff) failedStarts += 1;
          (cutOff ? startsCutOff : endedByItself).push(`exit ${code ?? signal}: ${lastLine(logFile)}`);
        }
        resolve();
        if (!stopping) setTimeout(() => stopping || start(), RESTART_PAUSE_MILLISECONDS);
      });
    });
  }

  const killService = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null && child.kill("SIGKILL");

  function asOperator<Result>(work: (identity: Identity) => Promise<Result>): Promise<Result> {
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    return withIdentity(readConfig(settings), { log: quiet, progress: () => undefined }, work);
  }

  async function isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${appUrl}/readyz`, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  function arePartsReady(): boolean {
    const parts = readParts(dataDir);
    return parts.length > 0 && parts.every(({ pid, ready }) => ready && findPart(pid, dataDir).length > 0);
  }

  async function query(text: string): Promise<Record<string, unknown>[]> {
    const access = Access.parse(JSON.parse(readFileSync(join(dataDir, "postgres", "access.json"), "utf8")));
    const client = new pg.Client({ ...access, host: "127.0.0.1", database: "wayfare" });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  start();
  return {
    dataDir,
    get starts() {
      return starts;
    },
    endedByItself,
    startsCutOff,
    get longestOutageMs() {
      return longestOutageMs;
    },
    quickstart: () => Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"))),

    async untilReady(signal) {
      const deadline = performance.now() + READY_LIMIT_MILLISECONDS;
      // The parts too: a service that waits for one still answers that it is ready.
      while (!((await isReady()) && arePartsReady())) {
        signal.throwIfAborted();
        if (failedStarts >= MOST_FAILED_STARTS || performance.now() > deadline) {
          throw new NotReadyError(`The service does not come back: ${lastLine(logFile)}`);
        }
        await delay(POLL_MILLISECONDS);
      }
      failedStarts = 0;
      if (downSince !== undefined) longestOutageMs = Math.max(longestOutageMs, performance.now() - downSince);
      downSince = undefined;
    },

    aim(name) {
      const kill = name === SERVICE ? killService : aimAt(name, readParts(dataDir), dataDir);
      return () => {
        downSince ??= performance.now();
        failedStarts = 0;
        if (name !== SERVICE) partKilledSinceStart = true;
        return kill();
      };
    },

    query,

    async allowSpending(tenantId, microUsdc) {
      await asOperator((identity) => identity.setTenant(tenantId, { monthlyCapMicroUsdc: microUsdc }, ACTOR));
    },

    createTenant: (name) =>
      asOperator(async (identity) => {
        const { tenant, apiKey } = await identity.createTenant({ name, actor: ACTOR });
        const signingSecret = await identity.revealSigningSecret(tenant.id, ACTOR);
        if (signingSecret === undefined) throw new Error("A new tenant's signing secret was shown before.");
        return { tenantId: tenant.id, apiKey, signingSecret };
      }),

    async stop() {
      stopping = true;
      const problems: string[] = [];
      child?.kill("SIGTERM");
      const inTime = await Promise.race([
        exited.then(() => true),
        delay(STOP_LIMIT_MILLISECONDS, false, { ref: false }),
      ]);
      if (!inTime) problems.push(`it did not end within ${STOP_LIMIT_MILLISECONDS / 1000} s of SIGTERM`);
      else if (child?.exitCode !== 0) problems.push(`it ended with ${child?.exitCode ?? child?.signalCode}`);
      const left = findProcesses(dataDir);
      if (left.length > 0) problems.push(`${left.length} of its processes were left running`);
      return problems;
    },

    async destroy() {
      stopping = true;
      child?.kill("SIGKILL");
      await exited;
      await endProcesses(dataDir);
      if (!options.keep) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** The caller's environment without the product's own settings, which would point the run at something that matters. */
function inherited(): NodeJS.ProcessEnv {
  const ours = new Set<string>(Object.values(variables).map(({ name }) => name));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)));
}

/** None before the first start, and while the file is being written for the first time. */
function readParts(dataDir: string): z.infer<typeof PartsFile>["parts"] {
  try {
    return PartsFile.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8"))).parts;
  } catch {
    return [];
  }
}

function lastLine(path: string): string {
  return readFileSync(path, "utf8").trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}

async function findFreePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once("error", reject);
          server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            resolve(typeof address === "object" && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [port = 0, edgePort = 0] = ports;
  return [port, edgePort];
}
