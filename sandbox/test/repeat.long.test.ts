// Runs that repeat: the same identifiers and times from the same settings.
import { afterAll, expect, test } from "vitest";
import { createTestDatabase } from "./postgres.ts";
import { type RunningSandbox, startSandboxProcess, stopLeftovers } from "./start.ts";

afterAll(stopLeftovers);

const REPEAT = ["--random-seed", "x", "--stand-still-at", "2026-06-01T09:00:00Z"];

async function withSandbox<Result>(
  options: readonly string[],
  work: (sandbox: RunningSandbox) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase();
  try {
    const sandbox = await startSandboxProcess(database.url, 0, options);
    const result = await work(sandbox);
    await sandbox.stop();
    return result;
  } finally {
    await database.drop();
  }
}

const search = async (sandbox: RunningSandbox): Promise<string> => {
  const slices = [{ origin: "LHR", destination: "JFK", departure_date: "2026-08-01" }];
  const { body } = await sandbox.call("POST", "/air/offer_requests", { slices, passengers: [{ type: "adult" }] });
  return JSON.stringify(body);
};

test("the same settings give the same offers, however often somebody asks for its health in between, and a tick moves the clock", async () => {
  const run = (healthChecks: number) =>
    withSandbox(REPEAT, async (sandbox) => {
      const first = await search(sandbox);
      for (let check = 0; check < healthChecks; check += 1) await sandbox.control("GET", "/healthz");
      const second = await search(sandbox);
      expect(second).not.toBe(first);
      await sandbox.control("POST", "/_sandbox/tick", { advanceSeconds: 3_600 });
      return [first, second, await search(sandbox)];
    });
  const answers = await run(0);
  expect(answers[0]).toContain("2026-06-01T09:00:00");
  expect(answers[2]).toContain("2026-06-01T10:00:00");
  expect(await run(3)).toEqual(answers);
});

test("without a seed no two searches share an identifier", async () => {
  const unseeded = REPEAT.slice(2);
  const id = /"id":"orq_\w+"/;
  const first = await withSandbox(unseeded, search);
  expect(first).toMatch(id);
  expect(id.exec(await withSandbox(unseeded, search))?.[0]).not.toBe(id.exec(first)?.[0]);
});

test("a moment that is none is refused", async () => {
  const started = withSandbox(["--stand-still-at", "tomorrow"], async () => undefined);
  await expect(started).rejects.toThrow("--stand-still-at is an instant such as 2026-06-01T09:00:00Z");
});
