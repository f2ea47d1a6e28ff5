import { expect, test, vi } from "vitest";
import { restartInTurn } from "../src/restarts/rolling-restarts.ts";

vi.setConfig({ testTimeout: 300_000 });

test("two processes behind a balancer are restarted without a failed call, each stop within 10 s", async () => {
  const report = await restartInTurn({ calls: 600, restarts: 2, drainSeconds: 2, progress: () => undefined });
  expect([...report.failures]).toEqual([]);
  expect(report.calls).toBeGreaterThanOrEqual(600);
});
