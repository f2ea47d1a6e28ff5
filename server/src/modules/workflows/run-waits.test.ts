import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { silentLog } from "../../../test/support/identity.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { createNews, type News } from "../../platform/database/news.ts";
import { RowWaits } from "../../platform/leased-queue/row-waits.ts";

const Answered = z.object({ result: z.record(z.string(), z.unknown()) });
const silent = {
  on: () => () => undefined,
  onBegin: () => () => undefined,
  isTold: () => true,
  ending: new AbortController().signal,
};

/** Notifications by hand. */
function handNews() {
  let tell: (text: string) => void = () => undefined;
  const news: Pick<News, "on" | "onBegin" | "isTold" | "ending"> = {
    ...silent,
    on(_topic, given) {
      tell = given;
      return () => undefined;
    },
  };
  return { news, tell: (text: string) => tell(text) };
}

/** A wait for something that never happens. */
function waitForever(waits: RowWaits, more: { owner?: string; signal?: AbortSignal; id?: string } = {}) {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return reads;
  };
  const wait = { id: "run_1", owner: "key_1", ...more };
  const found = waits.wait({ ...wait, read, isEnough: () => false, milliseconds: 20_000 });
  return { found, reads: () => reads };
}

describe("waits", () => {
  test("read again when their run changes, and only then", async () => {
    const { news, tell } = handNews();
    const waits = new RowWaits(news, "run");
    const gone = new AbortController();
    const { found, reads } = waitForever(waits, { signal: gone.signal });
    await expect.poll(reads, { interval: 5 }).toBe(1);
    tell("run_2 running");
    tell("run_1 running");
    await expect.poll(reads, { interval: 5 }).toBe(2);
    gone.abort();
    expect(await found).toBe(3);
  });

  test("beyond the limit of a key read once, until one of its waits has been left", async () => {
    const waits = new RowWaits(silent, "run");
    const gone = new AbortController();
    const held = Array.from({ length: 16 }, () => waitForever(waits, { signal: gone.signal }));
    expect(await waitForever(waits).found).toBe(1);
    const left = new AbortController();
    const other = waitForever(waits, { owner: "key_2", signal: left.signal });
    await expect.poll(other.reads, { interval: 5 }).toBe(1);
    gone.abort();
    await Promise.all(held.map(({ found }) => found));
    const next = waitForever(waits, { signal: left.signal });
    left.abort();
    expect(await other.found).toBe(2);
    await next.found;
  });
});

test("the waits of a service that begins to stop read once more and end, and later ones do not wait", async () => {
  const stopping = new AbortController();
  const waits = new RowWaits({ ...silent, ending: stopping.signal }, "run");
  const { found, reads } = waitForever(waits);
  await expect.poll(reads, { interval: 5 }).toBe(1);
  stopping.abort();
  expect(await found).toBe(2);
  expect(await waitForever(waits).found).toBe(1);
});

describe("GET /api/workflows/runs/{runId}?wait", () => {
  let service: TestService;
  let news: News;
  beforeAll(async () => {
    service = await openSharedService();
    news = createNews({ databaseUrl: service.config.databaseUrl ?? "", log: silentLog });
  });
  afterAll(async () => {
    await news?.close();
    await service?.[Symbol.asyncDispose]();
  });

  const read = async (runId: string, query: string) =>
    await service.send(`/api/workflows/runs/${runId}${query}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });

  const call = async (tool: string, args: object) => Answered.parse((await service.call(tool, args)).body).result;

  /** A run that waits for its guest. */
  async function startRun() {
    const { tripId } = await call("prefund_trip", { budgetUsdc: "20" });
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 40 }).toString();
    const input = { tripId, origin: "LHR", destination: "CDG", departureDate };
    const { runId } = await call("run_workflow", { workflowId: "service.book_flight", input });
    return { runId: String(runId), cancel: () => call("cancel_run", { runId }) };
  }

  test("answers at once a paused run, and what has changed since; else at the change, in every process", async () => {
    const { runId, cancel } = await startRun();
    const paused = await read(runId, "?wait=25");
    expect(paused.body).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    const since = String(paused.body.updatedAt);
    const begun = performance.now();
    const waiting = read(runId, `?wait=25&since=${encodeURIComponent(since)}`);
    const byTool = call("read_run", { runId, wait: 25, since });
    // As another process has it.
    const waits = new RowWaits(news, "run");
    const elsewhere = waits.wait({
      id: runId,
      read: async () => (await service.sql("select state from workflow_run where id = $1", [runId]))[0]?.state,
      isEnough: (state) => state !== "paused",
      milliseconds: 25_000,
    });
    expect((await read(runId, "?wait=1")).body.updatedAt).toBe(since);
    await cancel();
    expect((await waiting).body.updatedAt).not.toBe(since);
    expect((await byTool).updatedAt).not.toBe(since);
    expect(await elsewhere).not.toBe("paused");
    expect(performance.now() - begun).toBeLessThan(24_000);
    expect((await read(runId, `?wait=25&since=${encodeURIComponent(since)}`)).body.status).toBe("failed");
  });

  test("answers at the end of the wait if nothing has changed", async () => {
    const { runId, cancel } = await startRun();
    const { body } = await read(runId, "");
    const begun = performance.now();
    const after = await read(runId, `?wait=1&since=${encodeURIComponent(String(body.updatedAt))}`);
    expect(after.body).toEqual(body);
    expect(performance.now() - begun).toBeGreaterThan(990);
    await cancel();
  });

  test.each(["wait=26", "wait=-1", "wait=1.5", "wait=soon", "since=yesterday"])("refuses %s", async (query) => {
    const answer = await read("run_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4", `?${query}`);
    expect(answer.body).toMatchObject({ type: expect.stringMatching(/invalid_input/) });
  });
});
