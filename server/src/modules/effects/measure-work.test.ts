import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestIdentities, type TestIdentities } from "../../../test/support/identity.ts";
import { openScriptedWorld, type ScriptedWorld } from "../../../test/support/scripted-effect.ts";
import { workTables } from "../../contributions.ts";
import type { WorkTable } from "../../kernel/contracts/work-table.ts";
import { WorkMeter } from "./measure-work.ts";

let world: ScriptedWorld;
let migrated: TestIdentities;
beforeAll(async () => {
  [world, migrated] = await Promise.all([openScriptedWorld(), openTestIdentities()]);
});
afterAll(() => Promise.all([world.close(), migrated.close()]));

const table: WorkTable = {
  table: "scripted_effect",
  kind: { column: "kind", names: { purchase: "purchase", message: "told" } },
  since: "created_at",
  open: [{ column: "state", notIn: ["made", "failed"] }],
};

test("open work is counted by kind, with the age of the oldest and the stuck ones, when it is measured", async () => {
  const meter = new WorkMeter(world.db, world.clock, [table]);
  const read = async () => {
    const values = await Promise.all(
      meter.gauges().map(async ({ name, read: gauge }) => [name, await gauge()] as const),
    );
    return values.flatMap(([name, found]) => found.map(({ labels, value }) => `${name} ${labels?.kind} ${value}`));
  };
  expect(await read()).toEqual([]);
  await meter.measure();
  for (let index = 0; index < 3; index += 1) {
    const task = world.newTask("purchase");
    if (index > 0) task.other.faults.push("lost_after_effect");
    await task.call().catch(() => undefined);
    world.clock.advance({ minutes: 6 });
  }
  expect(await read()).toContain("wayfare_effects_open purchase 0");
  await meter.measure();
  expect(await read()).toEqual([
    "wayfare_effects_open purchase 2",
    "wayfare_effects_open told 0",
    "wayfare_effects_oldest_seconds purchase 720",
    "wayfare_effects_oldest_seconds told 0",
    "wayfare_effects_stuck purchase 1",
    "wayfare_effects_stuck told 0",
  ]);
});

test("the tables that modules name exist, with their columns", async () => {
  const kinds = (await new WorkMeter(migrated.db, migrated.clock, workTables).measure()).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual([
    "chain_transaction",
    "channel_event",
    "channel_message",
    "cross_chain_transfer",
    "event_delivery",
    "flight_booking",
    "flight_cancellation",
    "flight_change",
    "flight_hold",
    "gateway_withdrawal",
    "guest_mail",
    "message",
    "notice",
    "payment",
    "stay_booking",
    "stay_cancellation",
    "supplier_event",
    "turn of a conversation",
    "workflow run",
  ]);
});
