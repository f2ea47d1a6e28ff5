import { parseArgs } from "node:util";
import { restartInTurn } from "./rolling-restarts.ts";

/** Restarts two processes behind a balancer in turn under load. Exit code 0: no call failed. */
const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "20000" },
    restarts: { type: "string", default: "4" },
    "drain-seconds": { type: "string", default: "2" },
  },
});
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const { calls, failures, slowestStopMilliseconds } = await restartInTurn({
  calls: Number(values.calls),
  restarts: Number(values.restarts),
  drainSeconds: Number(values["drain-seconds"]),
  progress: say,
});
const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
say(
  `${failed} failed calls of ${calls} in ${values.restarts} restarts; slowest stop ${Math.round(slowestStopMilliseconds)} ms`,
);
for (const [failure, count] of failures) say(`  ${count} times: ${failure}`);
process.exitCode = failed === 0 ? 0 : 1;
