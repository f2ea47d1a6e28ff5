import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Turn, TurnLoop } from "./turn-loop.ts";

const timing = { pollMilliseconds: 100, idleMilliseconds: 1_000, failedMilliseconds: 5_000 };

/** Turns that end on command, in the order in which they began. */
function openLoop() {
  const turns: { end(turn: Partial<Turn>): void; fail(): void }[] = [];
  const failures: unknown[] = [];
  const loop = new TurnLoop({
    turn() {
      const { promise, resolve, reject } = Promise.withResolvers<Turn>();
      const end = (turn: Partial<Turn>): void => resolve({ open: 0, moved: false, ...turn });
      turns.push({ end, fail: () => reject(new Error("the network is away")) });
      return promise;
    },
    timing,
    onFailure: (error) => failures.push(error),
  });
  return { loop, turns, failures };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

async function isThere(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  await settle();
  return isSettled;
}

describe("a loop of turns", () => {
  let loop: TurnLoop;
  let turns: ReturnType<typeof openLoop>["turns"];
  let failures: unknown[];
  beforeEach(() => {
    vi.useFakeTimers();
    ({ loop, turns, failures } = openLoop());
    loop.start();
  });
  afterEach(async () => {
    const stopped = loop.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    await stopped;
    vi.useRealTimers();
  });

  it("continues at once while something moves, soon while something is open, and rarely while nothing is", async () => {
    turns[0]?.end({ open: 1, moved: true });
    await settle();
    expect(turns).toHaveLength(2);
    turns[1]?.end({ open: 1 });
    await vi.advanceTimersByTimeAsync(timing.pollMilliseconds - 1);
    expect(turns).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(turns).toHaveLength(3);
    turns[2]?.end({});
    await vi.advanceTimersByTimeAsync(timing.idleMilliseconds - 1);
    expect(turns).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(turns).toHaveLength(4);
  });

  it("handles a wake-up at once while it rests, and after its turn otherwise", async () => {
    loop.wake();
    await settle();
    expect(turns, "one is under way").toHaveLength(1);
    turns[0]?.end({});
    await settle();
    expect(turns).toHaveLength(2);
    turns[1]?.end({});
    await settle();
    expect(turns, "it rests").toHaveLength(2);
    loop.wake();
    await settle();
    expect(turns).toHaveLength(3);
  });

  it("begins one turn beside its own on an urgent wake-up; later ones are handled by the first turn that ends", async () => {
    loop.wake(true);
    await settle();
    expect(turns).toHaveLength(2);
    loop.wake(true);
    await settle();
    expect(turns).toHaveLength(2);
    turns[1]?.end({});
    await settle();
    expect(turns).toHaveLength(3);
  });

  it("looks soon at what a parallel turn left open", async () => {
    loop.wake(true);
    turns[0]?.end({});
    await settle();
    turns[1]?.end({ open: 1 });
    await settle();
    expect(turns, "the loop itself rested").toHaveLength(3);
    loop.wake(true);
    turns[3]?.end({ open: 1 });
    await settle();
    turns[2]?.end({});
    await vi.advanceTimersByTimeAsync(timing.pollMilliseconds);
    expect(turns, "the loop itself was in a turn").toHaveLength(5);
  });

  it("has room while it rests or has no parallel turn, and reports a change, or after a second", async () => {
    expect(await isThere(loop.room()), "none is beside it").toBe(true);
    loop.wake(true);
    const room = loop.room();
    expect(await isThere(room)).toBe(false);
    turns[1]?.end({});
    expect(await isThere(room), "none is any more").toBe(true);
    loop.wake(true);
    const later = loop.room();
    turns[0]?.end({});
    expect(await isThere(later), "it rests").toBe(true);
    loop.wake();
    await settle();
    const never = loop.room();
    expect(await isThere(never)).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await isThere(never), "too long").toBe(true);
  });

  it("reports the first failure in a row, waits, and begins no parallel turn", async () => {
    turns[0]?.fail();
    await vi.advanceTimersByTimeAsync(timing.failedMilliseconds);
    expect(turns).toHaveLength(2);
    loop.wake(true);
    await settle();
    expect(turns).toHaveLength(2);
    turns[1]?.fail();
    await settle();
    expect(failures).toHaveLength(1);
    turns[2]?.end({});
    await settle();
    loop.wake();
    await settle();
    turns[3]?.fail();
    await settle();
    expect(failures).toHaveLength(2);
  });

  it("stops after its turns, or without one that hangs", async () => {
    const stopped = loop.stop();
    expect(await isThere(stopped)).toBe(false);
    turns[0]?.end({ open: 1, moved: true });
    expect(await isThere(stopped)).toBe(true);
    expect(turns).toHaveLength(1);
    const hanging = openLoop();
    hanging.loop.start();
    const given = hanging.loop.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await isThere(given)).toBe(true);
  });
});
