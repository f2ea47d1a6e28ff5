import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openScriptedWorld, type ScriptedPorts, type ScriptedWorld } from "../../../test/support/scripted-effect.ts";

let world: ScriptedWorld;
beforeAll(async () => {
  world = await openScriptedWorld();
});
afterAll(() => world.close());

const STALE = { seconds: 60 };
const made = { state: "made", money: ["capture", "hold"], marks: ["open", "done"] };
const failed = { state: "failed", money: ["hold", "release"], marks: ["open", "failed"] };
const open = { money: ["hold"], marks: ["open"] };
const unknown = { code: "outcome_unknown" };

describe("executing once", () => {
  test("gives sixteen concurrent callers one effect and its answer", async () => {
    const task = world.newTask("purchase");
    const answers = await Promise.all(Array.from({ length: 16 }, () => task.call()));
    expect(answers.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(new Set(answers.map(({ result }) => JSON.stringify(result)))).toEqual(new Set([`{"key":"${task.key}"}`]));
    expect(task.other.payments).toEqual([task.key]);
    expect(await task.books()).toEqual([made]);
  });

  test("allows a refused effect to be requested again", async () => {
    const task = world.newTask("purchase");
    task.other.faults.push("refused");
    await expect(task.call()).rejects.toMatchObject({ code: "booking_rejected" });
    expect(await task.books()).toEqual([failed]);
    expect(await task.call()).toMatchObject({ kind: "done" });
    expect(await task.books()).toEqual([failed, made]);
  });

  test("begins nothing for a call admitted only as a repetition if the earlier call has failed", async () => {
    const task = world.newTask("purchase");
    task.other.faults.push("refused");
    await expect(task.call()).rejects.toMatchObject({ code: "booking_rejected" });
    await expect(task.call(undefined, { isRepeat: true })).rejects.toMatchObject({ code: "in_progress" });
    expect(await task.books()).toEqual([failed]);
    expect(await task.call()).toMatchObject({ kind: "done" });
    expect(await task.call(undefined, { isRepeat: true })).toMatchObject({ kind: "replayed" });
    expect(await task.books()).toEqual([failed, made]);
  });

  test("tells a caller after a while that an earlier call is running, and returns its answer later", async () => {
    const task = world.newTask("purchase");
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { port } = task.alive;
    const slow: ScriptedPorts = {
      ...task.alive,
      port: { ...port, reserve: (key) => held.then(() => port.reserve(key)) },
    };
    await expect(task.call(slow, { answerMilliseconds: 20 })).rejects.toMatchObject(unknown);
    await expect(task.call(undefined, { waitMilliseconds: 1 })).rejects.toMatchObject({ code: "in_progress" });
    // The quiet time is over, but its worker was alive recently.
    expect(await task.reconcile({ seconds: 10 })).toBe(0);
    letGo();
    expect(await task.call()).toMatchObject({ kind: "replayed" });
    expect(await task.books()).toEqual([made]);
  });
});

describe("an unknown outcome", () => {
  test.each(["lost_before_effect", "lost_after_effect", "late_effect"] as const)(
    "%s is looked up after the quiet time, and nothing is sent again before that",
    async (fault) => {
      const task = world.newTask("purchase");
      task.other.faults.push(fault);
      await expect(task.call()).rejects.toMatchObject(unknown);
      expect(await task.reconcile({ milliseconds: 900 })).toBe(0);
      expect(await task.books()).toMatchObject([{ state: "reserving", ...open }]);
      task.other.arriveLate();
      expect(await task.reconcile({ milliseconds: 200 })).toBe(1);
      expect(await task.books()).toEqual([fault === "lost_before_effect" ? failed : made]);
      expect(task.other.payments).toHaveLength(fault === "lost_before_effect" ? 0 : 1);
    },
  );

  test("is sent again under the same key if it cannot be looked up", async () => {
    const task = world.newTask("message");
    task.other.faults.push("lost_after_effect", "lost_before_effect");
    await expect(task.call()).rejects.toMatchObject(unknown);
    await task.reconcile(STALE);
    await task.reconcile(STALE);
    expect(task.other.messages).toEqual([task.key, task.key]);
    expect(await task.books()).toEqual([made]);
  });

  test("stays open while the other side cannot be asked", async () => {
    const task = world.newTask("purchase");
    task.other.faults.push("lost_after_effect");
    await expect(task.call()).rejects.toMatchObject(unknown);
    const away = { ...task.alive.port, find: async () => Promise.reject(new Error("away")) };
    expect(await task.reconcile(STALE, { ...task.alive, port: away })).toBe(1);
    expect(await task.books()).toMatchObject([{ state: "reserving", ...open }]);
    await task.reconcile(STALE);
    expect(await task.books()).toEqual([made]);
  });

  test("waits while its environment is switched off", async () => {
    const task = world.newTask("purchase");
    task.other.faults.push("lost_after_effect");
    await expect(task.call()).rejects.toMatchObject(unknown);
    expect(await task.reconcile(STALE, task.alive, false)).toBe(1);
    expect(await task.books()).toMatchObject([{ state: "reserving", ...open }]);
    await task.reconcile(STALE);
    expect(await task.books()).toEqual([made]);
  });
});

describe("a worker", () => {
  test("that wakes up after another one took over sends nothing more, and returns the stored answer", async () => {
    const task = world.newTask("purchase");
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    const asleep = Promise.withResolvers<void>();
    const { stores, port } = task.alive;
    const reserve = async (key: string) => {
      await port.reserve(key);
      asleep.resolve();
      await woken;
    };
    const silent = { ...stores, records: { ...stores.records, touch: async () => true } };
    const sleepy = task.call({ stores: silent, port: { ...port, reserve } });
    await asleep.promise;
    await task.reconcile(STALE);
    wake();
    expect(await sleepy).toMatchObject({ kind: "done", result: { key: task.key } });
    expect(task.other.payments).toEqual([task.key]);
    expect(await task.books()).toEqual([made]);
  });

  test("that stalls between storing and sending does not send", async () => {
    const task = world.newTask("purchase");
    const { stores } = task.alive;
    const advance: typeof stores.records.advance = async (id, guard, to, change) => {
      const moved = await stores.records.advance(id, guard, to, change);
      if (to === "reserving") world.clock.advance({ seconds: 6 });
      return moved;
    };
    const slow = { ...task.alive, stores: { ...stores, records: { ...stores.records, advance } } };
    await expect(task.call(slow)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(task.other.reserved.size).toBe(0);
    expect(await task.books()).toEqual([failed]);
  });

  test("whose end the database refuses releases the record, and retries become rarer", async () => {
    const task = world.newTask("purchase");
    const { stores } = task.alive;
    let tries = 0;
    const transaction: typeof stores.transaction = (work) =>
      stores.transaction((aggregates) => {
        const move: typeof aggregates.money.move = async (reference, kind) => {
          if (kind !== "capture") return aggregates.money.move(reference, kind);
          tries += 1;
          throw new Error("there is too little");
        };
        return work({ ...aggregates, money: { move } });
      });
    const poor = { ...task.alive, stores: { ...stores, transaction } };
    await expect(task.call(poor, { answerMilliseconds: 20 })).rejects.toMatchObject(unknown);
    await task.untilLeft();
    expect(tries).toBe(1);
    await task.reconcile({ seconds: 1 }, poor);
    expect(tries).toBe(2);
    await task.reconcile({ hours: 1 }, poor);
    expect(await task.reconcile({ seconds: 60 }, poor)).toBe(0);
    expect(await task.books()).toMatchObject([{ state: "paying", ...open }]);
    expect(await task.reconcile({ minutes: 5 })).toBe(1);
    expect(await task.books()).toEqual([made]);
    expect(task.other.payments).toEqual([task.key]);
  });
});
