import { expect, it } from "vitest";
import { createMigratedDatabase } from "../../server/test/support/test-database.ts";
import { attacks } from "../src/attack/attacks/index.ts";
import { runAttacks } from "../src/attack/run.ts";

it("hostile clients cost no more than the bounds say, honest ones are served, and without its guard each attack passes one", async () => {
  const database = await createMigratedDatabase();
  const lines: string[] = [];
  try {
    const environment = { DATABASE_URL: database.url };
    const say = (line: string) => void lines.push(line);
    const holds = await runAttacks({ attacks, brief: true, environment, say });
    expect(holds, lines.join("\n")).toBe(true);
  } finally {
    await database.drop();
  }
}, 600_000);
