import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Failure } from "../src/domain/errors.ts";
import { systemClock } from "../src/ports/clock.ts";
import type { Ledger, Purse } from "../src/ports/ledger.ts";
import { type OpenDatabase, openDatabase } from "../src/storage/database.ts";
import { createLedger, ledgerImbalance } from "../src/storage/ledger.ts";
import { migrateToLatest } from "../src/storage/migrate.ts";
import { createTestDatabase, type TestDatabase } from "./support/test-database.ts";

let database: TestDatabase;
let open: OpenDatabase;
let ledger: Ledger;
let next = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, { poolSize: 16, onError: () => undefined });
  await migrateToLatest(database.url, open);
  ledger = createLedger(open.db, systemClock);
});

afterAll(async () => {
  await open.close();
  await database.drop();
});

function newPurse(network: Purse["network"] = "sandbox"): Purse {
  next += 1;
  return { tenantId: `tenant_${next}`, network };
}

async function funded(amount: bigint): Promise<Purse> {
  const purse = newPurse();
  await ledger.deposit(purse, amount, `start:${purse.tenantId}`);
  return purse;
}

const codeOf = (error: unknown): unknown => (error instanceof Failure ? error.code : error);

describe("the books of prefunded balances", () => {
  test("a deposit, a hold and a part capture end where they should, and the books add up", async () => {
    const purse = await funded(1_000_000n);
    await ledger.hold(purse, 600_000n, "booking:a");
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 400_000n, heldMicroUsdc: 600_000n });
    await ledger.capture(purse, "booking:a", 450_000n);
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 550_000n, heldMicroUsdc: 0n });
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("a step that runs twice posts once", async () => {
    const purse = await funded(100n);
    await ledger.deposit(purse, 100n, `start:${purse.tenantId}`);
    for (let run = 0; run < 2; run += 1) await ledger.hold(purse, 40n, "booking:b");
    for (let run = 0; run < 2; run += 1) await ledger.release(purse, "booking:b");
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 100n, heldMicroUsdc: 0n });
  });

  test("one reference with another amount, purse or end is an error and posts nothing", async () => {
    const purse = await funded(100n);
    const other = await funded(100n);
    await ledger.hold(purse, 40n, "booking:c");
    await expect(ledger.hold(purse, 41n, "booking:c")).rejects.toThrow("differently");
    await expect(ledger.hold(other, 40n, "booking:c")).rejects.toThrow("differently");
    await expect(ledger.capture(purse, "booking:c", 41n)).rejects.toThrow("less than");
    await ledger.capture(purse, "booking:c", 40n);
    await expect(ledger.release(purse, "booking:c")).rejects.toThrow("differently");
    await expect(ledger.release(purse, "booking:unknown")).rejects.toThrow("no hold");
    await ledger.hold(purse, 10n, "booking:mine");
    await expect(ledger.release(other, "booking:mine")).rejects.toThrow("no hold");
    await ledger.release(purse, "booking:mine");
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 60n, heldMicroUsdc: 0n });
    expect(await ledger.balance(other)).toEqual({ availableMicroUsdc: 100n, heldMicroUsdc: 0n });
  });

  test("too little money names what is missing, and nothing is posted", async () => {
    const purse = await funded(1_500_000n);
    const failure = await ledger.hold(purse, 2_000_000n, "booking:d").catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "insufficient_balance",
      extra: { requiredUsdc: "2.00", availableUsdc: "1.50", missingUsdc: "0.50" },
    });
    await ledger.hold(purse, 1_000_000n, "booking:d");
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 500_000n, heldMicroUsdc: 1_000_000n });
  });

  test("64 concurrent holds never take more than there is", async () => {
    const purse = await funded(1_000n);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 64 }, (_, index) => ledger.hold(purse, 50n, `race:${index}`)),
    );
    const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [codeOf(one.reason)] : []));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
    expect(new Set(refused)).toEqual(new Set(["insufficient_balance"]));
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 0n, heldMicroUsdc: 1_000n });
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("captures and releases of one hold at once: one of them wins", async () => {
    const purse = await funded(100n);
    await ledger.hold(purse, 100n, "booking:e");
    const ends = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => ledger.capture(purse, "booking:e", 70n)),
      ...Array.from({ length: 8 }, () => ledger.release(purse, "booking:e")),
    ]);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    const { availableMicroUsdc, heldMicroUsdc } = await ledger.balance(purse);
    expect([30n, 100n]).toContain(availableMicroUsdc);
    expect(heldMicroUsdc).toBe(0n);
  });

  test("many tenants holding and capturing at once do not deadlock", async () => {
    const purses = await Promise.all(Array.from({ length: 8 }, () => funded(1_000n)));
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const purse = purses[index % purses.length] ?? newPurse();
        await ledger.hold(purse, 10n, `many:${index}`);
        if (index % 2 === 0) await ledger.capture(purse, `many:${index}`, 7n);
        else await ledger.release(purse, `many:${index}`);
      }),
    );
    for (const purse of purses) expect((await ledger.balance(purse)).heldMicroUsdc).toBe(0n);
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("development money is not live money", async () => {
    const purse = await funded(100n);
    await expect(ledger.hold({ ...purse, network: "production" }, 1n, "booking:live")).rejects.toMatchObject({
      code: "insufficient_balance",
    });
  });

  test("negative amounts are refused", async () => {
    const purse = await funded(100n);
    await expect(ledger.deposit(purse, -1n, "minus")).rejects.toThrow(RangeError);
    await expect(ledger.hold(purse, -1n, "minus")).rejects.toThrow(RangeError);
  });

  test("a hold of nothing can be captured", async () => {
    const purse = await funded(100n);
    await ledger.hold(purse, 0n, "booking:free");
    await ledger.capture(purse, "booking:free", 0n);
    expect(await ledger.balance(purse)).toEqual({ availableMicroUsdc: 100n, heldMicroUsdc: 0n });
  });

  test("the audit log has every change of money, and a balance changed behind the books' back shows", async () => {
    const purse = await funded(100n);
    await ledger.hold(purse, 60n, "booking:f");
    await ledger.capture(purse, "booking:f", 60n);
    const lines = await open.db
      .selectFrom("audit_log")
      .select("action")
      .where("tenant_id", "=", purse.tenantId)
      .orderBy("id")
      .execute();
    expect(lines.map(({ action }) => action)).toEqual(["ledger.deposit", "ledger.capture"]);
    const change = (amount: bigint) =>
      open.db
        .updateTable("ledger_account")
        .set((row) => ({ balance_micro: row("balance_micro", "+", amount) }))
        .where("id", "=", `sandbox:prefunded:${purse.tenantId}`)
        .execute();
    await change(5n);
    expect(await ledgerImbalance(open.db)).toBeGreaterThan(0n);
    await change(-5n);
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });
});
