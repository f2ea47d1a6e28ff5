import { afterEach, expect, test, vi } from "vitest";
import { silentLog } from "../../../../test/support/identity.ts";
import { createGatherWindow } from "./gather-window.ts";

afterEach(() => void vi.useRealTimers());

const free = { room: async () => undefined, log: silentLog };

test("a window is opened by the first payment, collects all that come in it, and does not reopen by itself", async () => {
  const runs: string[][] = [];
  const window = createGatherWindow<string>(1, { ...free, work: async (ids) => runs.push([...ids]) });
  const earn = (id: string) => window.add(id);
  for (const id of ["a", "b", "c"]) earn(id);
  await expect.poll(() => runs).toEqual([["a", "b", "c"]]);
  earn("d");
  await expect.poll(() => runs).toEqual([["a", "b", "c"], ["d"]]);
  await window.stop();
  window.add("e");
  expect(runs).toHaveLength(2);
});

test("payments that come without room are batched by the one waiting run, even at its end", async () => {
  vi.useFakeTimers();
  const runs: string[][] = [];
  const asked: (() => void)[] = [];
  const room = () => new Promise<void>((resolve) => asked.push(resolve));
  const window = createGatherWindow<string>(1, { ...free, room, work: async (ids) => runs.push([...ids]) });
  const earn = (id: string) => window.add(id);
  earn("a");
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(1);
  // Opens as many windows as time allows: none starts a wait of its own.
  for (let count = 0; count < 20; count += 1) {
    earn(`b${count}`);
    await vi.advanceTimersByTimeAsync(1);
  }
  asked[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual([["a", ...Array.from({ length: 20 }, (_, count) => `b${count}`)]]);
  expect(asked, "there was one wait").toHaveLength(1);
  earn("c");
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
  const stopped = window.stop();
  asked[1]?.();
  await stopped;
  expect(runs.slice(1)).toEqual([["c"]]);
  expect(asked).toHaveLength(2);
});

test("a failed run does not block the next window", async () => {
  let runs = 0;
  const work = async () => {
    runs += 1;
    if (runs === 1) throw new Error("the database is away");
  };
  const window = createGatherWindow<string>(1, { ...free, work });
  window.add("a");
  await expect.poll(() => runs).toBe(1);
  window.add("b");
  await expect.poll(() => runs).toBe(2);
  await window.stop();
});
