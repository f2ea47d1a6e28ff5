import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { runSlice } from "./load.ts";
import { startProduct, stopProgram } from "./processes.ts";

const AT_ONCE = 4;
const MANY = 64;
const SECONDS = 5;
const IDLE_MILLISECONDS = 3_000;
/** One tick of `/proc/<pid>/stat`. */
const TICK_MILLISECONDS = 10;

interface SearchCost {
  firstMilliseconds: number;
  cpuMilliseconds: number;
  /** Another tenant's read, p50 in milliseconds. */
  quiet: number;
  loaded: number;
  /** Meanwhile. */
  searchesPerSecond: number;
  /** While other processes keep the processors busy and the service does nothing else: what the machine alone does to it. */
  crowded: number;
}

/** Runs the work while as many processes as there are processors do nothing but count. */
async function withBusyProcessors<Result>(work: () => Promise<Result>): Promise<Result> {
  const counting = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  try {
    return await work();
  } finally {
    for (const one of counting) one.kill("SIGKILL");
  }
}

/** Starts the product of the checkout on a data folder of its own. */
export async function measureSearches(root: string, dataDir: string): Promise<SearchCost> {
  const product = await startProduct(dataDir, {}, root);
  try {
    const dispatch = { port: product.port, path: "/api/agent/dispatch" };
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const args = { origin: "LHR", destination: "JFK", departureDate, cabinClass: "economy", passengers: 1 };
    const search = {
      ...dispatch,
      headers: { authorization: `Bearer ${product.apiKey}` },
      body: JSON.stringify({ tool: "search_flights", args }),
    };
    const read = {
      ...dispatch,
      headers: { authorization: `Bearer ${await createTenant(root, dataDir)}` },
      body: JSON.stringify({ tool: "probe_read", args: { text: "hello" } }),
      connections: 1,
      seconds: SECONDS,
    };
    // Short-lived work of the start is over.
    await delay(IDLE_MILLISECONDS);
    const first = await runSlice({ ...search, connections: 1, seconds: 0 });
    await runSlice({ ...search, connections: AT_ONCE, seconds: SECONDS });
    const cpuMilliseconds = await measureCpu(product.child.pid ?? 0, async () => {
      const { requestsPerSecond } = await runSlice({ ...search, connections: AT_ONCE, seconds: SECONDS });
      return requestsPerSecond * SECONDS;
    });
    await runSlice(read);
    const quiet = await runSlice(read);
    const [loaded, searched] = await Promise.all([
      delay(1_000).then(() => runSlice({ ...read, seconds: SECONDS - 2 })),
      runSlice({ ...search, connections: MANY, seconds: SECONDS }),
    ]);
    const crowded = await withBusyProcessors(() => runSlice({ ...read, seconds: SECONDS - 2 }));
    return {
      firstMilliseconds: first.p50Milliseconds,
      cpuMilliseconds,
      quiet: quiet.p50Milliseconds,
      loaded: loaded.p50Milliseconds,
      searchesPerSecond: searched.requestsPerSecond,
      crowded: crowded.p50Milliseconds,
    };
  } finally {
    await stopProgram(product.child);
  }
}

/** CPU of the process for one of the searches, without what it uses when idle. */
async function measureCpu(pid: number, work: () => Promise<number>): Promise<number> {
  const idle = readCpu(pid);
  await delay(IDLE_MILLISECONDS);
  const idlePerMillisecond = (readCpu(pid) - idle) / IDLE_MILLISECONDS;
  const [before, begun] = [readCpu(pid), performance.now()];
  const done = await work();
  return (readCpu(pid) - before - idlePerMillisecond * (performance.now() - begun)) / done;
}

function readCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS;
}

/** A further tenant's key. */
async function createTenant(root: string, dataDir: string): Promise<string> {
  const program = join(root, "server/src/commands/tenant.ts");
  const child = spawn(process.execPath, [program, "create", "--name", "reader", "--cap", "1000000"], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const key = /ak_\S+/.exec(await text(child.stdout))?.[0];
  if (key === undefined) throw new Error("The tenant was not created.");
  return key;
}
