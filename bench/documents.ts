// Scanning: how much of rendered documents is read right, how long a page takes, and what the rest of the product notices of it.
// --only receipts|passports|boarding|latency|memory|real    one part
// --count N           so many documents of each slice, or scans for the memory, in place of all
// --real FOLDER       receipts in euros, named merchant_DDMMYYYY_items_cents.jpg, as those of github.com/softmatic/vision-data (CC BY 4.0)
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { say } from "./support/compare.ts";
import { startProduct, stopProgram } from "./support/processes.ts";
import { readRealReceipts } from "./support/real-receipts.ts";
import { measureDocuments, measureSlice, realReceipt, slices } from "./support/scan-accuracy.ts";
import { measureLatency, measureMemory } from "./support/scan-load.ts";

const SCANS_FOR_MEMORY = 200;
const { values } = parseArgs({
  options: { only: { type: "string" }, count: { type: "string" }, real: { type: "string" } },
});
const count = values.count === undefined ? undefined : Number(values.count);
const PARTS = ["receipts", "passports", "boarding", "latency", "memory", "real"];
if (values.only !== undefined && !PARTS.includes(values.only)) throw new Error(`--only takes ${PARTS.join(", ")}`);
if (count !== undefined && !(count >= 1)) throw new Error("--count takes a number");
const isAsked = (part: string): boolean => values.only === undefined || values.only === part;
const today = Temporal.Now.plainDateISO("UTC");

say("baseline source: server/test/support/documents (what each rendered document says is known from its seed)");
say(
  `load: npm run bench:documents${process.argv
    .slice(2)
    .map((one) => ` ${one}`)
    .join(
      "",
    )}: one scan at a time through POST /api/agent/dispatch unless said otherwise, documents dated around ${today}, node ${process.version}`,
);
const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const product = await startProduct(folder);
const met: boolean[] = [];
try {
  for (const part of ["receipts", "passports", "boarding"] as const) {
    if (!isAsked(part)) continue;
    for (const slice of slices[part]) met.push(await measureSlice(product, slice, { count, today }));
  }
  if (values.real !== undefined && isAsked("real")) {
    met.push(await measureDocuments(product, readRealReceipts(values.real, count), realReceipt));
  }
  if (isAsked("latency")) met.push(await measureLatency(product, today));
  if (isAsked("memory") && product.child.pid !== undefined) {
    met.push(await measureMemory(product, product.child.pid, { count: count ?? SCANS_FOR_MEMORY, today }));
  }
} finally {
  await stopProgram(product.child);
  rmSync(folder, { recursive: true, force: true });
}
if (met.includes(false)) process.exitCode = 1;
