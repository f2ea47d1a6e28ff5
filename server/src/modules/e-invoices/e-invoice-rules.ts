import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EInvoiceNotChecked, WorkerQueue } from "../invoices/index.ts";
import { findProcessor, installProcessor, RULES_FILE_NAME, RulesFile } from "./rules-file.ts";
import type { Judgement } from "./rules-thread.ts";

const TIMEOUT_MILLISECONDS = 15_000;

/** The official rules that an e-invoice is checked against, in a thread of its own. */
export class EInvoiceRules {
  /** Undefined: the operator has not installed the rules, or not what runs them. */
  readonly #queue: WorkerQueue<string | undefined, Judgement> | undefined;
  readonly #path: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
    const processor = path === undefined ? undefined : findProcessor(path, "runtime");
    if (path === undefined || processor === undefined) return;
    this.#queue = new WorkerQueue({
      script: new URL("./rules-thread.ts", import.meta.url),
      workerData: { rules: path, processor },
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      failure: (reason) => new EInvoiceNotChecked(reason),
    });
  }

  get areInstalled(): boolean {
    return this.#path !== undefined;
  }

  /** What the operator has to run before the installed rules can be; undefined: nothing is missing. */
  get missing(): string | undefined {
    return this.#path === undefined || this.#queue !== undefined ? undefined : installProcessor(this.#path);
  }

  /** Without an e-invoice: only which rules they are. Throws `EInvoiceNotChecked`. */
  async check(xml?: string): Promise<Judgement> {
    if (this.missing !== undefined) {
      throw new EInvoiceNotChecked(
        "SaxonJS, which runs the rules, is not installed beside them",
        "The operator of this service has to install SaxonJS beside the rules for e-invoices: the service says at its start how.",
      );
    }
    if (this.#queue === undefined) throw new EInvoiceNotChecked("the rules are not installed");
    return await this.#queue.run(xml);
  }

  /** Throws, in words for the operator, where what is installed cannot be run. */
  async requireRunnable(): Promise<void> {
    if (this.#path === undefined) return;
    // Versions before this one brought the processor: a start after an update says what is missing, and goes on.
    const trying = this.missing === undefined ? this.check() : readFile(this.#path, "utf8").then(parseRules);
    await trying.catch((cause: unknown) => {
      throw new Error(
        `Not started: ${this.#path} holds no compiled rules for e-invoices. Compile them with: npm run einvoice-rules.`,
        { cause },
      );
    });
  }

  close(): void {
    this.#queue?.stop("the service is stopping");
  }
}

const parseRules = (text: string): unknown => RulesFile.parse(JSON.parse(text));

/** The configured file, else the one that `npm run einvoice-rules` has left in the data folder. */
export function findRules(configured: string | undefined, dataDir: string): string | undefined {
  const usual = join(dataDir, RULES_FILE_NAME);
  return configured ?? (existsSync(usual) ? usual : undefined);
}
