import type { Client } from "pg";
import { createVault } from "../../server/src/adapters/vault.ts";
import { createStores, workTables } from "../../server/src/contributions.ts";
import { createCalls } from "../../server/src/modules/charging/store-calls.ts";
import { WorkMeter } from "../../server/src/modules/effects/measure-work.ts";
import type { OpenDatabase } from "../../server/src/platform/database/database.ts";
import { systemClock } from "../../server/src/ports/clock.ts";

/** How many rows a deployment has of what grows with its calls. */
export interface GrowthSize {
  usage: number;
  calls: number;
  transactions: number;
}

export const FULL_SIZE: GrowthSize = { usage: 5_200_000, calls: 1_000_000, transactions: 300_000 };

const GROWING = ["usage_record", "call", "chain_transaction", "ledger_transaction", "ledger_entry"];
/** Rows and index entries together: more than any page has, and far fewer than the tables have. */
const MOST_READ = 1_000;
const TENANT = "tenant_large";
const RARE_TOOL = "rare_tool";

/** Fills a migrated database with one large tenant's past, whose first three calls were of a tool that it never called again. */
export async function fill(client: Client, { usage, calls, transactions }: GrowthSize): Promise<void> {
  await client.query(
    `insert into usage_record (id, tenant_id, network, key_id, subject, tool, surface, list_price_micro, discount_percent,
       price_micro, status, trace_id, latency_ms, created_at)
     select 'use_' || lpad(i::text, 26, '0'), $2, 'sandbox', 'key', 'svc:key', case when i <= 3 then $3 else 'timezone_brief' end,
       'dispatch', 500, 0, 500, 'sandbox', lpad(i::text, 32, '0'), 1, now() - interval '1 hour' from generate_series(1, $1::int) i`,
    [usage, TENANT, RARE_TOOL],
  );
  await client.query(
    `insert into call (id, tenant_id, network, key_id, subject, tool, surface, period, list_price_micro, discount_percent,
       price_micro, usage_status, trace_id, process_id, state, effect, created_at, settled_at)
     select 'cal_' || lpad(i::text, 26, '0'), $2, 'sandbox', 'key', 'svc:key', 'send_tokens', 'dispatch', '2026-11', 5000, 0,
       5000, 'sandbox', lpad(i::text, 32, '0'), 'proc_gone', 'captured', 'done', now() - interval '1 hour', now()
     from generate_series(1, $1::int) i`,
    [calls, TENANT],
  );
  await client.query(
    `insert into chain_network (network, chain, is_home, chain_id, genesis_hash, indexed_number, indexed_hash, updated_at)
     values ('sandbox', 'eip155:5042002', true, 5042002, '0x00', $1::int, '0x01', now())`,
    [transactions],
  );
  await client.query(
    `insert into chain_transaction (id, network, chain, idempotency_key, tenant_id, purpose, chain_order, state, raw, hash, block_number,
       created_at, updated_at)
     select 'ctx_' || lpad(i::text, 26, '0'), 'sandbox', 'eip155:5042002', 'bench:' || i, $2, 'transfer', '{"kind":"transfer"}', 'confirmed', '0x00',
       '0x' || lpad(to_hex(i), 64, '0'), i, now() - interval '1 hour', now() from generate_series(1, $1::int) i`,
    [transactions, TENANT],
  );
  await client.query(
    `insert into ledger_account (id, network, chain, token, kind, tenant_id)
     select 'sandbox:USDC:' || kind || ':' || $1, 'sandbox', 'eip155:5042002', 'USDC', kind, $1
     from unnest(array['prefunded', 'held']) as kind`,
    [TENANT],
  );
  await client.query(
    `with made as (
       insert into ledger_transaction (reference, kind, created_at)
       select 'bench:' || i, 'hold', now() from generate_series(1, $1::int) i returning id)
     insert into ledger_entry (transaction_id, account_id, amount_micro)
     select id, 'sandbox:USDC:' || side.kind || ':' || $2, side.amount * (case when id % 2 = 0 then 1 else -1 end)
     from made, (values ('prefunded', -1), ('held', 1)) as side (kind, amount)`,
    [transactions, TENANT],
  );
  await client.query("vacuum analyze");
}

const HOME = { environment: "sandbox", chain: "eip155:5042002" } as const;

/** The product's own statements that jobs run for ever and callers can ask for, over what grows. */
function statements({ db, pool }: OpenDatabase): Readonly<Record<string, () => Promise<unknown>>> {
  const stores = createStores(db, systemClock, createVault(Buffer.alloc(32, 1)));
  const calls = createCalls(pool, stores.callPayments);
  const sweep = { processId: "proc_bench", staleSeconds: 5, limit: 200, at: systemClock.now() };
  const list = (tool: string | undefined) =>
    stores.usageRecords.list(TENANT, "sandbox", { before: undefined, limit: 201, tool });
  return {
    "list usage of one tool": () => list(RARE_TOOL),
    "list usage": () => list(undefined),
    "known hashes": () => stores.chainTransactions.knownHashes(HOME, [`0x${"f".repeat(64)}`, "0x01"]),
    "open chain transactions": () => stores.chainTransactions.listOpen(HOME, 1_000),
    "custody of wallets": () => stores.custody.read(HOME, "USDC", 1n),
    heartbeat: () => calls.heartbeat("proc_bench"),
    "sweep of calls": () => calls.sweep({ ...sweep, newUsageId: () => "use_none", outcomeText: () => undefined }),
    "prune of calls and keys": () => calls.prune(systemClock.now()),
    "due usage": () => stores.usageSettlements.listDue("", 100),
    "gathered usage": () => stores.usageSettlements.gather(TENANT, "set_bench", 1_000),
    "unsettled spends": () => stores.callSpends.listUnsettled(200),
    "abandoned payments": () => stores.payments.listAbandoned(sweep),
    "work that is open": () => new WorkMeter(db, systemClock, workTables).measure(),
    "approvals given back": () => stores.approvals.settleAll(100),
  };
}

export interface Measured {
  name: string;
  milliseconds: number;
  /** Scans of growing tables, by the server's own count. */
  sequentialScans: number;
  rowsRead: number;
}

/** Runs each statement once after it was planned, and reads from the server's statistics what it cost. `opened` has one connection. */
export async function measureStatements(opened: OpenDatabase, watcher: Client): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  // The connection that filled the tables still reports scans, which would distort the measurement.
  await watcher.query("select pg_stat_force_next_flush()");
  await watcher.query("select 1");
  for (const [name, run] of Object.entries(statements(opened))) {
    await run();
    const before = await readCounts(opened, watcher);
    const begun = performance.now();
    await run();
    const milliseconds = performance.now() - begun;
    const after = await readCounts(opened, watcher);
    const sequentialScans = after.scans - before.scans;
    measured.push({ name, milliseconds, sequentialScans, rowsRead: after.rows - before.rows });
  }
  return measured;
}

/** For each table that was filled. */
export async function sizesOfMillion(watcher: Client): Promise<readonly { name: string; megabytes: string }[]> {
  const { rows } = await watcher.query<{ name: string; megabytes: string }>(
    `select regexp_replace(class.relname, '^usage_record_.*', 'usage_record') as name,
       round((sum(pg_total_relation_size(class.oid)) / sum(class.reltuples))::numeric * 1000000 / 1048576)::text as megabytes
     from pg_class class where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace and class.reltuples > 1000
     group by 1 order by 1`,
  );
  return rows;
}

/** The statements whose cost grows with the tables. */
export function findGrowing(measured: readonly Measured[]): readonly Measured[] {
  return measured.filter(({ sequentialScans, rowsRead }) => sequentialScans > 0 || rowsRead > MOST_READ);
}

async function readCounts({ pool }: OpenDatabase, watcher: Client): Promise<{ scans: number; rows: number }> {
  // The connection that worked says so at the end of this statement.
  await pool.query("select pg_stat_force_next_flush()");
  await pool.query("select 1");
  const { rows } = await watcher.query<{ scans: string; rows: string }>(
    `select sum(seq_scan) as scans, sum(seq_tup_read + (
       select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where relid = tables.relid)) as rows
     from pg_stat_user_tables tables where relname = any ($1) or relname like 'usage\\_record\\_%'`,
    [GROWING],
  );
  const [row] = rows;
  return { scans: Number(row?.scans), rows: Number(row?.rows) };
}
