import { expect, test, vi } from "vitest";
import { programAt } from "../../server/test/support/programs.ts";
import { restartInTurn } from "../src/restarts/rolling-restarts.ts";

vi.setConfig({ testTimeout: 300_000 });

test("two processes behind a balancer are restarted without a failed call, each stop within 10 s", async () => {
  const program = programAt("server/src/main.ts");
  const options = { calls: 600, restarts: 2, drainSeconds: 2, program, progress: () => undefined };
  const report = await restartInTurn(options);
  expect([...report.failures]).toEqual([]);
  expect(report.calls).toBeGreaterThanOrEqual(600);
});
