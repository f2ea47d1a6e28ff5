import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";

test.each(["SUPPLIER", "SANDBOX"])("a request to the %s that can outlast the quiet time after it is refused", (who) => {
  const times = (commit: number, quiet: number) => ({
    [`${who}_COMMIT_TIMEOUT_MS`]: String(commit),
    [`${who}_QUIET_MS`]: String(quiet),
  });
  expect(() => readConfig(times(2_000, 2_001))).not.toThrow();
  expect(() => readConfig(times(2_000, 2_000))).toThrow(
    `Not started: ${who}_QUIET_MS must be longer than ${who}_COMMIT_TIMEOUT_MS.`,
  );
});
