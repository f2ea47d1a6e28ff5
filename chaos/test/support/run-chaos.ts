import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { programAt } from "../../../server/test/support/programs.ts";
import { findProcesses } from "../../src/processes.ts";

/** The command as an operator runs it; its temporary files go into a folder of their own, so that what it leaves shows. */
export function chaosRunner(program: string = programAt("chaos/src/main.ts")) {
  let folder = "";
  let runs = 0;
  const running = new Map<ChildProcess, Promise<unknown>>();
  beforeAll(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), "chaos-test-"));
  });
  afterAll(async () => {
    // Runs of tests that timed out: a run that is told to stop ends the processes that it started.
    for (const child of running.keys()) child.kill("SIGTERM");
    await Promise.all(running.values());
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  return function startChaos(...args: readonly string[]) {
    runs += 1;
    const temporary = join(folder, `run-${runs}`);
    mkdirSync(temporary);
    const child = spawn(process.execPath, [program, ...args], {
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
        running.delete(child);
        done({ code, out, error, left: [...readdirSync(temporary), ...findProcesses(temporary)] });
      });
    });
    running.set(child, ended);
    return { child, temporary, ended };
  };
}
