// How long an invoice takes as an e-invoice: checked by the installed rules, then drawn with its XML in it; how much memory each of
// the two threads takes, and how long the event loop stands still meanwhile. Needs the rules, as `npm run einvoice-rules` compiles them.
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { readConfig } from "../server/src/config/config.ts";
import { EInvoiceRules, findRules } from "../server/src/modules/e-invoices/e-invoice-rules.ts";
import { createEInvoices } from "../server/src/modules/e-invoices/judge-invoice.ts";
import { writeCii } from "../server/src/modules/e-invoices/write-cii.ts";
import type { InvoiceDocument } from "../server/src/modules/invoices/document.ts";
import { InvoiceRenderer } from "../server/src/modules/invoices/drawing/invoice-renderer.ts";
import { issueJudged } from "../server/src/modules/invoices/e-invoices.ts";
import { threadLimits } from "../server/src/platform/threads/worker-queue.ts";
import { sampleInvoice } from "../server/test/support/wrong-e-invoices.ts";

const ROUNDS = 40;
const WARM_UP = 5;
const MEGABYTE = 1_000_000;

const { eInvoiceRulesFile, dataDir } = readConfig(process.env);
const path = findRules(eInvoiceRulesFile, dataDir);
if (path === undefined) throw new Error("The rules are not installed: npm run einvoice-rules -- --help");
const print = (line: string) => process.stdout.write(`${line}\n`);
const drafts: readonly InvoiceDocument[] = [
  sampleInvoice("included", { ratePercent: "19" }),
  sampleInvoice("margin_scheme"),
  sampleInvoice("reverse_charge", { language: "ja" }),
];
const pickDraft = (round: number): InvoiceDocument => drafts[round % drafts.length] ?? sampleInvoice("none");

await measureTime(path);
await measureMemory(path);

async function measureTime(rulesPath: string): Promise<void> {
  const rules = new EInvoiceRules(rulesPath);
  const eInvoices = createEInvoices(rules);
  const renderer = new InvoiceRenderer();
  const make = async (draft: InvoiceDocument) => {
    const judged = await issueJudged(
      eInvoices,
      async () => draft,
      async ({ eInvoice }) => ({ ...draft, eInvoice }),
    );
    const invoice = judged ?? draft;
    return await renderer.render({ invoice, attachment: eInvoices.buildAttachment(invoice) });
  };
  const cold = performance.now();
  await make(pickDraft(0));
  print(`the first one, with the rules loaded: ${(performance.now() - cold).toFixed(0)} ms`);
  for (let round = 0; round < WARM_UP; round += 1) await make(pickDraft(round));
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await make(pickDraft(round));
    times.push(performance.now() - start);
  }
  loop.disable();
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(share * (ROUNDS - 1))] ?? 0).toFixed(0);
  print(`warm, checked and drawn: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms (${ROUNDS} invoices)`);
  print(
    `event loop: p50 ${(loop.percentile(50) / 1e6).toFixed(1)} ms, p99 ${(loop.percentile(99) / 1e6).toFixed(1)} ms`,
  );
  rules.close();
  renderer.close();
}

async function measureMemory(rulesPath: string): Promise<void> {
  const folder = new URL("../server/src/modules/", import.meta.url);
  const threads = [
    ["the rules", "e-invoices/rules-thread.ts", (round: number) => writeCii(pickDraft(round))],
    [
      "drawing",
      "invoices/drawing/invoice-thread.ts",
      (round: number) => ({ invoice: pickDraft(round), attachment: undefined }),
    ],
  ] as const;
  for (const [name, script, buildInput] of threads) {
    const worker = new Worker(new URL(script, folder), { workerData: rulesPath, resourceLimits: threadLimits });
    let most = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const answered = once(worker, "message");
      worker.postMessage({ id: round, input: buildInput(round) });
      await answered;
      const { total_heap_size: heap, malloced_memory: beside } = await worker.getHeapStatistics();
      most = Math.max(most, heap + beside);
    }
    print(`memory of the thread for ${name}: ${(most / MEGABYTE).toFixed(0)} MB at most`);
    await worker.terminate();
  }
}
