import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { findFreePort } from "../../../server/src/embedded/free-port.ts";
import { endProcesses } from "../processes.ts";
import { Balancer } from "./balancer.ts";
import { Callers } from "./callers.ts";
import { Restarted } from "./restarted.ts";

const Quickstart = z.object({ tenantId: z.string(), apiKey: z.string() });

interface RestartOptions {
  calls: number;
  restarts: number;
  /** 0: the control, which fails calls. */
  drainSeconds: number;
  /** The entry point of the service; undefined: as the repository has it. */
  program?: string;
  progress(line: string): void;
}

interface RestartReport {
  calls: number;
  /** How calls failed, and how often in this way. */
  failures: ReadonlyMap<string, number>;
  slowestStopMilliseconds: number;
}

/** Two processes of the service on one folder behind a balancer, restarted in turn while callers call without a pause. */
export async function restartInTurn({ calls, restarts, ...options }: RestartOptions): Promise<RestartReport> {
  const { drainSeconds, program, progress } = options;
  const dataDir = mkdtempSync(join(tmpdir(), "wayfare-restarts-"));
  const ports = [await findFreePort(), await findFreePort()];
  const balancer = new Balancer(ports);
  try {
    const url = await balancer.listen();
    const common = {
      DATA_DIR: dataDir,
      PUBLIC_APP_URL: url,
      DRAIN_SECONDS: String(drainSeconds),
      SERVE: "app",
      EDGE_PORT: String(await findFreePort()),
      RATE_LIMIT_PER_SECOND: "100000",
      RATE_LIMIT_BURST: "100000",
    };
    const processes = ports.map((port) => new Restarted({ ...common, PORT: String(port) }, program));
    for (const one of processes) await one.start();
    for (const port of ports) await balancer.untilReady(port);
    const callers = new Callers(
      url,
      Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"))),
    );
    callers.start();
    let slowestStopMilliseconds = 0;
    for (let done = 0; done < restarts; done += 1) {
      await callers.untilAnswered(((done + 1) * calls) / (restarts + 1));
      const at = done % ports.length;
      const stopMilliseconds = (await processes[at]?.restart()) ?? 0;
      slowestStopMilliseconds = Math.max(slowestStopMilliseconds, stopMilliseconds);
      await balancer.untilReady(ports[at] ?? 0);
      progress(
        `restart ${done + 1}: stopped within ${Math.round(stopMilliseconds)} ms, ${callers.answered} calls answered`,
      );
    }
    await callers.untilAnswered(calls);
    await callers.stop();
    for (const one of processes) await one.stop();
    return { calls: callers.answered, failures: callers.failures, slowestStopMilliseconds };
  } finally {
    await balancer.close();
    await endProcesses(dataDir);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
