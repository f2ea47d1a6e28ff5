import { type ChildProcess, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { MOST_ANSWERED_BYTES, OUT_OF_MEMORY_SIGNAL, ScanAnswer, type ScanOrder } from "./scan-message.ts";

const PROGRAM = fileURLToPath(new URL("./scan-process.ts", import.meta.url));
const SERVER = fileURLToPath(new URL("../../../../", import.meta.url));
/** Other processes come first, but a busy machine still reads. */
const LOWER_PRIORITY = 10;
const HEAP_MEGABYTES = 256;
const LOOK_EVERY_MILLISECONDS = 200;
/** The kernel ends these first when the machine runs out of memory. */
const FIRST_TO_END = "1000";

/** How a process ended without an answer. */
export type Ending = "too_much_memory" | "stopped" | "crashed";

export class ScanningEnded extends Error {
  readonly ending: Ending;

  constructor(ending: Ending, how: string) {
    super(`The process that read a document ended: ${ending} (${how}).`);
    this.name = "ScanningEnded";
    this.ending = ending;
  }
}

/**
 * A process for one document. It has no environment and no network, may write nothing and read only its own code; its
 * priority is low. It starts without a document, so that one can be kept ready.
 */
export class ScanningProcess {
  readonly #child: ChildProcess;
  readonly #memoryBytes: number;
  readonly #ended = Promise.withResolvers<void>();
  #ending: Ending = "crashed";
  #isEnded = false;

  constructor(memoryMegabytes: number) {
    this.#memoryBytes = memoryMegabytes * 1_048_576;
    const child = spawn(process.execPath, [...scanningOptions(), PROGRAM, String(memoryMegabytes)], {
      cwd: SERVER,
      env: {},
      // Its error output may quote a document.
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child = child;
    child.on("error", () => this.#finish());
    child.on("close", () => this.#finish());
    // A write to an ended process fails, but its end is reported instead.
    child.stdin?.on("error", () => {});
    if (child.pid !== undefined) lowerPriority(child.pid);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Throws `ScanningEnded` if it ends without an answer. */
  async scan(
    order: ScanOrder,
    bytes: Uint8Array,
    onStep: (step: string) => void,
  ): Promise<Exclude<ScanAnswer, { step: string }>> {
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) throw new ScanningEnded("crashed", "no pipes");
    const memory = setInterval(() => void this.#lookAtMemory(), LOOK_EVERY_MILLISECONDS);
    try {
      stdin.write(`${JSON.stringify(order)}\n`);
      stdin.end(bytes);
      for await (const answer of readLines(stdout)) {
        if ("step" in answer) onStep(answer.step);
        else return answer;
      }
      await this.#ended.promise;
      const { exitCode, signalCode } = this.#child;
      if (signalCode === OUT_OF_MEMORY_SIGNAL) this.#ending = "too_much_memory";
      throw new ScanningEnded(this.#ending, String(signalCode ?? exitCode));
    } finally {
      clearInterval(memory);
      this.stop("stopped");
    }
  }

  /** Ends it at once, whatever it is doing. */
  stop(ending: Ending): void {
    if (this.#isEnded) return;
    this.#ending = ending;
    this.#child.kill("SIGKILL");
  }

  /** Resolves when the process is completely gone. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  #finish(): void {
    this.#isEnded = true;
    this.#ended.resolve();
  }

  async #lookAtMemory(): Promise<void> {
    const bytes = await readResidentBytes(this.#child.pid);
    if (bytes !== undefined && bytes > this.#memoryBytes) this.stop("too_much_memory");
  }
}

/** The process's rights, as options for Node. */
export function scanningOptions(): string[] {
  const modules = dirname(dirname(createRequire(import.meta.url).resolve("tesseract.js-core/package.json")));
  const readable = [`${SERVER}src`, `${SERVER}package.json`, `${SERVER}node_modules`, modules];
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    // The image decoders, and the thread that watches the memory.
    ...["--allow-addons", "--allow-worker"],
    ...["--no-warnings", `--max-old-space-size=${HEAP_MEGABYTES}`],
  ];
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOWER_PRIORITY);
  } catch {
    // It has already ended, or sets its own.
  }
  writeFile(`/proc/${pid}/oom_score_adj`, FIRST_TO_END).catch(() => {});
}

/** `undefined` if the system does not tell. */
async function readResidentBytes(pid: number | undefined): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}

/** Its output, while it is well-formed and within the bound. */
async function* readLines(stdout: AsyncIterable<Buffer>): AsyncGenerator<ScanAnswer> {
  let open: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout) {
    bytes += chunk.length;
    if (bytes > MOST_ANSWERED_BYTES) return;
    const parts = splitLines(chunk);
    for (const [index, part] of parts.entries()) {
      open.push(part);
      if (index === parts.length - 1) break;
      const answer = ScanAnswer.safeParse(parseJson(Buffer.concat(open).toString()));
      open = [];
      if (!answer.success) return;
      yield answer.data;
    }
  }
}

function splitLines(chunk: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
    parts.push(chunk.subarray(from, end));
    from = end + 1;
  }
  return [...parts, chunk.subarray(from)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
