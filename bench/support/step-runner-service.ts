import { z } from "zod";
import { openRunner } from "./step-runner.ts";

/** A process that executes runs whose steps do nothing, and says how many steps it has executed when it is stopped. */
const { DATABASE_URL, WORKER_ID } = z.object({ DATABASE_URL: z.string(), WORKER_ID: z.string() }).parse(process.env);
const runner = openRunner(DATABASE_URL, WORKER_ID);
const looking = setInterval(runner.wake, 500);
process.stdout.write("{}\n");
process.on("SIGTERM", () => {
  clearInterval(looking);
  process.stdout.write(`executed ${runner.executedSteps()}\n`);
  void runner.close().then(() => process.exit(0));
});
