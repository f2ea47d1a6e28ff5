import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** Longer than a call waits for the transfer. */
const LATE_MILLISECONDS = 40_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { attesterOptions: ["--faults", "on"] });
  // Opens the chain, and starts the attester.
  requireResult(await service.call("bridge_to_arc", { fromChain: "Base_Sepolia", amount: "1" }));
});
afterAll(() => service?.[Symbol.asyncDispose]());

const PartsFile = z.object({ parts: z.array(z.object({ name: z.string(), url: z.string().optional() })) });

async function delayAttestations(): Promise<void> {
  const { parts } = PartsFile.parse(JSON.parse(readFileSync(join(service.dataDir, "parts.json"), "utf8")));
  const url = parts.find(({ name }) => name === "attester")?.url;
  const scenario = {
    match: { path: "/v2/messages", method: "GET" },
    fault: "late",
    times: 10_000,
    delayMs: LATE_MILLISECONDS,
  };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/_sandbox/scenarios`, { method: "POST", headers, body: JSON.stringify(scenario) });
  expect(answer.status).toBe(201);
}

test("service.fund_trip pauses while the money is on its way, and goes on by itself", async () => {
  await delayAttestations();
  const input = { fromChain: "Base_Sepolia", amount: "40" };
  const { runId } = requireResult(await service.call("run_workflow", { workflowId: "service.fund_trip", input }));
  const read = async () => requireResult(await service.call("read_run", { runId, wait: 5 }));
  await expect.poll(read, { timeout: 60_000 }).toMatchObject({ status: "paused" });
  expect(await read()).toMatchObject({
    nextStepId: "arrival",
    pauseReason: expect.stringContaining("40 USDC are on their way to Arc"),
  });
  await expect.poll(read, { timeout: 120_000 }).toMatchObject({ status: "completed", result: { budgetUsdc: "40.00" } });
}, 240_000);
