import { afterEach, expect, test, vi } from "vitest";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import { EndWaiters } from "./submit-chain.ts";

afterEach(() => void vi.useRealTimers());

const queued: ChainTransaction = {
  id: "ctx_1",
  ...sandboxChain,
  idempotencyKey: "one",
  tenantId: null,
  callId: null,
  traceId: undefined,
  purpose: "payment",
  operation: { kind: "payment" },
  result: undefined,
  state: "queued",
  step: "carry_out",
  hash: undefined,
  earlierHashes: [],
  raw: undefined,
  nonce: undefined,
  failure: undefined,
  blockNumber: undefined,
  createdAt: Temporal.Instant.from("2026-01-01T00:00:00Z"),
};
const confirmed: ChainTransaction = { ...queued, state: "confirmed" };

/** The stored row, and how often it has been read. */
function watch() {
  vi.useFakeTimers();
  const row = { stored: queued, looks: 0 };
  const get = async () => {
    row.looks += 1;
    return row.stored;
  };
  return { row, waiters: new EndWaiters({ get }) };
}

test("a row just stored is not looked up before its end is announced", async () => {
  const { row, waiters } = watch();
  const waiting = waiters.waitForEnd("ctx_1", 10_000, true);
  await vi.advanceTimersByTimeAsync(10);
  waiters.announce(confirmed);
  expect(await waiting).toBe(confirmed);
  expect(row.looks).toBe(0);
});

test("an end caused by another process is found by looking, also for a row just stored", async () => {
  for (const isNew of [true, false]) {
    const { row, waiters } = watch();
    const waiting = waiters.waitForEnd("ctx_1", 10_000, isNew);
    await vi.advanceTimersByTimeAsync(10);
    row.stored = confirmed;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe(confirmed);
  }
});

test("a caller without news learns after the timeout that there is no end", async () => {
  const { waiters } = watch();
  const waiting = waiters.waitForEnd("ctx_1", 600, true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBeUndefined();
});

test("an earlier end is returned at once", async () => {
  const { row, waiters } = watch();
  row.stored = confirmed;
  expect(await waiters.waitForEnd("ctx_1", 10_000)).toBe(confirmed);
  expect(row.looks).toBe(1);
});
