import { expect, it } from "vitest";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService } from "../../../test/support/service.ts";

it("a stop answers pending requests, refuses new ones with a reason, and then closes", async () => {
  const probes = createProbes();
  await using service = await startTestService({}, { extraTools: probes.tools, drainMilliseconds: 120_000 });
  const ready = () => service.send("/readyz", {});
  expect((await ready()).status).toBe(200);
  const waiting = service.call("probe_write", { text: "under way", mood: "wait" });
  while (probes.runs("under way") === 0) await new Promise((resolve) => setImmediate(resolve));

  const stopped = service.app.stop();
  const unready = await ready();
  expect([unready.status, unready.body.reason]).toEqual([503, "draining"]);
  const refused = await service.call("probe_read", { text: "new" });
  expect([refused.status, refused.body.code]).toEqual([503, "draining"]);
  expect(refused.headers.get("retry-after")).not.toBeNull();

  probes.release();
  const answer = await waiting;
  expect([answer.status, answer.body.result]).toEqual([200, { text: "under way" }]);
  await stopped;
  await expect(ready()).rejects.toThrow();
  const meterId = answer.headers.get("x-service-meter-id");
  expect(await service.sql("select id from usage_record where id = $1", [meterId])).toHaveLength(1);
});
