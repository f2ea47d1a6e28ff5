import { afterEach, expect, test, vi } from "vitest";
import { silentLog } from "../../../../test/support/identity.ts";
import { createGatherWindow } from "./gather-window.ts";

afterEach(() => void vi.useRealTimers());

const free = { room: async () => undefined, log: silentLog };

test("a window is opened by the first payment, collects all that come in it, and does not reopen by itself", async () => {
  const runs: string[][] = [];
  let waiting: string[] = [];
  const window = createGatherWindow(1, { ...free, work: async () => runs.push(waiting.splice(0)) });
  const earn = (id: string) => {
    waiting.push(id);
    window.open();
  };
  for (const id of ["a", "b", "c"]) earn(id);
  await expect.poll(() => runs).toEqual([["a", "b", "c"]]);
  earn("d");
  await expect.poll(() => runs).toEqual([["a", "b", "c"], ["d"]]);
  waiting = [];
  await window.stop();
  window.open();
  expect(runs).toHaveLength(2);
});

test("payments that come without room are batched by the one waiting run, even at its end", async () => {
  vi.useFakeTimers();
  const runs: string[][] = [];
  const waiting: string[] = [];
  const asked: (() => void)[] = [];
  const room = () => new Promise<void>((resolve) => asked.push(resolve));
  const window = createGatherWindow(1, { ...free, room, work: async () => runs.push(waiting.splice(0)) });
  const earn = (id: string) => {
    waiting.push(id);
    window.open();
  };
  earn("a");
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(1);
  // Opens as many windows as time allows: none starts a wait of its own.
  for (let count = 0; count < 20; count += 1) {
    window.open();
    await vi.advanceTimersByTimeAsync(1);
  }
  earn("b");
  asked[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual([["a", "b"]]);
  expect(asked, "there was one wait").toHaveLength(1);
  earn("c");
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
  const stopped = window.stop();
  asked[1]?.();
  await stopped;
  expect(runs.filter((run) => run.length > 0)).toEqual([["a", "b"], ["c"]]);
  expect(asked).toHaveLength(2);
});

test("a failed run does not block the next window", async () => {
  let runs = 0;
  const work = async () => {
    runs += 1;
    if (runs === 1) throw new Error("the database is away");
  };
  const window = createGatherWindow(1, { ...free, work });
  window.open();
  await expect.poll(() => runs).toBe(1);
  window.open();
  await expect.poll(() => runs).toBe(2);
  await window.stop();
});
