import pg from "pg";
import { chargeColumns, keyColumns, type SpendTotal, sumByPeriod, totalColumns } from "./call-columns.ts";
import type { Calls, ChargeLine } from "./calls.ts";
import { CHARGE, CHARGE_PLAIN, RESERVE, RESERVE_PLAIN } from "./store-calls-sql.ts";

const UNIQUE_VIOLATION = "23505";

const ROOM = {
  name: "room",
  text: `select tenant.monthly_cap_micro - coalesce(spend.spent_micro, 0) as room
    from tenant left join tenant_spend spend
      on spend.tenant_id = tenant.id and spend.network = $2 and spend.period = $3
    where tenant.id = $1`,
};

const grants = {
  charge: { plain: { name: "charge-plain", text: CHARGE_PLAIN }, full: { name: "charge", text: CHARGE } },
  reserve: { plain: { name: "reserve-plain", text: RESERVE_PLAIN }, full: { name: "reserve", text: RESERVE } },
} as const;

/** Charges or reserves what fits under the tenants' caps. */
export function createGrants(pool: pg.Pool): Pick<Calls, "charge" | "reserve" | "room"> {
  /** Spend rows known to exist; a statement needs one per tenant, environment and month. */
  const knownSpendRows = new Set<string>();

  async function ensureSpendRows(totals: readonly SpendTotal[]): Promise<void> {
    const missing = totals.filter((total) => !knownSpendRows.has(total.row));
    if (missing.length === 0) return;
    await pool.query(
      `insert into tenant_spend (tenant_id, network, period)
       select tenant_id, network, period
       from unnest($1::text[], $2::text[], $3::text[]) as line (tenant_id, network, period)
       order by tenant_id, network, period on conflict do nothing`,
      [
        missing.map((line) => line.tenantId),
        missing.map((line) => line.environment),
        missing.map((line) => line.period),
      ],
    );
    if (knownSpendRows.size > 50_000) knownSpendRows.clear();
    for (const { row } of missing) knownSpendRows.add(row);
  }

  async function grant(
    name: "charge" | "reserve",
    lines: readonly ChargeLine[],
    processId: string,
  ): Promise<boolean[]> {
    const totals = sumByPeriod(lines);
    await ensureSpendRows(totals);
    const columns = chargeColumns(lines);
    const { plain, full } = grants[name];
    if (lines.every((line) => line.callId === null)) {
      const values = [...columns, ...totalColumns(totals), ...(name === "reserve" ? [processId] : [])];
      const answer = await unlessPresent(pool.query({ ...plain, values }));
      if (answer?.rowCount === lines.length) return lines.map(() => true);
    }
    const values = [...columns, ...keyColumns(lines), processId];
    // Refused, keyed, or repeated after a lost connection: the full statement decides. A first attempt may still be running,
    // and is then found by the second look.
    const send = () => pool.query<{ id: string }>({ ...full, values });
    const { rows } = (await unlessPresent(send())) ?? (await send());
    const granted = new Set(rows.map((row) => row.id));
    return lines.map((line) => granted.has(line.id));
  }

  return {
    charge: (lines, processId) => grant("charge", lines, processId),
    reserve: (lines, processId) => grant("reserve", lines, processId),
    async room({ tenantId, environment, period }) {
      const { rows } = await pool.query<{ room: bigint }>({ ...ROOM, values: [tenantId, environment, period] });
      return rows[0]?.room ?? 0n;
    },
  };
}

/** Undefined if a row of the batch already exists. */
async function unlessPresent<Result>(sending: Promise<Result>): Promise<Result | undefined> {
  try {
    return await sending;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}
