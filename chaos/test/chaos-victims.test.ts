import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPart } from "../src/processes.ts";
import { aimAt } from "../src/victims.ts";

/** Starts another one whenever the one that it started ends, as a development chain does while it starts; no child outlives it. */
const PART = [
  'const { spawn } = require("node:child_process");',
  'const start = () => spawn("cat", { stdio: ["pipe", "ignore", "ignore"] }).once("exit", start);',
  "start();",
].join(" ");

let folder: string;
let parts: { name: string; pid: number }[];
let end: () => Promise<unknown>;
beforeEach(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "chaos-victims-"));
  const part = spawn(process.execPath, ["-e", PART, folder], { stdio: "ignore" });
  const { pid = 0 } = part;
  const ended = new Promise((resolve) => part.once("exit", resolve));
  end = () => {
    part.kill("SIGKILL");
    return ended;
  };
  parts = [{ name: "devnet", pid }];
  await expect.poll(() => findPart(pid, folder)).toHaveLength(2);
});
afterEach(async () => {
  await end();
  rmSync(folder, { recursive: true });
});

test("a part that was killed is replaced when another process is listed for it", () => {
  const aim = aimAt("sequencer", parts, folder);
  expect(aim.kill()).toBe(true);
  expect(aim.isReplaced(parts)).toBe(false);
  expect(aim.isReplaced([{ name: "devnet", pid: 1 }])).toBe(true);
});

test("what a part has started is replaced by another part, or by another one that the same part starts", async () => {
  const aim = aimAt("anvil", parts, folder);
  expect(aim.isReplaced(parts)).toBe(false);
  expect(aim.isReplaced([{ name: "devnet", pid: 1 }])).toBe(true);
  expect(aim.kill()).toBe(true);
  await expect.poll(() => aim.isReplaced(parts)).toBe(true);
});
