import { expect, test } from "vitest";
import { batch, batchLookUps, settleOneByOne } from "./batch.ts";

test("requests that arrive during other work are batched, each with its own outcome", async () => {
  const batches: (readonly number[])[] = [];
  const half = batch<number, number>(
    async (items) => {
      batches.push(items);
      return await settleOneByOne(items, async (item) => {
        if (item % 2 === 1) throw new Error(`${item} is odd`);
        return item / 2;
      });
    },
    { maximum: 3 },
  );
  const outcomes = await Promise.allSettled([2, 3, 4, 6].map(half));
  expect(batches).toEqual([[2, 3, 4], [6]]);
  expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.message))).toEqual([
    1,
    "3 is odd",
    2,
    3,
  ]);
});

test("work that fails as a whole fails all its items, and the next batch runs", async () => {
  let isAway = true;
  const ask = batch<number, number>(async (items) => {
    if (isAway) throw new Error("away");
    return items.map((value) => ({ status: "fulfilled", value }));
  });
  const failed = await Promise.allSettled([ask(1), ask(2)]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isAway = false;
  expect(await ask(3)).toBe(3);
});

test("in parallel, requests that arrive during other work do not wait for it", async () => {
  const batches: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const ask = batch<string, string>(
    async (items) => {
      batches.push(items);
      if (items.includes("slow")) await first.promise;
      return items.map((value) => ({ status: "fulfilled", value }));
    },
    { maximum: 2, inParallel: true },
  );
  const slow = ["slow", "b", "c"].map(ask);
  expect(await slow[2]).toBe("c");
  expect(await ask("d")).toBe("d");
  first.resolve();
  expect(await Promise.all(slow)).toEqual(["slow", "b", "c"]);
  expect(batches).toEqual([["slow", "b"], ["c"], ["d"]]);
});

test("concurrent look-ups of one key share an answer, and a later one is read anew", async () => {
  const asked: (readonly string[])[] = [];
  const lookUp = batchLookUps(async (keys) => {
    asked.push(keys);
    return new Map(keys.filter((key) => key !== "none").map((key) => [key, key.toUpperCase()]));
  });
  expect(await Promise.all(["a", "b", "a", "none"].map(lookUp))).toEqual(["A", "B", "A", undefined]);
  const under = lookUp("a");
  // Its look-up has begun, so its answer might miss later changes.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await Promise.all([under, lookUp("a")])).toEqual(["A", "A"]);
  expect(asked).toEqual([["a", "b", "none"], ["a"], ["a"]]);
});
