import { afterAll, beforeAll, expect, test } from "vitest";
import { mortalWorker } from "../../../test/support/mortal-worker.ts";
import {
  openScriptedWorld,
  type ScriptedKind,
  type ScriptedTask,
  type ScriptedWorld,
} from "../../../test/support/scripted-effect.ts";

/** The machine is killed between any two steps, also within its transactions, and another worker finishes its work. */
let world: ScriptedWorld;
beforeAll(async () => {
  world = await openScriptedWorld();
});
afterAll(() => world.close());

const KINDS: readonly ScriptedKind[] = ["purchase", "message"];
const WHEN = ["before", "after"] as const;
/** Longer than a worker may be silent, and than the quiet time. */
const STALE = { seconds: 60 };
/** Enough for some hundred statements in sequence. */
const LONG = 300_000;

function dying({ alive }: ScriptedTask, deathAt: number, when: "before" | "after") {
  const { wrap, steps, death } = mortalWorker(deathAt, when);
  return { ports: { stores: wrap(alive.stores), port: wrap(alive.port) }, steps, death };
}

const ENDED = [
  { state: "made", money: ["capture", "hold"], marks: ["open", "done"] },
  { state: "failed", money: ["hold", "release"], marks: ["open", "failed"] },
];

/** Each attempt ends once, and each end moves its money once; at most one attempt is not failed. */
async function expectEnded(task: ScriptedTask, where: string): Promise<string> {
  const books = await task.books();
  for (const attempt of books) expect(ENDED, where).toContainEqual(attempt);
  expect(books.filter(({ state }) => state === "made").length, where).toBeLessThanOrEqual(1);
  expect(
    books.slice(0, -1).every(({ state }) => state === "failed"),
    where,
  ).toBe(true);
  return books.at(-1)?.state ?? "none";
}

function expectHappened({ key, other }: ScriptedTask, kind: ScriptedKind, where: string): void {
  if (kind === "purchase") {
    expect([...other.reserved], where).toEqual([key]);
    expect(other.payments, where).toEqual([key]);
    return;
  }
  expect(new Set(other.messages), where).toEqual(new Set([key]));
}

async function stepsOfCall(kind: ScriptedKind): Promise<number> {
  const task = world.newTask(kind);
  const { ports, steps } = dying(task, 0, "before");
  await task.call(ports);
  return steps();
}

test.each(KINDS)(
  "%s: a worker that dies at any step leaves work that the reconciler finishes",
  async (kind) => {
    const steps = await stepsOfCall(kind);
    expect(steps).toBeGreaterThan(9);
    const ends = new Set<string>();
    const sendings = new Set<number>();
    for (let deathAt = 1; deathAt <= steps; deathAt += 1) {
      for (const when of WHEN) {
        const where = `dies ${when} step ${deathAt} of ${steps}`;
        const task = world.newTask(kind);
        const { ports, death } = dying(task, deathAt, when);
        task.call(ports).catch(() => undefined);
        await death;
        await task.reconcile(STALE);
        const end = await expectEnded(task, where);
        ends.add(end);
        if (end === "made") expectHappened(task, kind, where);
        const again = await task.call();
        expect(again, where).toMatchObject({
          kind: end === "made" ? "replayed" : "done",
          result: { key: task.key },
        });
        expect(await expectEnded(task, where)).toBe("made");
        expectHappened(task, kind, where);
        sendings.add(task.other.messages.length);
      }
    }
    // With a look-up a request that was never sent has failed; without one it is sent all the same, sometimes twice.
    expect(ends).toEqual(new Set(kind === "purchase" ? ["none", "failed", "made"] : ["none", "made"]));
    expect(sendings).toEqual(new Set(kind === "purchase" ? [0] : [1, 2]));
  },
  LONG,
);

test.each(KINDS)(
  "%s: a reconciler that dies at any step leaves work that the next one finishes",
  async (kind) => {
    const lose = async () => {
      const task = world.newTask(kind);
      task.other.faults.push("lost_after_effect");
      await expect(task.call()).rejects.toMatchObject({ code: "outcome_unknown" });
      return task;
    };
    const first = await lose();
    const undisturbed = dying(first, 0, "before");
    await first.reconcile(STALE, undisturbed.ports);
    expect(undisturbed.steps()).toBeGreaterThan(5);
    for (let deathAt = 1; deathAt <= undisturbed.steps(); deathAt += 1) {
      for (const when of WHEN) {
        const where = `reconciler dies ${when} step ${deathAt}`;
        const task = await lose();
        const { ports, death } = dying(task, deathAt, when);
        await Promise.race([task.reconcile(STALE, ports), death]);
        await task.reconcile(STALE);
        expect(await expectEnded(task, where), where).toBe("made");
        expectHappened(task, kind, where);
      }
    }
  },
  LONG,
);
