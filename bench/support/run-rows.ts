import type { Client } from "pg";

const RUN_COLUMNS = `id, tenant_id, network, workflow_id, version, key_id, input, state, request_hash, trace_id, created_at,
  updated_at, ended_at`;

/** Runs that wait for guests. */
export async function pauseRuns(client: Client, tenantId: string, count: number): Promise<void> {
  await client.query(
    `insert into workflow_run (${RUN_COLUMNS})
     select 'run_' || lpad(i::text, 26, '0'), $1, 'sandbox', 'service.book_flight', 3, 'key', '{}', 'paused', 'x', 'x', now(),
       now(), null from generate_series(1, $2::int) i`,
    [tenantId, count],
  );
  await client.query(
    `insert into workflow_step (run_id, step_id, position, tool, state, attempt, started_at)
     select 'run_' || lpad(i::text, 26, '0'), 'guest_claim', 2, null, 'waiting', 1, now() from generate_series(1, $1::int) i`,
    [count],
  );
  await client.query(
    `insert into workflow_pause (session_id, run_id, step_id, tenant_id, network, reason, decided_by, expects, event, about,
       on_timeout, expires_at, remind_at, created_at)
     select 'ses_' || lpad(i::text, 32, '0'), 'run_' || lpad(i::text, 26, '0'), 'guest_claim', $1, 'sandbox', 'x', 'service',
       '{}', 'trip_claimed', 'trip ' || i, '{"status":"expired"}', now() + interval '72 hours', now() + interval '36 hours', now()
     from generate_series(1, $2::int) i`,
    [tenantId, count],
  );
  await client.query("vacuum analyze");
}

const STEPS_OF_A_RUN = 20;

/** So many steps of runs that ended; their runs' ids. */
export async function fillSteps(client: Client, tenantId: string, steps: number): Promise<readonly string[]> {
  const runs = Math.ceil(steps / STEPS_OF_A_RUN);
  await client.query(
    `insert into workflow_run (${RUN_COLUMNS})
     select 'run_' || lpad((100000 + i)::text, 26, '1'), $1, 'sandbox', 'service.book_flight', 3, 'key', '{}', 'completed', 'x',
       'x', now(), now(), now() from generate_series(1, $2::int) i`,
    [tenantId, runs],
  );
  await client.query(
    `insert into workflow_step (run_id, step_id, position, tool, state, attempt, outcome, meter_id, price_micro, started_at, ended_at)
     select 'run_' || lpad((100000 + i)::text, 26, '1'), 'step_' || n, n, 'search_flights', 'done', 1,
       jsonb_build_object('ok', true, 'result', jsonb_build_object('orderId', 'ord_' || i, 'text', repeat(md5(i::text), 20))),
       'use_x', 2000, now(), now() from generate_series(1, $1::int) i, generate_series(1, ${STEPS_OF_A_RUN}) n`,
    [runs],
  );
  await client.query("vacuum analyze");
  const { rows } = await client.query<{ id: string }>(
    "select id from workflow_run where state = 'completed' order by md5(id)",
  );
  return rows.map(({ id }) => id);
}
