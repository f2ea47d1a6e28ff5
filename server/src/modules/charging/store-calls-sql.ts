/**
 * The statements of the hot path. Each takes arrays with an entry per row, so that one prepared statement serves any batch
 * size. Growing tables are looked up by their keys (and sessions discourage sequential scans, see database.ts): a plan cached
 * while a table is new would otherwise scan it for every batch.
 */

const LINE_COLUMNS = `
  id, call_id, tenant_id, key_id, subject, tool, surface, period, list_price, discount, price, status, trace_id,
  idempotency_key, latency, at, network`;

const LINE_VALUES = `
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
  $10::int[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::float8[], $16::timestamptz[], $17::text[]`;

/** The same with the number of lines hidden from the planner, which would otherwise make a new plan for each batch. */
const HIDDEN_LINE_VALUES = LINE_VALUES.replaceAll(/\$\d+::\w+\[\]/g, (values) => `(select ${values})`);

/** Locks the spend rows in a fixed order, so that processes do not deadlock. */
const room = (asked: string): string => `
  room as materialized (
    select spend.tenant_id, spend.network, spend.period, tenant.monthly_cap_micro - spend.spent_micro as room,
      tenant.rules_version
    from tenant_spend spend join tenant on tenant.id = spend.tenant_id
    where (spend.tenant_id, spend.network, spend.period) in (select tenant_id, network, period from ${asked})
    order by spend.tenant_id, spend.network, spend.period
    for update of spend
  )`;

/** Excludes tenants whose rules have changed since the call was judged from the cache. */
const areRulesKept = (asked: string): string =>
  `(${asked}.rules_version is null or ${asked}.rules_version = room.rules_version)`;

/**
 * All lines or none: the usual case, in which the lines go straight from their arrays into their table. `total`: what each
 * tenant spends. The number of lines is hidden from the planner, which would otherwise make a new plan for each batch.
 */
const grantAll = `
  total as materialized (
    select * from unnest((select $18::text[]), (select $19::text[]), (select $20::text[]), (select $21::bigint[]),
      (select $22::int[])) as total (tenant_id, network, period, price, rules_version)
  ),
  ${room("total")},
  verdict as materialized (
    select count(*) = cardinality($18::text[]) as fits from total join room using (tenant_id, network, period)
    where total.price <= room.room and ${areRulesKept("total")}
  ),
  spent as (
    update tenant_spend spend set spent_micro = spend.spent_micro + total.price from total
    where (spend.tenant_id, spend.network, spend.period) = (total.tenant_id, total.network, total.period)
      and (select fits from verdict)
  )`;

const ALL_LINES = `unnest(${LINE_VALUES}) as line (${LINE_COLUMNS}) where (select fits from verdict)`;

/** How long a key keeps its outcome. */
export const KEY_LIFETIME_HOURS = 24;

/** Takes a key that is free, whose outcome is too old, or that the same call holds already. */
export const ON_HELD_KEY = `
  on conflict (tenant_id, network, subject, tool, key) do update set request_hash = excluded.request_hash,
    call_id = excluded.call_id, process_id = excluded.process_id, state = excluded.state, outcome = null,
    usage_id = excluded.usage_id, price_micro = excluded.price_micro, reruns = 0, created_at = excluded.created_at,
    trace_id = excluded.trace_id
  where (idempotency.state = 'done'
      and idempotency.created_at < excluded.created_at - make_interval(hours => ${KEY_LIFETIME_HOURS}))
    or (idempotency.state = 'running' and idempotency.call_id = excluded.call_id)
  returning call_id`;

/**
 * Sums prices in order of arrival, and grants the prefix that fits under the cap. Lines with a request hash take their keys
 * (`$20`: the process) by the same statement.
 */
const granting = (eligible: string, key: { state: string; usageId: string; price: string }): string => `
  fitting as materialized (
    select asked.* from (
      select line.*, room.room,
        sum(line.price) over (partition by line.tenant_id, line.network, line.period order by line.ord) as running
      from line join room using (tenant_id, network, period) where ${areRulesKept("line")} and ${eligible}
    ) asked
    where asked.running <= asked.room
  ),
  taken as (
    insert into idempotency (tenant_id, network, subject, tool, key, request_hash, call_id, process_id, created_at, trace_id,
      state, usage_id, price_micro)
    select distinct on (tenant_id, network, subject, tool, idempotency_key) tenant_id, network, subject, tool,
      idempotency_key, request_hash, call_id, $20, at, trace_id, '${key.state}', ${key.usageId}, ${key.price}
    from fitting where call_id is not null and request_hash is not null
    order by tenant_id, network, subject, tool, idempotency_key, ord
    ${ON_HELD_KEY}
  ),
  granted as materialized (
    select * from fitting where call_id is null or request_hash is null or call_id in (select call_id from taken)
  ),
  spent as (
    update tenant_spend spend set spent_micro = spend.spent_micro + total.price
    from (
      select tenant_id, network, period, sum(price)::bigint as price from granted group by tenant_id, network, period
    ) total
    where (spend.tenant_id, spend.network, spend.period) = (total.tenant_id, total.network, total.period)
  )`;

/**
 * `present` are rows of a batch repeated after a lost answer: they were granted and counted then. A keyed call (`call_id`)
 * takes its key now, or has taken it before; it is refused if another call holds the key, or if it has lost its `claim`: its
 * process was silent, the key was released, and its new holder runs and pays. A charge ends its claim, so a key is charged once.
 */
const grant = (presentTable: string, key: Parameters<typeof granting>[1]): string => `
  line as (
    select * from unnest(${HIDDEN_LINE_VALUES}, (select $18::int[]), (select $19::text[])) with ordinality
      as line (${LINE_COLUMNS}, rules_version, request_hash, ord)
  ),
  claim as materialized (
    select call_id from idempotency where call_id = any ($2::text[]) and state = 'running' order by call_id for update
  ),
  ${room("line")},
  present as (
    select line.id from line cross join lateral (select 1 from ${presentTable} stored where stored.id = line.id limit 1) found
  ),
  ${granting(
    `line.id not in (select id from present) and (line.call_id is null or line.request_hash is not null
      or line.call_id in (select call_id from claim))`,
    key,
  )}`;

const writeRecords = (lines: string): string => `
  insert into usage_record (id, call_id, tenant_id, key_id, subject, tool, surface, list_price_micro, discount_percent,
    price_micro, status, trace_id, idempotency_key, latency_ms, created_at, network)
  select id, call_id, tenant_id, key_id, subject, tool, surface, list_price, discount, price, status, trace_id,
    idempotency_key, latency, at, network from ${lines}`;

const writeCalls = (lines: string, processId: string): string => `
  insert into call (id, tenant_id, key_id, subject, tool, surface, period, list_price_micro, discount_percent, price_micro,
    usage_status, trace_id, idempotency_key, process_id, created_at, network)
  select id, tenant_id, key_id, subject, tool, surface, period, list_price, discount, price, status, trace_id,
    idempotency_key, ${processId}, at, network from ${lines}`;

/** For first attempts of calls without an idempotency key. A duplicate row fails the whole batch. */
export const CHARGE_PLAIN = `with ${grantAll} ${writeRecords(ALL_LINES)}`;

export const CHARGE = `
  with ${grant("usage_record", { state: "done", usageId: "id", price: "price" })},
  finished as (
    update idempotency set state = 'done', usage_id = granted.id, price_micro = granted.price
    from granted where idempotency.call_id = granted.call_id and granted.request_hash is null
  ),
  written as (${writeRecords("granted")} returning id)
  select id from written union all select id from present`;

/** Like `CHARGE_PLAIN`. */
export const RESERVE_PLAIN = `with ${grantAll} ${writeCalls(ALL_LINES, "$23")}`;

export const RESERVE = `
  with ${grant("call", { state: "running", usageId: "null", price: "0" })},
  written as (${writeCalls("granted", "$20")} returning id)
  select id from written union all select id from present`;

/**
 * Captures reserved calls without an idempotency key; others are skipped and missing from the count. Rows are locked first, in
 * the order of their calls, since an update's own order is up to the planner. The number of lines is hidden from it, as above.
 */
export const CAPTURE_PLAIN = `
  with line as materialized (
    select asked.* from (
      select * from unnest((select $1::text[]), (select $2::text[]), (select $3::float8[]), (select $4::timestamptz[]))
        as line (call_id, usage_id, latency, at)
      order by call_id
    ) asked cross join lateral (
      -- Reserved, in words that do not lead the planner to the index of all reserved calls.
      select from call where call.id = asked.call_id and call.settled_at is null for update
    ) found
  ),
  changed as (
    update call set state = 'captured', usage_id = line.usage_id, settled_at = line.at
    from line
    where call.id = line.call_id and call.id = any ((select $1::text[])::text[]) and call.settled_at is null
    returning line.usage_id, call.tenant_id, call.key_id, call.subject, call.tool, call.surface, call.list_price_micro,
      call.discount_percent, call.price_micro, call.usage_status, call.trace_id, call.idempotency_key, call.id, line.latency,
      line.at, call.network
  )
  insert into usage_record (id, tenant_id, key_id, subject, tool, surface, list_price_micro, discount_percent, price_micro,
    status, trace_id, idempotency_key, call_id, latency_ms, created_at, network)
  select * from changed`;

/** Replaces the process of a call that no one waits for any more and whose effect is undecided or not captured. */
export const LEFT_BEHIND = "left-behind";

/**
 * Captures or releases reservations. A failure says nothing about the call's effect (the database may have gone away right
 * after the intent was stored): while that is open or done, the reservation and the key stay, and the sweep settles them by its
 * outcome. With a released key, a repeated call would do the same again. A call that a sweep released while its process was
 * only slow is captured all the same: its effect happened, so its price is added again, unless another call now holds its
 * idempotency key and pays. A settled call and its key are left unchanged.
 */
export const SETTLE = `
  with line as (
    select * from unnest((select $1::text[]), (select $2::text[]), (select $3::float8[]), (select $4::timestamptz[]),
        (select $5::text[]), (select $6::text[]), (select $7::text[]), (select $8::bigint[]))
      as line (call_id, usage_id, latency, at, idempotency, outcome, earlier_usage_id, earlier_price)
  ),
  prior as materialized (
    select found.* from (select call_id from line order by call_id) asked cross join lateral (
      select id, state, tenant_id, network, period, price_micro, usage_id, subject, tool, idempotency_key,
        state = 'reserved' and effect in ('open', 'done') as acted
      from call where call.id = asked.call_id for update
    ) found
  ),
  left_behind as (
    update call set process_id = '${LEFT_BEHIND}'
    from line, prior
    where call.id = line.call_id and prior.id = call.id and call.id = any ($1::text[])
      and line.usage_id is null and prior.acted
  ),
  kept as (
    update idempotency set process_id = '${LEFT_BEHIND}'
    from line join prior on prior.id = line.call_id
    where idempotency.call_id = line.call_id and idempotency.state = 'running' and line.usage_id is null and prior.acted
  ),
  locked as materialized (
    select spend.tenant_id, spend.network, spend.period from tenant_spend spend
    where (spend.tenant_id, spend.network, spend.period) in (select tenant_id, network, period from prior)
    order by spend.tenant_id, spend.network, spend.period for update
  ),
  changed as (
    update call set
      state = case when line.usage_id is null then 'released' else 'captured' end,
      usage_id = line.usage_id,
      settled_at = line.at
    from line, prior
    where call.id = line.call_id and prior.id = call.id and call.id = any ($1::text[])
      and ((line.usage_id is null and prior.state = 'reserved' and not prior.acted)
        or (line.usage_id is not null and (prior.state = 'reserved' or (prior.state = 'released' and not exists (
          select 1 from idempotency other
          where other.tenant_id = prior.tenant_id and other.network = prior.network
            and other.subject = prior.subject and other.tool = prior.tool and other.key = prior.idempotency_key
            and other.call_id <> prior.id)))))
    returning call.*, prior.state as was, line.latency as latency, line.at as at
  ),
  written as (
    insert into usage_record (id, tenant_id, key_id, subject, tool, surface, list_price_micro, discount_percent, price_micro,
      status, trace_id, idempotency_key, call_id, latency_ms, created_at, network)
    select usage_id, tenant_id, key_id, subject, tool, surface, list_price_micro, discount_percent, price_micro,
      usage_status, trace_id, idempotency_key, id, latency, at, network
    from changed where usage_id is not null
  ),
  spent as (
    update tenant_spend spend set spent_micro = spend.spent_micro + total.price
    from (
      select changed.tenant_id, changed.network, changed.period, sum(
        case when usage_id is null then -price_micro when was = 'released' then price_micro else 0 end)::bigint as price
      from changed join locked using (tenant_id, network, period)
      group by changed.tenant_id, changed.network, changed.period
    ) total
    where (spend.tenant_id, spend.network, spend.period) = (total.tenant_id, total.network, total.period)
      and total.price <> 0
  ),
  stored as (
    update idempotency set state = 'done', outcome = line.outcome,
      usage_id = coalesce(line.usage_id, line.earlier_usage_id),
      price_micro = case when line.usage_id is null then line.earlier_price else prior.price_micro end
    from line join prior on prior.id = line.call_id
    where idempotency.call_id = line.call_id and line.idempotency = 'store' and prior.state <> 'captured'
      and (line.usage_id is not null or not prior.acted)
  ),
  forgotten as (
    delete from idempotency using line join prior on prior.id = line.call_id
    where idempotency.call_id = line.call_id and line.idempotency = 'forget' and prior.state <> 'captured'
      and (line.usage_id is not null or not prior.acted)
  )
  select prior.id, case when changed.id is null then prior.usage_id else changed.usage_id end as "usageId"
  from prior left join changed on changed.id = prior.id`;
