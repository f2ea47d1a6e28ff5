import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bindTestChain, depositForTest } from "../../../test/support/deposits.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores } from "../../contributions.ts";
import { Failure } from "../../domain/errors.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import type { TokenMovement } from "../../ports/chain/chain.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Ledger, Purse, WalletOwner } from "./ledger.ts";
import { createLedger, ledgerImbalance } from "./store.ts";
import { readAccount } from "./store-postings.ts";

let database: TestDatabase;
let open: OpenDatabase;
let ledger: Ledger;
let next = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  open = openDatabase(database.url, {
    poolSize: 16,
    onError: () => undefined,
    // 64 at once wait for one of them, and then in sequence for the same row.
    connectionPatienceMilliseconds: 120_000,
  });
  ledger = createLedger(open.db, systemClock);
});

afterAll(async () => {
  await open.close();
  await database.drop();
});

function newPurse(environment: Purse["environment"] = "sandbox"): Purse {
  next += 1;
  return { tenantId: `tenant_${next}`, environment, chain: sandboxChain.chain, token: "USDC" };
}

async function funded(amount: bigint): Promise<Purse> {
  const purse = newPurse();
  await depositForTest({ ledger }, purse, amount);
  return purse;
}

function movement(change: Partial<TokenMovement>): { movement: TokenMovement } {
  const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`;
  const transactionHash: `0x${string}` = `0x${randomBytes(32).toString("hex")}`;
  const event = { transactionHash, logIndex: 0, blockNumber: 1n };
  const rest = { token: "USDC", from: address("1"), to: address("2"), amount: 1n } as const;
  return { movement: { ...rest, ...event, ...change } };
}

/** True: it was posted now. */
async function post(
  chain: ChainKey,
  { movement }: { movement: TokenMovement },
  from: WalletOwner | undefined,
  to: WalletOwner | undefined,
): Promise<boolean> {
  return (await ledger.postMovements(chain, [{ movement, from, to }])) === 1;
}

const errorCode = (error: unknown): unknown => (error instanceof Failure ? error.code : error);

describe("the ledger", () => {
  test("a deposit, a hold and a partial capture are posted correctly, and the accounts balance", async () => {
    const purse = await funded(1_000_000n);
    await ledger.hold(purse, 600_000n, "booking:a");
    expect(await ledger.balance(purse)).toEqual({ available: 400_000n, held: 600_000n, outgoing: 0n });
    await ledger.capture(purse, "booking:a", 450_000n);
    expect(await ledger.balance(purse)).toEqual({ available: 550_000n, held: 0n, outgoing: 450_000n });
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("a repeated step posts once", async () => {
    const purse = await funded(100n);
    for (let run = 0; run < 2; run += 1) await ledger.hold(purse, 40n, "booking:b");
    for (let run = 0; run < 2; run += 1) await ledger.release(purse, "booking:b");
    expect(await ledger.balance(purse)).toEqual({ available: 100n, held: 0n, outgoing: 0n });
  });

  test("a reference with another amount, purse or end is an error and posts nothing", async () => {
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
    expect(await ledger.balance(purse)).toEqual({ available: 60n, held: 0n, outgoing: 40n });
    expect(await ledger.balance(other)).toEqual({ available: 100n, held: 0n, outgoing: 0n });
  });

  test("a movement that was posted before a tenant's escrow was known is moved into its account, once", async () => {
    const purse = newPurse();
    const own = { kind: "treasury", tenantId: purse.tenantId } as const;
    const escrow = { kind: "escrow", tenantId: purse.tenantId } as const;
    const readEscrow = () => readAccount(open.db, purse, "escrow");
    const paidIn = movement({ amount: 9n });
    const paidBack = movement({ amount: 4n, logIndex: 1 });
    await post(sandboxChain, movement({ amount: 9n }), undefined, own);
    await ledger.send(purse, 9n, `prefund of ${purse.tenantId}`);
    expect(await post(sandboxChain, paidIn, own, undefined)).toBe(true);
    expect(await post(sandboxChain, paidBack, undefined, own)).toBe(true);
    for (let run = 0; run < 3; run += 1) {
      expect(await post(sandboxChain, paidIn, own, escrow)).toBe(false);
      expect(await post(sandboxChain, paidBack, escrow, own)).toBe(false);
      expect(await readEscrow()).toBe(5n);
    }
    expect(await ledger.balance(purse)).toEqual({ available: 4n, held: 0n, outgoing: 0n });
    expect(await ledgerImbalance(open.db)).toBe(0n);
    const another = movement({ ...paidIn.movement, amount: 8n });
    await expect(post(sandboxChain, another, own, escrow)).rejects.toThrow("differently");
    // Several that read the block at once.
    const late = movement({ amount: 3n });
    await ledger.send(purse, 3n, `late prefund of ${purse.tenantId}`);
    await post(sandboxChain, late, own, undefined);
    await Promise.all(Array.from({ length: 8 }, () => post(sandboxChain, late, own, escrow)));
    expect(await readEscrow()).toBe(8n);
  });

  test("a movement read again after its escrow was exchanged stays as posted, and nothing else may differ", async () => {
    const [purse, other] = [newPurse(), newPurse()];
    const [own, others] = [purse, other].map(({ tenantId }) => ({ kind: "treasury", tenantId }) as const);
    const escrow = { kind: "escrow" } as const;
    expect(await post(sandboxChain, movement({ amount: 7n }), undefined, escrow)).toBe(true);
    const paidOut = movement({ amount: 5n });
    expect(await post(sandboxChain, paidOut, escrow, own)).toBe(true);
    expect(await post(sandboxChain, paidOut, undefined, own)).toBe(false);
    expect(await ledger.balance(purse)).toMatchObject({ available: 5n });
    const paidIn = movement({ amount: 3n });
    expect(await post(sandboxChain, paidIn, undefined, own)).toBe(true);

    const differing = /was posted before and differently/;
    const dearer = { movement: { ...paidOut.movement, amount: 6n } };
    await expect(post(sandboxChain, dearer, undefined, own)).rejects.toThrow(differing);
    await expect(post(sandboxChain, paidOut, undefined, others)).rejects.toThrow(differing);
    // A stranger's money does not become the escrow's.
    await expect(post(sandboxChain, paidIn, escrow, own)).rejects.toThrow(differing);
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("a refusal names the missing amount, and nothing is posted", async () => {
    const purse = await funded(1_500_000n);
    const failure = await ledger.hold(purse, 2_000_000n, "booking:d").catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "insufficient_balance",
      extra: { requiredUsdc: "2.00", availableUsdc: "1.50", missingUsdc: "0.50" },
    });
    await ledger.hold(purse, 1_000_000n, "booking:d");
    expect(await ledger.balance(purse)).toEqual({ available: 500_000n, held: 1_000_000n, outgoing: 0n });
  });

  test("64 concurrent holds never take more than is available", async () => {
    const purse = await funded(1_000n);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 64 }, (_, index) => ledger.hold(purse, 50n, `race:${index}`)),
    );
    const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [errorCode(one.reason)] : []));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
    expect(new Set(refused)).toEqual(new Set(["insufficient_balance"]));
    expect(await ledger.balance(purse)).toEqual({ available: 0n, held: 1_000n, outgoing: 0n });
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("of concurrent captures and releases of a hold one wins", async () => {
    const purse = await funded(100n);
    await ledger.hold(purse, 100n, "booking:e");
    const ends = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => ledger.capture(purse, "booking:e", 70n)),
      ...Array.from({ length: 8 }, () => ledger.release(purse, "booking:e")),
    ]);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    const { available, held } = await ledger.balance(purse);
    expect([30n, 100n]).toContain(available);
    expect(held).toBe(0n);
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
    for (const purse of purses) expect((await ledger.balance(purse)).held).toBe(0n);
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("development money is not live money", async () => {
    const purse = await funded(100n);
    await expect(ledger.hold({ ...purse, environment: "production" }, 1n, "booking:live")).rejects.toMatchObject({
      code: "insufficient_balance",
    });
  });

  test("negative amounts are refused", async () => {
    const purse = await funded(100n);
    await expect(ledger.send(purse, -1n, "minus")).rejects.toThrow(RangeError);
    await expect(ledger.takeBack(purse, -1n, "minus")).rejects.toThrow(RangeError);
    await expect(ledger.hold(purse, -1n, "minus")).rejects.toThrow(RangeError);
  });

  test("a hold of nothing can be captured", async () => {
    const purse = await funded(100n);
    await ledger.hold(purse, 0n, "booking:free");
    await ledger.capture(purse, "booking:free", 0n);
    expect(await ledger.balance(purse)).toEqual({ available: 100n, held: 0n, outgoing: 0n });
  });

  test("sent money leaves by an event of the chain, or returns", async () => {
    const purse = await funded(100n);
    const mine = { kind: "treasury", tenantId: purse.tenantId } as const;
    await ledger.send(purse, 70n, "tx:1");
    await ledger.send(purse, 30n, "tx:2");
    expect(await ledger.balance(purse)).toEqual({ available: 0n, held: 0n, outgoing: 100n });
    await expect(ledger.send(purse, 1n, "tx:3")).rejects.toMatchObject({ code: "insufficient_balance" });
    const left = movement({ amount: 70n, blockNumber: 7n });
    expect(await post(sandboxChain, left, mine, { kind: "collection" })).toBe(true);
    expect(await post(sandboxChain, left, mine, { kind: "collection" })).toBe(false);
    await expect(post(sandboxChain, movement({ ...left.movement, amount: 71n }), mine, undefined)).rejects.toThrow(
      "differently",
    );
    for (let run = 0; run < 2; run += 1) await ledger.takeBack(purse, 30n, "tx:2");
    expect(await ledger.balance(purse)).toEqual({ available: 30n, held: 0n, outgoing: 0n });
    await expect(post(sandboxChain, movement({ amount: 1n }), mine, undefined)).rejects.toThrow("takes more");
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });

  test("tokens have separate accounts", async () => {
    const purse = await funded(100n);
    const euros = { ...purse, token: "EURC" } as const;
    const failure = await ledger.send(euros, 5n, "tx:euros").catch((error: unknown) => error);
    expect(failure).toMatchObject({ extra: { requiredEurc: "0.000005", availableEurc: "0.00" } });
    await depositForTest({ ledger }, euros, 8n);
    await ledger.send(euros, 5n, "tx:euros");
    expect(await ledger.balance(euros)).toEqual({ available: 3n, held: 0n, outgoing: 5n });
    expect((await ledger.balance(purse)).available).toBe(100n);
  });

  test("the accounts of a wallet add up to its balance at a block, whatever came later", async () => {
    const stores = createStores(open.db, systemClock, createVault(randomBytes(32)));
    await bindTestChain(stores);
    const purse = newPurse();
    const { address } = await stores.wallets.ensure(sandboxChain, "treasury", purse.tenantId);
    const mine = { kind: "treasury", tenantId: purse.tenantId } as const;
    await post(sandboxChain, movement({ amount: 100n, blockNumber: 10n }), undefined, mine);
    await ledger.hold(purse, 20n, "booking:custody");
    await ledger.send(purse, 30n, "tx:custody");
    await post(sandboxChain, movement({ amount: 30n, blockNumber: 12n }), mine, undefined);
    const at = async (block: bigint) =>
      (await stores.custody.read(sandboxChain, "USDC", block)).find((row) => row.address === address)?.amount;
    expect([await at(9n), await at(10n), await at(11n), await at(12n)]).toEqual([0n, 100n, 100n, 70n]);
  });

  test("concurrent payments in both directions between tenants do not deadlock", async () => {
    const [one, other] = [await funded(1_000n), await funded(1_000n)];
    for (const purse of [one, other]) await ledger.send(purse, 640n, `both:${purse.tenantId}`);
    await Promise.all(
      Array.from({ length: 64 }, (_, index) => {
        const [from, to] = index % 2 === 0 ? [one, other] : [other, one];
        const owner = ({ tenantId }: Purse) => ({ kind: "treasury", tenantId }) as const;
        return post(sandboxChain, movement({ amount: 20n }), owner(from), owner(to));
      }),
    );
    expect(await ledger.balance(one)).toEqual({ available: 1_000n, held: 0n, outgoing: 0n });
  });

  test("the audit log has every change of money, and a balance changed outside of the ledger is detected", async () => {
    const purse = await funded(100n);
    await ledger.hold(purse, 60n, "booking:f");
    await ledger.capture(purse, "booking:f", 60n);
    const lines = await open.db
      .selectFrom("auditLog")
      .select("action")
      .where("tenantId", "=", purse.tenantId)
      .orderBy("id")
      .execute();
    expect(lines.map(({ action }) => action)).toEqual(["ledger.deposit", "ledger.capture"]);
    const change = (amount: bigint) =>
      open.db
        .updateTable("ledgerAccount")
        .set((row) => ({ balanceMicro: row("balanceMicro", "+", amount) }))
        .where("tenantId", "=", purse.tenantId)
        .where("kind", "=", "prefunded")
        .execute();
    await change(5n);
    expect(await ledgerImbalance(open.db)).toBeGreaterThan(0n);
    await change(-5n);
    expect(await ledgerImbalance(open.db)).toBe(0n);
  });
});
