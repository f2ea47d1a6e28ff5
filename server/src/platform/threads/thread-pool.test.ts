import { getPriority } from "node:os";
import { threadId } from "node:worker_threads";
import { expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import { task, type Work } from "../../../test/support/thread-tasks.ts";
import { ThreadPool } from "./thread-pool.ts";

const LARGE = 2_000_000;
const failure = (reason: string) => new Error(`no answer: ${reason}`);

function openPool(options: Partial<ConstructorParameters<typeof ThreadPool>[0]> = {}) {
  const pool = new ThreadPool({ log: silentLog, failure, threads: 1, ...options });
  return {
    pool,
    run: (input: Work, owner = "a", signal?: AbortSignal) => pool.run(task, { input, owner, bytes: LARGE, signal }),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** Keeps the only thread busy until it is opened. */
function closeGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  return {
    work: { gate },
    open() {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    },
  };
}

test("large work runs in another thread, small work in place, and medium work in place until a thread is ready", async () => {
  await using threads = openPool();
  const runSized = (bytes: number) => threads.pool.run(task, { input: "answer", owner: "a", bytes });
  expect(await runSized(1_000)).toBe(threadId);
  expect(await runSized(500_000)).toBe(threadId);
  const other = await runSized(LARGE);
  expect(other).not.toBe(threadId);
  expect(await runSized(500_000)).toBe(other);
  expect(await runSized(1_000)).toBe(threadId);
});

test.runIf(process.platform === "linux")("a thread gives way to the event loop", async () => {
  await using threads = openPool();
  const own = getPriority();
  expect(await threads.run("tell the priority")).toBeGreaterThan(own);
  expect(getPriority(), "the event loop's own stays").toBe(own);
});

test("owners take turns, however many jobs one of them has", async () => {
  await using threads = openPool();
  const gate = closeGate();
  const ended: string[] = [];
  const run = (owner: string, work: Work = "answer") => threads.run(work, owner).then(() => ended.push(owner));
  const all = [run("a", gate.work), run("a"), run("a"), run("a"), run("b"), run("c"), run("b")];
  gate.open();
  await Promise.all(all);
  expect(ended).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
});

test("a job that fails, or ends its thread, fails alone: the others run in the thread's place", async () => {
  await using threads = openPool();
  const first = await threads.run("answer");
  const outcomes = await Promise.allSettled([
    threads.run("fail"),
    threads.run("answer"),
    threads.run("end the thread"),
    threads.run("answer"),
  ]);
  expect(outcomes).toMatchObject([
    { reason: { message: "no answer: Error: it failed" } },
    { value: first },
    { reason: { message: "no answer: Error: its thread ended" } },
    { status: "fulfilled" },
  ]);
  expect(await threads.run("answer")).not.toBe(first);
});

test("a job that uses up its memory ends its thread, and not the process", async () => {
  await using threads = openPool({ mostMegabytes: 32 });
  await expect(threads.run("use up memory")).rejects.toThrow(/memory/);
  expect(await threads.run("answer")).not.toBe(threadId);
});

test("a job that takes too long is ended, and the next one runs", async () => {
  await using threads = openPool({ timeoutMilliseconds: 5_000 });
  const first = await threads.run("answer");
  await expect(threads.run(closeGate().work)).rejects.toThrow("it took too long");
  expect(await threads.run("answer")).not.toBe(first);
});

test("a job whose caller has gone leaves the line, and one too many is refused", async () => {
  await using threads = openPool({ mostWaiting: 2 });
  const gate = closeGate();
  const first = threads.run(gate.work);
  const gone = new AbortController();
  const left = threads.run("answer", "a", gone.signal);
  await expect(threads.run("answer", "b")).rejects.toThrow("no thread is free");
  gone.abort();
  await expect(left).rejects.toThrow("the caller has gone");
  gate.open();
  expect(await first).toBe(await threads.run("answer", "b"));
});

test("closing ends running and waiting jobs, and none begins afterwards", async () => {
  const threads = openPool();
  const jobs = Promise.allSettled([threads.run(closeGate().work), threads.run("answer")]);
  await threads.pool.close();
  expect(await jobs).toMatchObject([
    { reason: { message: "no answer: Error: the service is stopping" } },
    { reason: { message: "no answer: Error: the service is stopping" } },
  ]);
  await expect(threads.run("answer")).rejects.toThrow("no thread is free");
});
