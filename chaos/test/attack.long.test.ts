import { resolve } from "node:path";
import { expect, it } from "vitest";
import { createMigratedDatabase } from "../../server/test/support/test-database.ts";
import { attacks } from "../src/attack/attacks/index.ts";
import { runAttacks } from "../src/attack/run.ts";
import { findProcesses } from "../src/processes.ts";
import { chaosRunner } from "./support/run-chaos.ts";

const LONG = 600_000;
const startAttack = chaosRunner(resolve(import.meta.dirname, "../src/attack/main.ts"));

it(
  "hostile clients cost no more than the bounds say, honest ones are served, and without its guard each attack passes one",
  async () => {
    const database = await createMigratedDatabase();
    const lines: string[] = [];
    try {
      const environment = { DATABASE_URL: database.url };
      const say = (line: string) => void lines.push(line);
      const { signal } = new AbortController();
      const holds = await runAttacks({ attacks, brief: true, environment, say, signal });
      expect(holds, lines.join("\n")).toBe(true);
    } finally {
      await database.drop();
    }
  },
  LONG,
);

it.each(["SIGINT", "SIGTERM"] as const)(
  "an attack that %s interrupts ends everything that it started",
  async (name) => {
    const { child, temporary, ended } = startAttack("--attack", "pipelined requests");
    // The service and its database run.
    await expect.poll(() => findProcesses(temporary).length, { timeout: LONG, interval: 50 }).toBeGreaterThan(1);
    child.kill(name);
    expect(await ended).toMatchObject({ code: 130, left: [] });
  },
  LONG,
);
