import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { guardNamed } from "./guards.ts";
import { Reading } from "./reading.ts";

const PROGRAM = fileURLToPath(new URL("./attacked-service.ts", import.meta.url));
const Addresses = z.object({ appUrl: z.string(), edgeUrl: z.string() });
const Digits = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]+$/)]);
const Quickstart = z.object({ apiKey: z.string(), operatorKey: z.string(), payer: z.object({ privateKey: Digits }) });

interface TargetOptions {
  /** Services on one folder share the parts that run beside them. */
  dataDir: string;
  without: readonly string[];
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export type Host = "app" | "edge";

/** A process of the service that is attacked. */
export class Target {
  readonly urls: Readonly<Record<Host, string>>;
  readonly apiKey: string;
  /** A person's key, with every scope. */
  readonly operatorKey: string;
  /** The key of a funded wallet on the development chain. */
  readonly payerKey: Hex;
  readonly pid: number | undefined;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, urls: Record<Host, string>, quickstart: z.infer<typeof Quickstart>) {
    this.#child = child;
    this.pid = child.pid;
    this.urls = urls;
    this.apiKey = quickstart.apiKey;
    this.operatorKey = quickstart.operatorKey;
    this.payerKey = quickstart.payer.privateKey;
  }

  static async start({ dataDir, without, environment, signal }: TargetOptions): Promise<Target> {
    const log = openSync(join(dataDir, "attacked.log"), "a", 0o600);
    const child = fork(
      PROGRAM,
      without.flatMap((name) => ["--without", name]),
      {
        execArgv: without.flatMap((name) => guardNamed(name).nodeOption ?? []),
        env: { ...process.env, DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "fatal", ...environment },
        stdio: ["ignore", log, log, "ipc"],
        // By which a run finds what it started.
        cwd: dataDir,
        // Ctrl-C of a terminal is for the harness alone, which ends it.
        detached: true,
      },
    );
    closeSync(log);
    try {
      const { appUrl, edgeUrl } = Addresses.parse(await heard(child, signal));
      const quickstart = Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));
      return new Target(child, { app: appUrl, edge: edgeUrl }, quickstart);
    } catch (error) {
      await end(child);
      throw error;
    }
  }

  /** Resets all counters. */
  reset(): Promise<Reading> {
    return this.#ask("reset");
  }

  read(): Promise<Reading> {
    return this.#ask("read");
  }

  /** Reads after garbage was collected, for what is held. */
  collect(): Promise<Reading> {
    return this.#ask("collect");
  }

  /** At once: what it still does is of no use to anybody. */
  stop(): Promise<void> {
    return end(this.#child);
  }

  async #ask(what: string): Promise<Reading> {
    const answer = heard(this.#child);
    this.#child.send(what);
    return Reading.parse(await answer);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function heard(child: ChildProcess, signal?: AbortSignal): Promise<unknown> {
  const ended = Promise.withResolvers<never>();
  const giveUp = () => ended.reject(new Error("The attacked service has ended."));
  child.once("exit", giveUp);
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended.promise]);
    return message;
  } finally {
    child.off("exit", giveUp);
  }
}
