import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";

const examples = join(import.meta.dirname, "../../examples");

// Each is a program of its own, and what it does takes several calls.
vi.setConfig({ testTimeout: 240_000 });

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function run(name: string, quickstart: string): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [join(examples, name), quickstart], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.errors += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...said };
}

it.each([
  ["dispatch.ts", 1],
  ["mcp.ts", 2],
])("%s does what it shows, and the books have its bookings", async (name, bookings) => {
  const before = await service.sql("select order_id from booking where order_id is not null");
  const { code, output, errors } = await run(name, service.quickstartFile);
  expect(errors).toBe("");
  expect(code).toBe(0);
  const after = await service.sql("select order_id from booking where order_id is not null");
  const known = new Set(before.map((row) => row.order_id));
  const fresh = after.map((row) => String(row.order_id)).filter((orderId) => !known.has(orderId));
  expect(fresh).toHaveLength(bookings);
  for (const orderId of fresh) expect(output).toContain(orderId);
});

it("paid-fetch.ts buys a search with nothing but the wallet, and finds on the chain what it cost", async () => {
  const { code, output, errors } = await run("paid-fetch.ts", service.quickstartFile);
  expect(errors).toBe("");
  expect(code).toBe(0);
  const [payment] = await service.sql(
    "select * from payment where tool = 'search_flights' and state = 'settled' order by created_at desc",
  );
  expect(payment).toMatchObject({ tenant_id: null, key_id: null });
  expect(output).toContain(`paid 0.002 USDC, settled by ${payment?.transaction_hash}`);
  expect(output).toMatch(/^off_\S+ {2}\d+\.\d{2} USD$/m);
});

it("paid-fetch.ts ends with an error when its wallet has nothing", async () => {
  const path = join(service.dataDir, "poor-payer.json");
  const { chain } = JSON.parse(readFileSync(service.quickstartFile, "utf8"));
  const privateKey = `0x${"7".repeat(64)}`;
  writeFileSync(path, JSON.stringify({ edgeUrl: service.edgeUrl, chain, payer: { privateKey } }));
  const { code, output, errors } = await run("paid-fetch.ts", path);
  expect(code).not.toBe(0);
  expect(output).toBe("");
  expect(errors).toContain("402 payment_invalid");
});

it.each(["dispatch.ts", "mcp.ts"])("%s ends with an error when an answer is not what it expects", async (name) => {
  const path = join(service.dataDir, `wrong-key-${name}.json`);
  const { appUrl, tenantId } = service;
  writeFileSync(path, JSON.stringify({ appUrl, tenantId, apiKey: `ak_${"x".repeat(40)}` }));
  const { code, output, errors } = await run(name, path);
  expect(code).not.toBe(0);
  expect(output).toBe("");
  expect(errors).toMatch(/unauthorized|401/i);
});
