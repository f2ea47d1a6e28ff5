import type { Client } from "pg";
import { earliestId } from "../../server/src/domain/ids.ts";

/** How many rows the largest tables have: by default those of a large tenant after a quarter. */
export interface DashboardSize {
  usage: number;
  orders: number;
  movements: number;
}

export const FULL_SIZE: DashboardSize = { usage: 10_000_000, orders: 100_000, movements: 1_000_000 };

const DAYS = 90;
const HOUR_MILLISECONDS = 3_600_000;
const KEYS = 20;
const PEOPLE = 200;
/** Rows that grow more slowly, for each 100,000 orders. */
const RUNS = 20_000;
const TRIPS = 20_000;
const EVENTS = 300_000;
const APPROVALS = 5_000;

const TOOLS = [
  "search_flights",
  "search_hotels",
  "quote_fx",
  "timezone_brief",
  "read_order",
  "read_account",
  "display_offer_conditions",
  "list_flight_ancillaries",
  "find_airports_nearby",
  "get_balances",
  "check_policy",
  "preview_call",
];

/**
 * Multiplies a tenant's rows to a quarter of a large deployment, with its triggers off: no event, no delivery and no supplier hears of
 * them. What moves money sums up to nothing, so that books and chain still agree.
 */
export async function fillDashboard(open: () => Promise<Client>, tenantId: string, size: DashboardSize): Promise<void> {
  const [client, other] = await Promise.all([open(), open()]);
  try {
    await client.query("set session_replication_role = replica");
    await Promise.all([fillUsage(other, tenantId, size.usage), fillRest(client, tenantId, size)]);
    await client.query("set session_replication_role = origin");
    await client.query("vacuum analyze");
  } finally {
    await Promise.all([client.end(), other.end()]);
  }
}

async function fillRest(client: Client, tenantId: string, { orders, movements }: DashboardSize): Promise<void> {
  const share = orders / FULL_SIZE.orders;
  const scaled = (rows: number) => Math.max(1, Math.round(rows * share));
  await fillOrders(client, tenantId, orders);
  await fillMovements(client, tenantId, movements, orders);
  const aged = (count: number) => `to_jsonb(now() - ${DAYS} * interval '1 day' * (1 - i::float / ${count}))`;
  const own = `tenant_id = '${tenantId}'`;
  const runs = scaled(RUNS);
  await multiply(client, "workflow_run", own, runs, {
    id: "to_jsonb('run_' || lpad(i::text, 26, '0'))",
    idempotency_key: "'null'",
    state: `case when i % 10 = 0 then '"failed"' else '"completed"' end`,
    created_at: aged(runs),
    updated_at: aged(runs),
    ended_at: aged(runs),
  });
  const trips = scaled(TRIPS);
  await multiply(client, "trip", own, trips, {
    trip_id: "to_jsonb('0x' || lpad(to_hex(i), 64, '0'))",
    mail: `'"none"'`,
    expires_at: "to_jsonb(now() + interval '20 days')",
    created_at: aged(trips),
    updated_at: aged(trips),
  });
  const events = scaled(EVENTS);
  await multiply(client, "tenant_event", own, events, {
    id: "to_jsonb('evt_' || md5(i::text))",
    position: "to_jsonb(-i::bigint - 1)",
    transaction_number: "'1'",
    key: "'null'",
    at: aged(events),
  });
  const approvals = scaled(APPROVALS);
  await multiply(client, "approval", own, approvals, {
    id: "to_jsonb('apr_' || lpad(i::text, 26, '0'))",
    state: `case when i % 3 = 0 then '"rejected"' else '"approved"' end`,
    link_hash: "'null'",
    created_at: aged(approvals),
  });
  await multiply(client, "failed_call", own, 999, {
    id: "to_jsonb('fail_' || lpad(i::text, 26, '0'))",
    created_at: aged(999),
  });
}

/** Copies the first row of the table that fits, each time with other values; `i` counts from 0. Without such a row, nothing happens. */
async function multiply(
  client: Client,
  table: string,
  condition: string,
  count: number,
  change: Readonly<Record<string, string>>,
  only = "true",
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_name = $1",
    [table],
  );
  const known = new Set(rows.map(({ name }) => name));
  const pairs = Object.entries(change)
    .filter(([column]) => known.has(column))
    .map(([column, value]) => `'${column}', (${value})::jsonb`);
  const made = await client.query(
    `insert into ${table} overriding system value
     select made.* from (select model from ${table} as model where ${condition} limit 1) as found,
       generate_series(0, ${count - 1}) i,
       lateral jsonb_populate_record(found.model, jsonb_build_object(${pairs.join(", ")})) as made
     where ${only}`,
  );
  if (made.rowCount === 0) throw new Error(`${table} has no row to begin with.`);
}

/** Calls of every hour of a quarter, by several keys and people. */
async function fillUsage(client: Client, tenantId: string, count: number): Promise<void> {
  // Built again afterwards, at once, which is faster. The records have no triggers.
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'usage_record' and indexname in ('usage_record_of_tenant', 'usage_record_of_tool')`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const now = Date.now();
  const perHour = Math.max(1, Math.round(count / (DAYS * 24)));
  for (let day = DAYS; day > 0; day -= 1) {
    const hours = Array.from(
      { length: 24 },
      (_, hour) => now - day * 24 * HOUR_MILLISECONDS + hour * HOUR_MILLISECONDS,
    );
    await client.query(
      `insert into usage_record (id, tenant_id, network, key_id, subject, tool, surface, list_price_micro, discount_percent,
         price_micro, status, trace_id, latency_ms, created_at)
       select hour.prefix || lpad(i::text, 16, '0'), $1, 'sandbox', 'key_' || lpad((i % ${KEYS})::text, 26, '0'),
         case when i % 3 = 0 then 'user_' || (i * 31 % ${PEOPLE}) else 'svc:key_' || lpad((i % ${KEYS})::text, 26, '0') end,
         ($4::text[])[1 + (i * 7 + i / 11) % array_length($4::text[], 1)], 'dispatch', 2000, 0, 2000, 'sandbox', md5(i::text), 12,
         hour.begins + interval '1 hour' * i / $5::int
       from unnest($2::text[], $3::timestamptz[]) as hour (prefix, begins), generate_series(0, $5::int - 1) i`,
      [
        tenantId,
        hours.map((at) => earliestId("use_", at).slice(0, 14)),
        hours.map((at) => new Date(at).toISOString()),
        TOOLS,
        perHour,
      ],
    );
  }
  for (const { definition } of indexes) await client.query(definition.replace(" ON ONLY ", " ON "));
}

async function fillOrders(client: Client, tenantId: string, count: number): Promise<void> {
  const at = `to_jsonb(now() - ${DAYS} * interval '1 day' * (1 - i::float / ${count}))`;
  const order = "to_jsonb('ord_' || lpad(i::text, 22, '0'))";
  await multiply(client, "booking", `tenant_id = '${tenantId}' and state = 'booked'`, count, {
    id: "to_jsonb('bkg_' || lpad(i::text, 26, '0'))",
    call_id: "to_jsonb('call_' || lpad(i::text, 26, '0'))",
    offer_id: "to_jsonb('off_' || lpad(i::text, 22, '0'))",
    order_id: order,
    pnr: "to_jsonb(upper(substr(md5(i::text), 1, 6)))",
    itinerary_hash: "to_jsonb('0x' || lpad(to_hex(i), 64, '0'))",
    escrow_booking_id: "'null'",
    order_check_at: "'null'",
    order_status: `case when i % 20 = 0 then '"cancelled"' else '"confirmed"' end`,
    created_at: at,
    updated_at: at,
    booked_at: at,
  });
  await client.query(
    `insert into order_event (network, order_id, kind, key, source, details, at)
     select network, order_id, 'ticketed', 'bench', 'webhook', '{"documents":["000-3985256826"]}', created_at from booking
     where tenant_id = $1 and state = 'booked' on conflict do nothing`,
    [tenantId],
  );
}

/** Money that came in was sent by others. */
const IS_OUT = "i % 10 >= 4";

const CHAIN = "sandbox:eip155:5042002:USDC";

/**
 * Four of ten movements come in, one pays an order and five are transfers to addresses; what goes out has a second posting when the
 * chain has confirmed it.
 */
async function fillMovements(client: Client, tenantId: string, count: number, orders: number): Promise<void> {
  const at = `now() - ${DAYS} * interval '1 day' * (1 - i::float / ${count})`;
  const hash = "'0xf' || lpad(to_hex(i), 63, '0')";
  await multiply(
    client,
    "chain_transaction",
    `tenant_id = '${tenantId}' and purpose = 'send_tokens'`,
    count,
    {
      id: "to_jsonb('ctx_' || lpad(i::text, 26, '0'))",
      idempotency_key: `to_jsonb(case when i % 10 = 4 and i / 10 < ${orders} then 'capture:booking:bkg_' || lpad((i / 10)::text, 26, '0')
      else 'send_tokens:call_' || lpad(i::text, 26, '0') end)`,
      purpose: `case when i % 10 = 4 then '"capture"' else '"send_tokens"' end`,
      call_id: "to_jsonb('call_' || lpad(i::text, 26, '0'))",
      request_key: "'null'",
      signer_id: "'null'",
      nonce: "'null'",
      hash: `to_jsonb(${hash})`,
      block_number: "to_jsonb(-1 - i)",
      created_at: `to_jsonb(${at})`,
      updated_at: `to_jsonb(${at})`,
    },
    IS_OUT,
  );
  const [{ first } = { first: "1" }] = (
    await client.query<{ first: string }>("select max(id) + 1 as first from ledger_transaction")
  ).rows;
  await client.query(
    `insert into ledger_transaction (id, reference, kind, created_at, transaction_hash, log_index, block_number, from_address)
     overriding system value
     select $2::bigint + i::bigint * 2 + posting.step,
       case when i % 10 < 4 or posting.step = 1 then 'movement:bench:' || ${hash} || ':1'
         when i % 10 = 4 then 'settle:booking:bkg_' || lpad((i / 10)::text, 26, '0') else 'send:ctx_' || lpad(i::text, 26, '0') end,
       case when i % 10 < 4 or posting.step = 1 then 'movement' when i % 10 = 4 then 'capture' else 'send' end,
       ${at} + interval '1 millisecond' * posting.step,
       case when i % 10 < 4 or posting.step = 1 then ${hash} end, case when i % 10 < 4 or posting.step = 1 then 1 end,
       case when i % 10 < 4 or posting.step = 1 then -1 - i end,
       case when i % 10 < 4 then '0x7777777777777777777777777777777777777777' end
     from generate_series(0, $1::int - 1) i, (values (0), (1)) as posting (step)
     where i % 10 >= 4 or posting.step = 0`,
    [count, first],
  );
  // Four of ten bring what six take away.
  await client.query(
    `insert into ledger_entry (transaction_id, account_id, amount_micro)
     select $2::bigint + i::bigint * 2 + side.step, side.account, side.amount
     from generate_series(0, $1::int - 1) i, (values
       ('in', 0, '${CHAIN}:prefunded:' || $3, 1500000), ('in', 0, '${CHAIN}:external', -1500000),
       ('out', 0, '${CHAIN}:outgoing:' || $3, 1000000), ('out', 0, '${CHAIN}:prefunded:' || $3, -1000000),
       ('out', 1, '${CHAIN}:outgoing:' || $3, -1000000), ('out', 1, '${CHAIN}:external', 1000000)
     ) as side (way, step, account, amount)
     where side.way = case when i % 10 < 4 then 'in' else 'out' end`,
    [count, first, tenantId],
  );
  await client.query(
    "select setval(pg_get_serial_sequence('ledger_transaction', 'id'), (select max(id) from ledger_transaction))",
  );
}
