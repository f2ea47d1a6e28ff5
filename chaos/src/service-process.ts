import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { variables } from "../../server/src/config/config.ts";

const PROGRAM = fileURLToPath(new URL("./service-under-chaos.ts", import.meta.url));
/** Printed by a service when its start is complete. */
const READY = "Wayfare is ready";
const STOP_LIMIT_MILLISECONDS = 60_000;
const RESTART_PAUSE_MILLISECONDS = 50;

interface ServiceProcessOptions {
  /** The guard that it does without; undefined: all are on. */
  broken: string | undefined;
  /** Beside the harness's own environment. */
  environment: Readonly<Record<string, string>>;
  /** The URL of the host that reports readiness. */
  url: string;
  logFile: string;
}

/** One process of the service that is started again whenever it ended, as an operator would. */
export class ServiceProcess {
  /** Runs and starts that ended although nothing was killed under them, with their last words. */
  readonly endedByItself: string[] = [];
  /** Starts that gave up because a part was killed while they needed it; the next start is the operator's remedy. */
  readonly startsCutOff: string[] = [];
  readonly #options: ServiceProcessOptions;
  #partKilledSinceStart = false;
  #failedStarts = 0;
  #starts = 0;
  #stopping = false;
  #isDeployed = false;
  /** It was asked to end, and starts again. */
  #isRestarting = false;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();

  /** Starts it at once. */
  constructor(options: ServiceProcessOptions) {
    this.#options = options;
    this.#start();
  }

  get starts(): number {
    return this.#starts;
  }

  /** In a row, although nothing was killed. */
  get failedStarts(): number {
    return this.#failedStarts;
  }

  /** The last line of its output. */
  lastLine(): string {
    return readFileSync(this.#options.logFile, "utf8").trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#options.url}/readyz`, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  /** SIGKILL at once. False: it was not running. */
  kill(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null && child.kill("SIGKILL");
  }

  /** Lets it die at its next notification about the topic, before the work that it is about. False: the signal came first. */
  async dieWhenNotified(topic: string, signal: AbortSignal): Promise<boolean> {
    const child = this.#child;
    if (child?.connected !== true) return false;
    // A process that is about to end hears nothing any more.
    child.send(topic, () => undefined);
    const hasDied = await once(child, "close", { signal }).then(
      () => child.signalCode === "SIGKILL",
      () => false,
    );
    if (child.connected) child.send("", () => undefined);
    return hasDied;
  }

  /** From now on a start that fails is not counted against it. */
  partWasKilled(): void {
    this.#partKilledSinceStart = true;
  }

  resetFailedStarts(): void {
    this.#failedStarts = 0;
  }

  /** SIGTERM. Returns what was wrong with the way it stopped. */
  async stop(): Promise<string[]> {
    this.#stopping = true;
    const child = this.#child;
    child?.kill("SIGTERM");
    const late = delay(STOP_LIMIT_MILLISECONDS, false, { ref: false });
    const inTime = await Promise.race([this.#exited.then(() => true), late]);
    if (!inTime) return [`it did not end within ${STOP_LIMIT_MILLISECONDS / 1000} s of SIGTERM`];
    return child?.exitCode === 0 ? [] : [`it ended with ${child?.exitCode ?? child?.signalCode}`];
  }

  /** From now on it is the later release (`guards/workflows.ts`): it is asked to end and starts again as that. */
  async deploy(): Promise<void> {
    this.#isDeployed = true;
    this.#isRestarting = true;
    this.#child?.kill("SIGTERM");
    const late = delay(STOP_LIMIT_MILLISECONDS, undefined, { ref: false });
    await Promise.race([this.#exited, late]);
    this.#isRestarting = false;
  }

  /** Ends it at once. */
  async destroy(): Promise<void> {
    this.#stopping = true;
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  #start(): void {
    const { broken, environment, logFile } = this.#options;
    this.#starts += 1;
    this.#partKilledSinceStart = false;
    const log = openSync(logFile, "a");
    const logOffset = fstatSync(log).size;
    // A separate process group: Ctrl-C is for the harness, which ends everything itself.
    const replaced = [...(broken === undefined ? [] : ["--break", broken]), ...(this.#isDeployed ? ["--deploy"] : [])];
    const child = spawn(process.execPath, [PROGRAM, ...replaced], {
      detached: true,
      env: { ...inherited(), ...environment },
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        if (signal !== "SIGKILL" && !this.#stopping && !this.#isRestarting)
          this.#countEnd(`exit ${code ?? signal}`, logOffset);
        resolve();
        if (!this.#stopping) setTimeout(() => this.#stopping || this.#start(), RESTART_PAUSE_MILLISECONDS);
      });
    });
  }

  #countEnd(how: string, logOffset: number): void {
    const said = readFileSync(this.#options.logFile).subarray(logOffset).toString("utf8");
    const cutOff = this.#partKilledSinceStart && !said.includes(READY);
    if (!cutOff) this.#failedStarts += 1;
    (cutOff ? this.startsCutOff : this.endedByItself).push(`${how}: ${this.lastLine()}`);
  }
}

/** The caller's environment without the product's own settings, which would point the run at something that matters. */
function inherited(): NodeJS.ProcessEnv {
  const ours = new Set<string>(Object.values(variables).map(({ name }) => name));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)));
}
