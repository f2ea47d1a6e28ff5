import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { say } from "./support/compare.ts";
import { measureLoop } from "./support/large-searches.ts";
import { startBaseline, stopProgram } from "./support/processes.ts";
import { measureSearches } from "./support/searches.ts";

/**
 * Measures what a search costs, and what other calls notice of it. `--against FOLDER` measures the product of another checkout in turns
 * with this one: times of a busy machine compare within a run only.
 */
const MOST_LOOP_MILLISECONDS = 20;
const MOST_CPU_MILLISECONDS = 10;
const MOST_READ_SHARE = 3;
const MOST_FIRST_MILLISECONDS = 100;
const ROUNDS = 3;

const { values } = parseArgs({ options: { against: { type: "string" } } });
const verdict = (isMet: boolean): string => {
  if (!isMet) process.exitCode = 1;
  return isMet ? "met" : "MISSED";
};

const supplier = await startBaseline("large-answer-server.ts");
try {
  const { quiet, inPlace, inThreads } = await measureLoop(`http://127.0.0.1:${supplier.port}`);
  for (const [name, { p99, longest, cpu }] of Object.entries({ quiet, inPlace, inThreads })) {
    say(
      `answers of 5 MB, ${name.padEnd(9)}: event loop delayed p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms, ${cpu.toFixed(1)} ms of its CPU a search`,
    );
  }
  const added = Math.max(0, inThreads.p99 - quiet.p99);
  const isQuick = added <= MOST_LOOP_MILLISECONDS;
  say(
    `a search of 5 MB delays other calls by ${added.toFixed(1)} ms (p99 beyond quiet; target ${MOST_LOOP_MILLISECONDS} ms: ${verdict(isQuick)})`,
  );
} finally {
  await stopProgram(supplier.child);
}

const checkouts = [{ name: "this", root: join(import.meta.dirname, "..") }];
if (values.against !== undefined) checkouts.push({ name: "against", root: values.against });
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const { name, root } of checkouts) {
    const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
    try {
      const { firstMilliseconds, cpuMilliseconds, quiet, loaded, searchesPerSecond, crowded } = await measureSearches(
        root,
        folder,
      );
      const share = loaded / quiet;
      const isMine = name === "this";
      const judge = (isMet: boolean) => (isMine ? verdict(isMet) : "compared");
      say(
        `round ${round} ${name}: first search ${firstMilliseconds.toFixed(0)} ms (target ${MOST_FIRST_MILLISECONDS}: ${judge(firstMilliseconds <= MOST_FIRST_MILLISECONDS)})`,
      );
      say(
        `round ${round} ${name}: ${cpuMilliseconds.toFixed(1)} ms of CPU a search, all threads (target ${MOST_CPU_MILLISECONDS}: ${judge(cpuMilliseconds <= MOST_CPU_MILLISECONDS)})`,
      );
      say(
        `round ${round} ${name}: another tenant's read p50 ${quiet.toFixed(1)} ms quiet, ${loaded.toFixed(1)} ms under 64 searches of one key (${searchesPerSecond.toFixed(0)}/s) = ${share.toFixed(1)} x (target < ${MOST_READ_SHARE}: ${judge(share < MOST_READ_SHARE)})`,
      );
      say(
        `round ${round} ${name}: while other processes occupy every processor, that read takes ${crowded.toFixed(1)} ms = ${(crowded / quiet).toFixed(1)} x`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
