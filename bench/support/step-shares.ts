import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { openRunner } from "./step-runner.ts";

const RUNS = 400;
const STEPS = 20;
const LOOK_MILLISECONDS = 200;

/** Which part of all steps each of two processes executes that share the runs. */
export async function shareSteps(databaseUrl: string): Promise<number[]> {
  const inserting = openRunner(databaseUrl, "nobody");
  for (let count = 0; count < RUNS; count += 1) await inserting.insert(STEPS);
  await inserting.close();
  const workers = ["one", "other"].map((name) => startWorker(databaseUrl, name));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const count = async () =>
    (await client.query<{ open: number }>("select count(*)::int as open from workflow_run where ended_at is null"))
      .rows[0]?.open ?? 0;
  while ((await count()) > 0) await delay(LOOK_MILLISECONDS);
  await client.end();
  const executed = await Promise.all(workers.map((worker) => worker.stop()));
  const all = executed.reduce((sum, steps) => sum + steps, 0);
  return executed.map((steps) => steps / all);
}

function startWorker(databaseUrl: string, name: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "step-runner-service.ts")], {
    env: { ...process.env, DATABASE_URL: databaseUrl, WORKER_ID: name },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let steps = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = /^executed (\d+)$/.exec(line)?.[1];
    if (said !== undefined) steps = Number(said);
  });
  return {
    async stop(): Promise<number> {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      return steps;
    },
  };
}
