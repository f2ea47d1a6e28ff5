import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { corpora } from "../../server/test/support/documents/corpora.ts";
import { median, say } from "./compare.ts";
import { dispatch, type Service, scanBody } from "./scan-client.ts";

const AT_ONCE = 8;
const ROUNDS = 3;
const SLICE_SECONDS = 10;
const WARM_UP_CALLS = 200;
const MOST_TIMES_SLOWER = 1.5;
const FIRST_LOOK = 20;
const MOST_MEGABYTES_MORE = 30;
const LOOK_MILLISECONDS = 100;

/** Bodies of different documents, so that nothing can be remembered of one for the next. */
async function makeBodies(service: Service, count: number, today: Temporal.PlainDate): Promise<string[]> {
  const bodies: string[] = [];
  const receipts = corpora["receipts and invoices, photos"](Math.ceil(count / 2), today);
  const passports = corpora["passports and cards, spoiled"](Math.ceil(count / 2), today);
  for await (const document of receipts) bodies.push(scanBody(service, document));
  for await (const document of passports) bodies.push(scanBody(service, document));
  return bodies;
}

/** As many scans as `atOnce` says are always running or waiting until `stop`. */
function keepScanning(service: Service, bodies: readonly string[], atOnce: number) {
  let open = 0;
  let next = 0;
  const refusals: string[] = [];
  let done = 0;
  let isStopped = false;
  async function scanInTurn(): Promise<void> {
    while (!isStopped) {
      const body = bodies[next % bodies.length] ?? "";
      next += 1;
      open += 1;
      const { status, text } = await dispatch(service, body);
      open -= 1;
      done += 1;
      if (status !== 200) refusals.push(`${status} ${text.slice(0, 300)}`);
    }
  }
  const turns = Array.from({ length: atOnce }, scanInTurn);
  return {
    open: () => open,
    counts: () => ({ done, refusals }),
    async stop() {
      isStopped = true;
      await Promise.all(turns);
    },
  };
}

/** Milliseconds of reads one after another, of which those count that begin and end while `counts` says so. */
async function timeReads(service: Service, seconds: number, counts: () => boolean): Promise<number[]> {
  const body = JSON.stringify({ tenantId: service.tenantId, tool: "probe_read", args: { text: "hello" } });
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const didCount = counts();
    const start = performance.now();
    const { status } = await dispatch(service, body);
    const took = performance.now() - start;
    if (status !== 200) throw new Error(`The read was answered with ${status}.`);
    if (didCount && counts()) times.push(took);
    await delay(1);
  }
  return times;
}

/** A read that does no work, alone and beside eight scans, in turn. */
export async function measureLatency(service: Service, today: Temporal.PlainDate): Promise<boolean> {
  const bodies = await makeBodies(service, 24, today);
  for (let call = 0; call < WARM_UP_CALLS; call += 1) await timeReads(service, 0, () => false);
  await timeReads(service, 2, () => true);
  const ratios: number[] = [];
  let isWhole = true;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const alone = median(await timeReads(service, SLICE_SECONDS, () => true));
    const scanning = keepScanning(service, bodies, AT_ONCE);
    const times = await timeReads(service, SLICE_SECONDS * 2, () => scanning.open() >= AT_ONCE);
    await scanning.stop();
    const { done, refusals } = scanning.counts();
    const beside = median(times);
    ratios.push(beside / alone);
    if (refusals.length > 0 || times.length === 0) isWhole = false;
    say(
      `round ${round}: a read that does no work takes ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ${AT_ONCE} scans (${times.length} reads, ${done} scans, ${refusals.length} of them refused): ${(beside / alone).toFixed(2)} times`,
    );
    for (const refusal of refusals) say(`  refused: ${refusal}`);
  }
  const isMet = isWhole && median(ratios) <= MOST_TIMES_SLOWER;
  say(
    `latency: median of ${median(ratios).toFixed(2)} times (target ${MOST_TIMES_SLOWER}: ${isMet ? "met" : "MISSED"})`,
  );
  return isMet;
}

/** Resident megabytes of the service after the first scans and after the last, and the most that a process of a scan had. */
export async function measureMemory(
  service: Service,
  processId: number,
  { count, today }: { count: number; today: Temporal.PlainDate },
): Promise<boolean> {
  const bodies = await makeBodies(service, 24, today);
  const watch = watchChildren(processId);
  await scanMany(service, bodies, FIRST_LOOK);
  const first = await settledMegabytes(processId);
  await scanMany(service, bodies, count - FIRST_LOOK);
  const last = await settledMegabytes(processId);
  const peaks = watch.stop();
  const isMet = last - first <= MOST_MEGABYTES_MORE;
  say(
    `memory of the service: ${first.toFixed(0)} MB after ${FIRST_LOOK} scans, ${last.toFixed(0)} MB after ${count}: ${(last - first).toFixed(0)} MB more (target ${MOST_MEGABYTES_MORE}: ${isMet ? "met" : "MISSED"})`,
  );
  say(
    `memory of a scan's process: ${Math.max(0, ...peaks).toFixed(0)} MB at most, median ${median(peaks).toFixed(0)} MB (${peaks.length} seen)`,
  );
  return isMet;
}

async function scanMany(service: Service, bodies: readonly string[], count: number): Promise<void> {
  let next = 0;
  async function inTurn(): Promise<void> {
    while (next < count) {
      const body = bodies[next % bodies.length] ?? "";
      next += 1;
      const { status, text } = await dispatch(service, body);
      if (status !== 200) say(`  refused: ${status} ${text.slice(0, 300)}`);
    }
  }
  await Promise.all([inTurn(), inTurn()]);
}

/** The least of some looks: a heap that was just collected says more than one that is about to be. */
async function settledMegabytes(processId: number): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 50; look += 1) {
    await delay(LOOK_MILLISECONDS);
    looks.push(readMegabytes(processId, "VmRSS"));
  }
  return Math.min(...looks);
}

/** Linux only: elsewhere, and for a dead process, it is 0. */
function readMegabytes(processId: number, what: "VmRSS" | "VmHWM"): number {
  const kilobytes = new RegExp(`^${what}:\\s+(\\d+) kB`, "m").exec(readStatus(processId))?.[1];
  return Number(kilobytes ?? 0) / 1_000;
}

function readStatus(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/status`, "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

/** Looks for processes that read documents, and keeps the most that each of them had. */
function watchChildren(parent: number) {
  const peaks = new Map<number, number>();
  const timer = setInterval(() => {
    for (const child of listChildren(parent)) {
      const command = readCommand(child);
      if (!command.includes("scan-process")) continue;
      peaks.set(child, Math.max(peaks.get(child) ?? 0, readMegabytes(child, "VmHWM")));
    }
  }, LOOK_MILLISECONDS);
  return {
    stop(): number[] {
      clearInterval(timer);
      return [...peaks.values()];
    },
  };
}

function listChildren(parent: number): number[] {
  const folders = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return folders.map(Number).filter((one) => new RegExp(`^PPid:\\s+${parent}$`, "m").test(readStatus(one)));
}

function readCommand(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
