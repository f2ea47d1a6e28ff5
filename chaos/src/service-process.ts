import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { variables } from "../../server/src/config/config.ts";

const MAIN = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url));
const BROKEN = fileURLToPath(new URL("./broken-service.ts", import.meta.url));
/** What a service prints when its start has come to its end. */
const READY = "Wayfare is ready";
const STOP_LIMIT_MILLISECONDS = 60_000;
const RESTART_PAUSE_MILLISECONDS = 50;

/** One process of the service that is started again whenever it ended, as an operator would. */
export interface ServiceProcess {
  readonly starts: number;
  /** In a row, although nothing was killed. */
  readonly failedStarts: number;
  /** Runs and starts that ended although nothing was killed under them, with their last words. */
  readonly endedByItself: readonly string[];
  /** Starts that gave up because a part was killed while they needed it; the next start is the operator's remedy. */
  readonly startsCutOff: readonly string[];
  /** Of whatever it said. */
  lastLine(): string;
  isReady(): Promise<boolean>;
  /** SIGKILL at once. False: it was not running. */
  kill(): boolean;
  /** From now on a start that fails is not counted against it. */
  partWasKilled(): void;
  resetFailedStarts(): void;
  /** SIGTERM. Returns what was wrong with the way it stopped. */
  stop(): Promise<string[]>;
  /** Ends it at once. */
  destroy(): Promise<void>;
}

export function superviseService(options: {
  /** The guard that it does without; undefined: all are on. */
  broken: string | undefined;
  /** Beside the harness's own environment. */
  environment: Readonly<Record<string, string>>;
  /** Of the host that says whether it is ready. */
  url: string;
  logFile: string;
}): ServiceProcess {
  const { environment, url, logFile, broken } = options;
  const words = broken === undefined ? [MAIN] : [BROKEN, "--break", broken];
  const endedByItself: string[] = [];
  const startsCutOff: string[] = [];
  let partKilledSinceStart = false;
  let failedStarts = 0;
  let starts = 0;
  let stopping = false;
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();

  const lastLine = (): string => readFileSync(logFile, "utf8").trim().split("\n").at(-1)?.slice(0, 300) ?? "";

  function start(): void {
    starts += 1;
    partKilledSinceStart = false;
    const log = openSync(logFile, "a");
    const logOffset = fstatSync(log).size;
    // A group of its own: Ctrl-C is for the harness, which ends everything itself.
    const started = spawn(process.execPath, words, {
      detached: true,
      env: { ...inherited(), ...environment },
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
          (cutOff ? startsCutOff : endedByItself).push(`exit ${code ?? signal}: ${lastLine()}`);
        }
        resolve();
        if (!stopping) setTimeout(() => stopping || start(), RESTART_PAUSE_MILLISECONDS);
      });
    });
  }

  start();
  return {
    get starts() {
      return starts;
    },
    get failedStarts() {
      return failedStarts;
    },
    endedByItself,
    startsCutOff,
    lastLine,

    async isReady() {
      try {
        const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
        await response.arrayBuffer();
        return response.status === 200;
      } catch {
        return false;
      }
    },

    kill: () => child !== undefined && child.exitCode === null && child.signalCode === null && child.kill("SIGKILL"),

    partWasKilled() {
      partKilledSinceStart = true;
    },

    resetFailedStarts() {
      failedStarts = 0;
    },

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
      return problems;
    },

    async destroy() {
      stopping = true;
      child?.kill("SIGKILL");
      await exited;
    },
  };
}

/** The caller's environment without the product's own settings, which would point the run at something that matters. */
function inherited(): NodeJS.ProcessEnv {
  const ours = new Set<string>(Object.values(variables).map(({ name }) => name));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)));
}
