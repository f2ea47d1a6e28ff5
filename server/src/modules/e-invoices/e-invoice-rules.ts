import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WorkerQueue } from "../../platform/threads/worker-queue.ts";
import { EInvoiceNotChecked } from "../invoices/index.ts";
import { findProcessor, installProcessor, RULES_FILE_NAME, RulesFile } from "./rules-file.ts";
import type { Judgement } from "./rules-thread.ts";

const TIMEOUT_MILLISECONDS = 15_000;

/** Checks an e-invoice against the official rules, in a separate thread. */
export class EInvoiceRules {
  /** Undefined if the operator has not installed the rules, or their processor. */
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

  /** The command that the operator must run before the installed rules work; undefined if nothing is missing. */
  get missing(): string | undefined {
    return this.#path === undefined || this.#queue !== undefined ? undefined : installProcessor(this.#path);
  }

  /** Without an e-invoice it only tells which rules are installed. Throws `EInvoiceNotChecked`. */
  async check(xml?: string): Promise<Judgement> {
    if (this.missing !== undefined) {
      throw new EInvoiceNotChecked(
        "SaxonJS, which runs the rules, is not installed beside them",
        "The operator of this service has to install SaxonJS beside the rules for e-invoices: the service prints how when it starts.",
      );
    }
    if (this.#queue === undefined) throw new EInvoiceNotChecked("the rules are not installed");
    return await this.#queue.run(xml);
  }

  /** Throws an error for the operator if the installed rules cannot run. */
  async requireRunnable(): Promise<void> {
    if (this.#path === undefined) return;
    // Earlier versions included the processor, so a start after an update reports what is missing, and continues.
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

/** The configured file, else the one that `npm run einvoice-rules` wrote to the data folder. */
export function findRules(configured: string | undefined, dataDir: string): string | undefined {
  const usual = join(dataDir, RULES_FILE_NAME);
  return configured ?? (existsSync(usual) ? usual : undefined);
}
