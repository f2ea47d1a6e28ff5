import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { EmbeddedError } from "./embedded-error.ts";
import { openLogFile } from "./log-file.ts";
import { identifyProcess, type ProcessIdentity } from "./process-identity.ts";

/** A process that was found or started, and where it listens. */
export interface RunningPart extends ProcessIdentity {
  port: number;
  /** Without a secret: it is written to parts.json. */
  url: string;
}

export interface OpenOptions {
  /** What parts.json says about it, if anything. */
  known: RunningPart | undefined;
  /** Only while nobody else can have the part's address: another port is better than no start. */
  mayMovePort: boolean;
  /** Call at once when a process was started, before it is ready, so that a kill at that moment leaves no stranger. */
  started(part: RunningPart): void;
  /** Ends the waiting: the service is stopping. */
  signal: AbortSignal;
}

/** One embedded part: a process of its own that outlives a kill of the service and is found again. */
export interface Part<Name extends string = string> {
  name: Name;
  logPath: string;
  /** Adopts the running process or starts one; resolves when it answers. Rejects with EmbeddedError where the operator must act. */
  open(options: OpenOptions): Promise<RunningPart>;
  /** Ends it properly, within a few seconds. */
  close(running: RunningPart): Promise<void>;
}

/** Where this process keeps what Node compiled; undefined: nowhere. */
const compileCache = getCompileCacheDir();

/**
 * Nothing of the operator's environment reaches a part: it holds secrets, and variables that change what parts do. Where Node keeps
 * what it compiled changes only how soon they are there.
 */
export const partEnvironment: NodeJS.ProcessEnv = {
  ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) }),
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Starts a process in a group of its own, so that a Ctrl-C or a kill of the service's group does not reach it. */
export const spawnPart = (command: string, words: readonly string[], logPath: string): ProcessIdentity => {
  const log = openLogFile(logPath);
  try {
    const child = spawn(command, words, {
      cwd: "/",
      detached: true,
      env: partEnvironment,
      stdio: ["ignore", log, log],
    });
    // The failure shows as a missing process number, below; unheard, this event would end the service.
    child.on("error", () => undefined);
    child.unref();
    if (child.pid === undefined) throw new EmbeddedError(`${command} could not be started.`);
    return identifyProcess(child.pid) ?? { pid: child.pid, startTime: "ended" };
  } finally {
    closeSync(log);
  }
};
