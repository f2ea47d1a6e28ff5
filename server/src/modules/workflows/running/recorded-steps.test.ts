import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { createMigratedDatabase } from "../../../../test/support/test-database.ts";
import { createVault } from "../../../adapters/vault.ts";
import { createStores } from "../../../contributions.ts";
import { newId, systemRandom } from "../../../domain/ids.ts";
import { createCatalog } from "../../../kernel/contracts/catalog.ts";
import { defineWorkflow, StepFailure, type Steps } from "../../../kernel/contracts/workflow.ts";
import { type OpenDatabase, openDatabase } from "../../../platform/database/database.ts";
import { systemClock } from "../../../ports/clock.ts";
import type { Runs } from "../runs.ts";
import { WorkflowRunner } from "./runner.ts";

/**
 * Recorded steps of a workflow, executed by runners on the product's tables: each runner stands for a process, and a dead one
 * is silent.
 */

const Drawn = z.object({ number: z.int() });
type Work = (steps: Steps) => Promise<Readonly<Record<string, unknown>>>;

let database: OpenDatabase;
let drop: () => Promise<void>;
let runs: Runs;
beforeAll(async () => {
  const created = await createMigratedDatabase();
  drop = created.drop;
  database = openDatabase(created.url, { poolSize: 4, onError: () => undefined });
  runs = createStores(database.db, systemClock, createVault(Buffer.alloc(32, 1))).runs;
});
afterAll(async () => {
  await database?.close();
  await drop?.();
});

const never = new Promise<never>(() => undefined);
const error = vi.fn();

/** Starts a runner for a workflow that only this run has. `hoursLater`: it takes over from a dead process. */
function startRunner(id: string, work: Work, hoursLater = 0) {
  const clock = { now: () => Temporal.Now.instant().add({ hours: hoursLater }) };
  const stored = createStores(database.db, clock, createVault(Buffer.alloc(32, 1))).runs;
  let isDead = false;
  const unlessDead = async <T>(answer: () => Promise<T>): Promise<T> => (isDead ? await never : await answer());
  const runner = new WorkflowRunner({
    runs: {
      ...stored,
      journal: (leased, change) => unlessDead(() => stored.journal(leased, change)),
      touch: (leased) => unlessDead(() => stored.touch(leased)),
      end: (leased, run, end) => unlessDead(() => stored.end(leased, run, end)),
    },
    workflows: [
      defineWorkflow({
        id,
        version: 1,
        description: "For tests.",
        steps: [],
        input: z.strictObject({}),
        run: (_input, steps: Steps) => work(steps),
      }),
    ],
    catalog: createCatalog([]),
    clock,
    random: systemRandom,
    log: { info: () => undefined, warn: () => undefined, error },
    workerId: newId("wrk_", Date.now(), systemRandom),
    identity: { findPrincipal: async () => undefined, toPrincipal: async () => undefined },
    collectionAddress: () => "0x00",
    kernel: { invoke: () => never, ask: () => never },
  });
  return {
    wake: () => runner.wake(),
    die: () => {
      isDead = true;
    },
  };
}

async function newRun(): Promise<string> {
  const id = newId("run_", Date.now(), systemRandom);
  await runs.insert({
    id,
    tenantId: id,
    environment: "sandbox",
    workflowId: id,
    version: 1,
    userId: undefined,
    keyId: "key_test",
    input: {},
    tripId: undefined,
    traceId: "0",
    idempotencyKey: undefined,
    requestHash: id,
  });
  return id;
}
const find = async (id: string) => await runs.find([{ tenantId: id, environment: "sandbox" }], id);
const findPause = async (id: string) => (await runs.read([{ tenantId: id, environment: "sandbox" }], id))?.pause;
const listSteps = async (id: string) =>
  (await runs.steps(id)).map(({ stepId, state, attempt, outcome }) => ({ stepId, state, attempt, outcome }));

it("a recorded result is used again after the process died in a later step, which runs again", async () => {
  const drawn: number[] = [];
  const sent: string[] = [];
  const reached = Promise.withResolvers<void>();
  const work =
    (process: string): Work =>
    async ({ step }) => {
      const { number } = await step("draw", Drawn, async () => ({ number: drawn.push(drawn.length) }));
      const last = await step("send", z.string(), async () => {
        sent.push(`${process} ${number}`);
        reached.resolve();
        return process === "first" ? await never : `sent ${number}`;
      });
      return { number, last };
    };
  const id = await newRun();
  const first = startRunner(id, work("first"));
  first.wake();
  await reached.promise;
  first.die();
  startRunner(id, work("second"), 1).wake();
  await expect.poll(() => find(id)).toMatchObject({ state: "completed", result: { number: 1, last: "sent 1" } });
  expect(drawn).toEqual([0]);
  expect(sent).toEqual(["first 1", "second 1"]);
  expect(await listSteps(id)).toEqual([
    { stepId: "draw", state: "done", attempt: 1, outcome: { ok: true, result: { number: 1 } } },
    { stepId: "send", state: "done", attempt: 2, outcome: { ok: true, result: "sent 1" } },
  ]);
});

it("work whose process died before its result was recorded runs at least once more", async () => {
  const drawn: number[] = [];
  const work: Work = async ({ step }) => {
    const { number } = await step("draw", Drawn, async () => {
      const one = drawn.push(drawn.length);
      if (one === 1) first.die();
      return { number: one };
    });
    return { number };
  };
  const id = await newRun();
  const first = startRunner(id, work);
  first.wake();
  await expect.poll(() => drawn).toEqual([0]);
  startRunner(id, work, 1).wake();
  await expect.poll(() => find(id)).toMatchObject({ state: "completed", result: { number: 2 } });
});

it("a repeated name is refused before its work begins", async () => {
  const worked: string[] = [];
  error.mockClear();
  const id = await newRun();
  startRunner(id, async ({ step }) => {
    await step("draw", Drawn, async () => ({ number: 1 }));
    await step("draw", Drawn, async () => ({ number: worked.push("again") }));
    return {};
  }).wake();
  await expect.poll(() => error.mock.calls.length).toBeGreaterThan(0);
  expect(String(error.mock.calls[0]?.[0].err)).toContain("Two steps of the run have the name draw.");
  expect([worked, (await find(id))?.state]).toEqual([[], "running"]);
});

it("a failure is recorded, and earlier work is undone by separate steps", async () => {
  const worked: string[] = [];
  const id = await newRun();
  startRunner(id, async ({ step, undo }) => {
    await step("draw", z.int(), async () => worked.push("draw"));
    undo(async () => {
      await step("draw", z.int(), async () => worked.push("undo"));
      return undefined;
    });
    await step("send", z.null(), async () => {
      throw new StepFailure("no_paper", "There is no paper.");
    });
    return {};
  }).wake();
  await expect
    .poll(() => find(id))
    .toMatchObject({ state: "failed", failure: { code: "no_paper", detail: "There is no paper.", undone: ["draw"] } });
  expect(worked).toEqual(["draw", "undo"]);
  expect((await listSteps(id)).map(({ stepId, state }) => `${stepId} ${state}`)).toEqual([
    "draw done",
    "send failed",
    "undo:draw done",
  ]);
});

it("a recorded result that no longer matches the workflow is a question to a person", async () => {
  const id = await newRun();
  const reached = Promise.withResolvers<void>();
  const first = startRunner(id, async ({ step }) => {
    await step("draw", z.string(), async () => "one");
    await step("send", z.null(), async () => {
      reached.resolve();
      return await never;
    });
    return {};
  });
  first.wake();
  await reached.promise;
  first.die();
  startRunner(id, async ({ step }) => await step("draw", Drawn, async () => ({ number: 1 })), 1).wake();
  await expect.poll(() => findPause(id)).toMatchObject({ stepId: "draw:changed:1" });
});
