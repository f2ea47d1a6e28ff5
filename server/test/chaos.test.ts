import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProcesses } from "../src/commands/chaos/processes.ts";
import { createRandom } from "../src/commands/chaos/random.ts";
import { chaosProgram } from "../src/commands/chaos.ts";

const PROGRAM = resolve(import.meta.dirname, "../src/commands/chaos.ts");
const LONG = 240_000;

let folder: string;
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "chaos-test-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** The command as an operator runs it; its temporary files go into a folder of their own, so that what it leaves shows. */
function startChaos(...args: readonly string[]) {
  runs += 1;
  const temporary = join(folder, `run-${runs}`);
  mkdirSync(temporary);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let error = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    error += text;
  });
  const ended = new Promise<{ code: number | null; out: string; error: string; left: unknown[] }>((done) => {
    child.once("close", (code) => {
      done({ code, out, error, left: [...readdirSync(temporary), ...findProcesses(temporary)] });
    });
  });
  return { child, temporary, ended };
}

const runChaos = (...args: readonly string[]) => startChaos(...args).ended;

test(
  "two rounds of kills: every invariant holds, and nothing is left behind",
  async () => {
    const { code, out, error, left } = await runChaos("--area", "calls", "--rounds", "2", "--seed", "wayfare");
    expect(`${out}${error}`).toMatch(/all invariants hold \(seed wayfare\)\n$/);
    expect(code).toBe(0);
    expect(out).not.toContain("FAILED");
    // Shown by something, not by nothing: each invariant counted what it compared, and each part was killed.
    expect(out.match(/^ok .*\([1-9]\d*\)$/gm)?.length).toBeGreaterThanOrEqual(13);
    for (const part of ["service", "postgres", "supplier"])
      expect(out).toMatch(new RegExp(`^kills .*${part} [1-9]`, "m"));
    expect(left).toEqual([]);
  },
  LONG,
);

describe("without a guard the run fails:", () => {
  test(
    "idempotency keys forgotten",
    async () => {
      const run = await runChaos("--area", "calls", "--rounds", "2", "--seed", "wayfare", "--break", "idempotency");
      expect(run.out).toMatch(/^FAILED {2}no usage record is there twice/m);
      expect(run).toMatchObject({ code: 1, error: "", left: [] });
    },
    LONG,
  );

  test(
    "answered before the record is durable",
    async () => {
      const run = await runChaos("--area", "calls", "--rounds", "2", "--seed", "wayfare", "--break", "durable-flush");
      expect(run.out).toMatch(/^FAILED {2}every acknowledged usage record is there/m);
      expect(run).toMatchObject({ code: 1, error: "", left: [] });
    },
    LONG,
  );
});

test(
  "an interrupted run ends everything that it started",
  async () => {
    const { child, temporary, ended } = startChaos("--area", "calls", "--seed", "1");
    // The database runs, so that there is something to end beside the service itself.
    await expect.poll(() => findProcesses(temporary).length, { timeout: LONG, interval: 50 }).toBeGreaterThan(1);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, left: [] });
  },
  LONG,
);

test.each([
  [["--rounds", "2"], "--area is one of: calls."],
  [["--area", "call"], "--area is one of: calls."],
  [["--area", "calls", "--rounds", "0"], "--rounds is a whole number from 1"],
  [["--area", "calls", "--rounds", "1.5"], "--rounds is a whole number from 1"],
  [["--area", "calls", "--break", "luck"], "--break is one of: idempotency, durable-flush."],
  [["--area", "calls", "--seed", "a b"], "--seed is up to 64"],
  [["--area", "calls", "--round", "2"], "--round"],
  [["--area", "calls", "2"], "'2'"],
])("%j is a wrong call", async (args, message) => {
  let [out, error] = ["", ""];
  const output = {
    out(text: string) {
      out += text;
    },
    error(text: string) {
      error += text;
    },
  };
  const code = await chaosProgram(args, output, AbortSignal.abort());
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(error).toContain(message);
  expect(error).toContain("npm run chaos -- --help");
});

describe("the decisions", () => {
  const draw = (seed: string) => {
    const random = createRandom(seed);
    return [random.between(1, 1_000_000), random.shuffle([1, 2, 3, 4, 5, 6, 7, 8]), random.fork("a").next()];
  };

  test("repeat with the seed", () => {
    expect(draw("1")).toEqual(draw("1"));
    expect(draw("1")).not.toEqual(draw("2"));
  });

  test("of one concern do not shift another's", () => {
    const [one, other] = [createRandom("1"), createRandom("1")];
    one.next();
    expect(one.fork("worker").next()).toBe(other.fork("worker").next());
    expect(one.fork("a").next()).not.toBe(one.fork("b").next());
  });
});
