import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, say } from "./support/compare.ts";
import { readOwnCpuSeconds } from "./support/cpu-seconds.ts";
import { runSlice } from "./support/load.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/**
 * Measures what records of calls to third parties cost: the product against one that keeps none, both started at once and loaded in
 * alternating pairs. CPU time of the process per call compares on a busy machine, too; rates hardly do.
 */
const MOST_SHARE = 1.03;
const CONNECTIONS = 16;
/** Until the code is compiled: two processes that are not equally warm do not compare. */
const WARM_UP_SECONDS = 10;

const { values } = parseArgs({
  options: { pairs: { type: "string", default: "16" }, seconds: { type: "string", default: "5" } },
});
const [pairs, seconds] = [Number(values.pairs), Number(values.seconds)];
/** One without a call to a third party, and one whose work is hardly more than such a call. */
const CALLS = { probe_read: { text: "hello" }, list_airline_credits: {} } as const;

const folders = ["with", "without"].map((name) => mkdtempSync(join(tmpdir(), `wayfare-bench-${name}-`)));
const [withFolder = "", withoutFolder = ""] = folders;
const recording = await startProduct(withFolder);
const silent = await startProduct(withoutFolder, {}, undefined, "silent-service.ts");
type Product = typeof recording;

async function measure(product: Product, tool: keyof typeof CALLS, forSeconds = seconds) {
  const { port, tenantId, apiKey, child } = product;
  const pid = child.pid ?? 0;
  const before = readOwnCpuSeconds(pid);
  const slice = await runSlice({
    ...{ port, path: "/api/agent/dispatch", headers: { authorization: `Bearer ${apiKey}` } },
    body: JSON.stringify({ tenantId, tool, args: CALLS[tool] }),
    ...{ connections: CONNECTIONS, seconds: forSeconds },
  });
  const calls = slice.requestsPerSecond * forSeconds;
  return { ...slice, cpuMilliseconds: ((readOwnCpuSeconds(pid) - before) * 1_000) / calls };
}

try {
  for (const tool of ["probe_read", "list_airline_credits"] as const) {
    for (const product of [recording, silent]) await measure(product, tool, WARM_UP_SECONDS);
    const shares: number[] = [];
    let refused = 0;
    for (let pair = 1; pair <= pairs; pair += 1) {
      // Whoever comes second meets another machine than whoever comes first.
      const order = pair % 2 === 0 ? [silent, recording] : [recording, silent];
      const measured = new Map<Product, Awaited<ReturnType<typeof measure>>>();
      for (const product of order) measured.set(product, await measure(product, tool));
      const [on, off] = [measured.get(recording), measured.get(silent)];
      if (on === undefined || off === undefined) continue;
      refused += on.refused + off.refused;
      shares.push(on.cpuMilliseconds / off.cpuMilliseconds);
      say(
        `pair ${pair} ${tool}: ${on.cpuMilliseconds.toFixed(3)} ms of CPU a call with records, ${off.cpuMilliseconds.toFixed(3)} without; ${on.requestsPerSecond.toFixed(0)} and ${off.requestsPerSecond.toFixed(0)} calls/s; not 200: ${on.refused + off.refused}`,
      );
    }
    const sorted = shares.toSorted((left, right) => left - right);
    const at = (share: number) => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 100).toFixed(1);
    const isMet = median(shares) <= MOST_SHARE && refused === 0;
    if (!isMet) process.exitCode = 1;
    say(
      `${tool}: with records ${(median(shares) * 100).toFixed(1)} % of the CPU a call without (median of ${shares.length} pairs; quartiles ${at(0.25)} to ${at(0.75)}, all ${at(0)} to ${at(1)} %; target at most ${MOST_SHARE * 100} %: ${isMet ? "met" : "MISSED"})`,
    );
  }
} finally {
  await Promise.all([stopProgram(recording.child), stopProgram(silent.child)]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
