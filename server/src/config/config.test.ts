import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

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

test("more development money than the tokens could mint is refused", () => {
  expect(() => readConfig({ SANDBOX_BALANCE_USDC: "1000000000.000001" })).toThrow(
    "Not started: SANDBOX_BALANCE_USDC must be at most 1000000000.",
  );
  expect(readConfig({ SANDBOX_BALANCE_USDC: "1000000000" }).sandboxBalanceUsdc).toBe(10n ** 15n);
  expect(readConfig({ SANDBOX_BALANCE_USDC: "0" }).sandboxBalanceUsdc).toBe(0n);
});

test("a stop in sandbox mode waits at most four seconds for a load balancer, as it must end within ten", () => {
  expect(readConfig({ DRAIN_SECONDS: "3" }).drainSeconds).toBe(3);
  expect(readConfig({ DRAIN_SECONDS: "600" }).drainSeconds).toBe(4);
});

test("payments are batched on a live chain only if a contract settles them together", () => {
  const address = `0x${"1".repeat(40)}`;
  const live = {
    NETWORK_MODE: "production",
    SUPPLIER_URL: "https://supplier.example",
    SUPPLIER_TOKEN: "token",
    CHAIN_RPC_URL: "https://node.example",
    CHAIN_USDC: address,
    CHAIN_RELAYER_KEY_FILE: "relayer.key",
    MASTER_KEY_FILE: "master.key",
  };
  const window = { PAYMENT_BATCH_WINDOW_MS: "50" };
  expect(() => readConfig({ ...live, ...window })).toThrow(
    "Not started: PAYMENT_BATCH_WINDOW_MS needs CHAIN_PAYMENT_BATCH on a live chain; set it, or leave the window at 0.",
  );
  const outside = { X402_FACILITATOR_URL: "https://facilitator.example" };
  for (const good of [live, { ...live, ...window, CHAIN_PAYMENT_BATCH: address }, { ...live, ...window, ...outside }]) {
    expect(() => readConfig(good)).not.toThrow();
  }
  expect(() => readConfig(window)).not.toThrow();
});
