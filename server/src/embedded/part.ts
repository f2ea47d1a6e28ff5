import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { EmbeddedError } from "./embedded-error.ts";
import { openLogFile } from "./log-file.ts";
import { identifyProcess, type ProcessIdentity } from "./process-identity.ts";

/** A process that was found or started, with its address. */
export interface RunningPart extends ProcessIdentity {
  port: number;
  /** Without a secret, as it is written to parts.json. */
  url: string;
}

export interface OpenOptions {
  /** The part's entry in parts.json, if any. */
  known: RunningPart | undefined;
  /** Only while no client can have the part's address: another port is better than no start. */
  mayMovePort: boolean;
  /** Call as soon as a process was started, before it is ready, so that a kill at that moment leaves no unknown process. */
  started(part: RunningPart): void;
  /** Aborts the wait: the service is stopping. */
  signal: AbortSignal;
}

/** An embedded part: a separate process that survives a kill of the service and is found again. */
export interface Part<Name extends string = string> {
  name: Name;
  logPath: string;
  /**
   * Adopts the running process or starts one; resolves when it answers. Rejects with EmbeddedError if the operator must act.
   */
  open(options: OpenOptions): Promise<RunningPart>;
  /** Ends it cleanly, within a few seconds. */
  close(running: RunningPart): Promise<void>;
}

/** The folder of this process's compile cache; undefined: none. */
const compileCache = getCompileCacheDir();

/**
 * A part gets nothing of the operator's environment, which contains secrets and variables that change its behaviour. The
 * compile cache affects only its starting time.
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
    // The failure shows as a missing process id below; without a listener, this event would end the service.
    child.on("error", () => undefined);
    child.unref();
    if (child.pid === undefined) throw new EmbeddedError(`${command} could not be started.`);
    return identifyProcess(child.pid) ?? { pid: child.pid, startTime: "ended" };
  } finally {
    closeSync(log);
  }
};
