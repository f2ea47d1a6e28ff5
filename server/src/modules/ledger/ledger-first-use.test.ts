import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores } from "../../contributions.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../ports/clock.ts";

const TENANT = "tenant_new";
const LOCK = 4_711;
const PATIENCE_MILLISECONDS = 60_000;

let database: TestDatabase;
let open: OpenDatabase;
let stores: Stores;
let holder: pg.Client;

beforeAll(async () => {
  database = await createMigratedDatabase();
  open = openDatabase(database.url, { poolSize: 4, onError: () => undefined });
  stores = createStores(open.db, systemClock, createVault(randomBytes(32)));
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await open.close();
  await database.drop();
});

/**
 * Holds an insert into `ledger_account` between its two unique indexes for as long as `holder` has the lock: another insert
 * finds the account by its id and not yet by its other columns.
 */
async function holdBetweenIndexes(): Promise<void> {
  const { rows } = await holder.query<{ definition: string }>(
    "select pg_get_indexdef('ledger_account_key'::regclass) as definition",
  );
  // Indexes are written in the order of their creation.
  await holder.query(`
    create function hold(id text) returns text immutable language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return id; end $$;
    drop index ledger_account_key;
    create index ledger_account_held on ledger_account (hold(id));
    ${rows[0]?.definition ?? ""};
    select pg_advisory_lock(${LOCK})`);
}

const countWaiting = async (): Promise<number> => {
  const { rows } = await holder.query<{ waiting: number }>(
    `select count(distinct pid)::int as waiting from pg_locks
     where not granted and (database is null or database = (select oid from pg_database where datname = current_database()))
       and pid in (select pid from pg_stat_activity where datname = current_database())`,
  );
  return rows[0]?.waiting ?? 0;
};

it("two first uses of an account at once make one account", async () => {
  const event = () => ({ transactionHash: `0x${randomBytes(32).toString("hex")}` as const, logIndex: 0 });
  const address = `0x${"1".repeat(40)}` as const;
  const pay = (amount: bigint) =>
    stores.ledger.postMovements(sandboxChain, [
      {
        movement: { token: "USDC", amount, ...event(), blockNumber: 1n, from: address, to: address },
        from: undefined,
        to: { kind: "treasury", tenantId: TENANT },
      },
    ]);
  await holdBetweenIndexes();
  const waits = (count: number) =>
    vi.waitFor(async () => expect(await countWaiting()).toBe(count), PATIENCE_MILLISECONDS);
  const first = pay(100n);
  await waits(1);
  const second = pay(7n).then(
    (posted) => posted,
    (error: unknown) => error,
  );
  await waits(2);
  await holder.query(`select pg_advisory_unlock(${LOCK})`);
  expect([await first, await second]).toEqual([1, 1]);
  expect(await stores.ledger.balance({ ...sandboxChain, tenantId: TENANT, token: "USDC" })).toEqual({
    available: 107n,
    held: 0n,
    outgoing: 0n,
  });
});
