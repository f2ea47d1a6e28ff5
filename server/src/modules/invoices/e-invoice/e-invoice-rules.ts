import { existsSync } from "node:fs";
import { join } from "node:path";
import { WorkerQueue } from "../worker-queue.ts";
import { RULES_FILE_NAME } from "./rules-file.ts";
import type { Judgement } from "./rules-thread.ts";

const TIMEOUT_MILLISECONDS = 15_000;

/** Nothing is known of the e-invoice: too many wait to be checked, it took too long, or the rules could not be run. */
export class EInvoiceNotChecked extends Error {
  constructor(reason: string) {
    super(`The e-invoice was not checked: ${reason}.`);
    this.name = "EInvoiceNotChecked";
  }
}

/** The official rules that an e-invoice is checked against, in a thread of its own. */
export class EInvoiceRules {
  /** Undefined: the operator has installed none. */
  readonly #queue: WorkerQueue<string | undefined, Judgement> | undefined;
  readonly #path: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined) return;
    this.#queue = new WorkerQueue({
      script: new URL("./rules-thread.ts", import.meta.url),
      workerData: path,
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      failure: (reason) => new EInvoiceNotChecked(reason),
    });
  }

  get areInstalled(): boolean {
    return this.#queue !== undefined;
  }

  /** Without an e-invoice: only which rules they are. Throws `EInvoiceNotChecked`. */
  async check(xml?: string): Promise<Judgement> {
    if (this.#queue === undefined) throw new EInvoiceNotChecked("the rules are not installed");
    return await this.#queue.run(xml);
  }

  /** Throws, in words for the operator, where what is installed cannot be run. */
  async requireRunnable(): Promise<void> {
    if (!this.areInstalled) return;
    await this.check().catch((cause: unknown) => {
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

/** The configured file, else the one that `npm run einvoice-rules` has left in the data folder. */
export function findRules(configured: string | undefined, dataDir: string): string | undefined {
  const usual = join(dataDir, RULES_FILE_NAME);
  return configured ?? (existsSync(usual) ? usual : undefined);
}
