import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const bridge = join(import.meta.dirname, "..");
const compiler = join(bridge, "../node_modules/typescript/bin/tsc");

it("the types in the comments of the plain JavaScript hold", () => {
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", bridge], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
