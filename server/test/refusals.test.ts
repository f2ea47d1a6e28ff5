import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { catalog } from "../src/contributions.ts";
import { formatDecimal } from "../src/domain/money.ts";
import { escrowRefusals } from "./refusals/escrow.ts";
import { flightRefusals } from "./refusals/flights.ts";
import { capSpending, kernelRefusals } from "./refusals/kernel.ts";
import { recordRefusals } from "./refusals/records.ts";
import {
  expectSameRefusal,
  type Provoke,
  type Provoked,
  type Refusals,
  reasons,
  type World,
} from "./refusals/refusal.ts";
import { reputationRefusals } from "./refusals/reputation.ts";
import { stayRefusals } from "./refusals/stays.ts";
import { treasuryRefusals } from "./refusals/treasury.ts";
import { micro, openEscrow } from "./support/escrow.ts";
import { openStays } from "./support/stays-service.ts";

/**
 * That a preview says what the call then gets, for every tool that writes or spends and every code that it declares: provoked here by
 * arguments and records, or with the reason why only the run can say it.
 */
const table: Readonly<Record<string, Refusals>> = {
  ...flightRefusals,
  ...stayRefusals,
  ...treasuryRefusals,
  ...escrowRefusals,
  ...reputationRefusals,
  ...recordRefusals,
};

let world: World;
beforeAll(async () => {
  const stays = await openStays("shared");
  world = { ...stays, escrow: openEscrow(stays.service) };
});
afterAll(async () => {
  await world?.escrow.close();
  await world?.close();
});

const tools = catalog.entries.map(({ tool }) => tool).filter(({ effect }) => effect !== "read");

describe("every code that a tool which writes or spends declares", () => {
  test("is one of a tool that there is", () => {
    expect(Object.keys(table).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });

  test.each(tools.map((tool) => [tool.name, tool] as const))(
    "of %s is provoked or has a known reason",
    (name, tool) => {
      const entries = table[name] ?? {};
      expect(Object.keys(entries).toSorted()).toEqual(Object.keys(tool.errors).toSorted());
      const named = Object.values(entries).filter((entry) => typeof entry === "string");
      expect(Object.keys(reasons)).toEqual(expect.arrayContaining(named));
    },
  );
});

interface Case {
  tool: string;
  code: string;
  provoke: Provoke;
}
const cases: readonly Case[] = [
  ...kernelRefusals,
  ...Object.entries(table).flatMap(([tool, refusals]) =>
    Object.entries(refusals).flatMap(([code, provoke]) =>
      typeof provoke === "string" ? [] : [{ tool, code, provoke }],
    ),
  ),
];

/** Settings for all cases of these codes, made after their records. Returns the function that resets them. */
const settings: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  async settlement_stopped() {
    const set = (because: string) =>
      world.service.sql(`update chain_network set stopped_because = ${because} where network = 'sandbox'`);
    await set("'a test'");
    return () => set("null");
  },
  async insufficient_balance() {
    const { available } = z.object({ available: z.object({ USDC: z.string() }) }).parse(await world.escrow.holdings());
    const tripId = await world.escrow.prefund(formatDecimal(micro(available.USDC) - 1n));
    return () => world.result("close_trip", { tripId });
  },
  spend_cap_exceeded: () => capSpending(world),
};

describe("a preview says as the call does", () => {
  const others = cases.filter(({ code }) => !Object.hasOwn(settings, code));
  test.each(others.map((one) => [one.tool, one.code, one.provoke] as const))(
    "of %s: %s",
    async (tool, code, provoke) => {
      const provoked = await provoke(world);
      try {
        await expectSameRefusal(world, { tool, code }, provoked);
      } finally {
        await provoked.restore?.();
      }
    },
  );
});

describe.each(Object.entries(settings))("a preview says %s as the call does", (code, begin) => {
  const those = cases.filter((one) => one.code === code);
  const made = new Map<string, Provoked>();
  let end: (() => Promise<unknown>) | undefined;
  beforeAll(async () => {
    for (const { tool, provoke } of those) made.set(tool, await provoke(world));
    end = await begin();
  });
  afterAll(() => end?.());

  test.each(those.map(({ tool }) => tool))("of %s", async (tool) => {
    await expectSameRefusal(world, { tool, code }, made.get(tool) ?? { args: {} });
  });
});
