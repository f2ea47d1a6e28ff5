import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../server/src/main.ts", import.meta.url));

/** One process of the service, stopped and started as an operator does it for a new version. */
export class Restarted {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #program: string;
  #child: ChildProcess | undefined;

  constructor(environment: Readonly<Record<string, string>>, program: string = MAIN) {
    this.#environment = environment;
    this.#program = program;
  }

  /** Resolves when it says that it is ready. */
  async start(): Promise<void> {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [this.#program], {
      env: { PATH, NODE_COMPILE_CACHE, ...this.#environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (/first call .*\n/.test(said)) resolve();
      });
      child.once("close", (code) => reject(new Error(`The service ended with ${code}: ${said}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  /** How long the stop took. */
  async restart(): Promise<number> {
    const begun = performance.now();
    await this.stop();
    const stopMilliseconds = performance.now() - begun;
    await this.start();
    return stopMilliseconds;
  }
}
