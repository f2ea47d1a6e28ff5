import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { createBuyer } from "../../../test/support/paid.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";
import { registry } from "../../contributions.ts";
import { EMPTY_PLAN } from "../contracts/call-plan.ts";
import { defineAnyTool, type TypesOf } from "../contracts/tool.ts";
import { defineWorkflow, type Steps } from "../contracts/workflow.ts";
import { CostlyCalls, isCostly } from "./costly-calls.ts";

/** Costly calls: how many run at once, which is next, and what refused callers are told. */

const TOTAL = 3;
const OF_ONE = 2;
const WAITING = 6;

/** Calls that have begun, in order; the test ends each of them. */
let begun: { text: string; end(): void }[] = [];
const texts = () => begun.map(({ text }) => text);
let running = 0;
let mostRunning = 0;
let endsAtOnce = false;

const face = {
  title: "Probe",
  summary: "For tests.",
  area: "trip",
  price: 500n,
  payableWithoutKey: true,
  input: z.strictObject({ text: z.string().max(50) }),
  output: z.object({ text: z.string() }),
  errors: {},
  example: () => ({ text: "hello" }),
} as const;
async function work(text: string) {
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  const ended = Promise.withResolvers<void>();
  begun.push({ text, end: ended.resolve });
  if (!endsAtOnce) await ended.promise;
  running -= 1;
  return { text };
}
const costly = defineAnyTool({
  ...face,
  name: "probe_costly",
  effect: "read",
  uses: ["flights"],
  run: ({ text }) => work(text),
});
const costlyWrite = defineAnyTool({
  ...face,
  name: "probe_costly_write",
  effect: "write",
  uses: ["stays"],
  payableWithoutKey: false,
  run: ({ text }) => work(text),
});
const previewed = defineAnyTool({
  ...face,
  name: "probe_previewed",
  effect: "spend",
  uses: ["flights"],
  payableWithoutKey: false,
  plan: async () => EMPTY_PLAN,
  probe: ({ text }) => work(text),
  run: async ({ text }) => ({ text }),
});
const cheap = defineAnyTool({
  ...face,
  name: "probe_cheap",
  effect: "read",
  uses: ["clock"],
  run: async ({ text }) => ({ text }),
});

const searching = defineWorkflow({
  id: "test.searching",
  version: 1,
  description: "For tests.",
  steps: [],
  input: z.strictObject({}),
  run: (_input, { call }: Steps<TypesOf<typeof costly>>) =>
    call("probe_costly", { text: "of a run" }, { step: "search" }),
});

let service: TestService;
let other: { key: string; tenantId: string };

beforeAll(async () => {
  service = await startTestService(
    {
      COSTLY_CALLS: String(TOTAL),
      COSTLY_CALLS_PER_TENANT: String(OF_ONE),
      COSTLY_CALLS_WAITING: String(WAITING),
      COSTLY_CALLS_WAIT_MS: "60000",
    },
    { extraTools: [costly, costlyWrite, previewed, cheap], decorate: { workflows: () => [searching] } },
  );
  other = (await newFundedTenant(service, "Other")).as;
});
afterAll(() => service?.[Symbol.asyncDispose]());
beforeEach(() => {
  begun = [];
  mostRunning = 0;
  endsAtOnce = false;
});

const call = (text: string, as: object = {}, tool = "probe_costly") => service.call(tool, { text }, as);
const hasBegun = (count: number) => expect.poll(() => begun.length).toBe(count);
/** One call more than may run and wait: the extra one is answered first. */
async function fillLine() {
  const calls = Array.from({ length: OF_ONE + WAITING + 1 }, (_, index) => call(`a${index}`));
  expect((await Promise.race(calls)).status).toBe(429);
  await hasBegun(OF_ONE);
  return calls;
}
function endAll(): void {
  endsAtOnce = true;
  for (const { end } of begun) end();
}

it("previews that ask a supplier wait as calls do, and are refused when too many wait", async () => {
  const preview = (text: string) => service.call("preview_call", { tool: previewed.name, args: { text } });
  const previews = Array.from({ length: OF_ONE + WAITING + 1 }, (_, index) => preview(`p${index}`));
  expect((await Promise.race(previews)).status).toBe(429);
  await hasBegun(OF_ONE);
  endAll();
  const answers = await Promise.all(previews);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(OF_ONE + WAITING).fill(200), 429]);
  expect(mostRunning).toBe(OF_ONE);
});

it("one tenant's calls run a few at once and the others wait; cheap calls do not wait", async () => {
  const calls = Array.from({ length: 8 }, (_, index) =>
    call(`a${index}`, {}, index % 2 ? costly.name : costlyWrite.name),
  );
  await hasBegun(OF_ONE);
  expect((await call("beside", {}, cheap.name)).status).toBe(200);
  expect((await call("other", {}, cheap.name)).status).toBe(200);
  expect(begun).toHaveLength(OF_ONE);
  endAll();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(mostRunning).toBe(OF_ONE);
});

it("tenants take turns, however many calls each makes", async () => {
  const many = Array.from({ length: 8 }, (_, index) => call(`a${index}`));
  await hasBegun(OF_ONE);
  const few = [call("b0", other), call("b1", other), call("b2", other)];
  // Only one place was left, and it belongs to the other tenant.
  await hasBegun(TOTAL);
  expect(texts().filter((text) => text.startsWith("b"))).toHaveLength(1);
  begun[0]?.end();
  await hasBegun(TOTAL + 1);
  expect(texts().at(-1)).toMatch(/^[ab]/);
  begun[1]?.end();
  await hasBegun(TOTAL + 2);
  // Two calls ended, and each tenant got one of the free places.
  expect(
    texts()
      .slice(TOTAL)
      .map((text) => text[0])
      .toSorted(),
  ).toEqual(["a", "b"]);
  endAll();
  const answers = await Promise.all([...many, ...few]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(mostRunning).toBe(TOTAL);
});

it("calls beyond those that may wait are told when to retry, over dispatch and in a batch alike", async () => {
  const calls = await fillLine();
  const quote = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: costly.name, arguments: { text: `batch${id}` } },
  });
  const late = await call("late");
  expect(late.body).toMatchObject({ code: "rate_limited", retryable: true });
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  const batch = await service.send("/api/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
    body: JSON.stringify([quote(1), quote(2)]),
  });
  expect(batch.text.match(/rate_limited/g)?.length).toBeGreaterThanOrEqual(2);
  endAll();
  await Promise.all(calls);
  expect(texts()).not.toContain("batch1");
  // Refused calls leave no state behind.
  expect((await call("again")).status).toBe(200);
});

it("a caller that leaves while waiting gives up its place, and one that waits too long is refused", async () => {
  const settings = { costlyCalls: 1, costlyCallsPerTenant: 1, costlyCallsWaiting: 1, costlyCallsWaitMilliseconds: 20 };
  const calls = new CostlyCalls(settings);
  const createTurn = (signal: AbortSignal, isPatient = false) =>
    calls.createTurn({ owner: "a", isPatient, gone: { signal } });
  const { signal } = new AbortController();
  const first = createTurn(signal);
  await first.take();
  const leaving = new AbortController();
  const left = createTurn(leaving.signal).take();
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: "draining" });
  await expect(createTurn(AbortSignal.abort()).take()).rejects.toMatchObject({ code: "draining" });
  await expect(createTurn(signal).take()).rejects.toMatchObject({ code: "rate_limited" });
  const second = createTurn(signal, true);
  const taken = second.take();
  first.leave();
  await taken;
  second.leave();
});

it("a payer of single calls waits like a tenant, and a payment that waits in vain is not taken", async () => {
  const buyer = createBuyer(service);
  const pay = async (text: string) =>
    buyer.post(costly.name, { text }, { "payment-signature": await buyer.sign(costly.name) });
  const paid = Array.from({ length: OF_ONE + WAITING + 1 }, (_, index) => pay(`p${index}`));
  expect(await Promise.race(paid)).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  await hasBegun(OF_ONE);
  expect((await call("beside", {}, cheap.name)).status).toBe(200);
  endAll();
  const statuses = (await Promise.all(paid)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([...Array(OF_ONE + WAITING).fill(200), 429]);
  expect(mostRunning).toBe(OF_ONE);
});

it("runs of workflows wait for their turns, and the calls that start them hold none", async () => {
  endsAtOnce = true;
  const start = () => service.call("run_workflow", { workflowId: searching.id, input: {} });
  const runs = await Promise.all(Array.from({ length: 2 * OF_ONE }, start));
  for (const { body, text } of runs) {
    expect(body, text).toMatchObject({ result: { status: "completed", result: { text: "of a run" } } });
  }
  expect(texts()).toEqual(Array(2 * OF_ONE).fill("of a run"));
  expect(mostRunning).toBeLessThanOrEqual(OF_ONE);
});

it("whether a call waits follows from what its tool declares, and no tool that calls others waits itself", () => {
  const names = registry.filter(isCostly).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["search_flights", "search_hotels", "request_order_change"]));
  expect(names).not.toContain("book_flight");
  expect(names).not.toContain("check_treasury");
  expect(registry.filter((tool) => isCostly(tool) && tool.uses.includes("workflows"))).toEqual([]);
});
