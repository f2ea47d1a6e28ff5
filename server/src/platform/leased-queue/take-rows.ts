import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../database/database.ts";

interface RowsToTake {
  table: string;
  key: readonly string[];
  /** Written like the condition of a partial index, if that is to be used. */
  where: RawBuilder<unknown>;
  orderBy: string;
  limit: number;
  /** Assignments that mark the rows as leased. */
  set: RawBuilder<unknown>;
  /** Default: all columns. */
  returning?: readonly string[] | undefined;
}

/**
 * Marks rows as leased and returns them in no particular order. Safe to run concurrently: rows that another statement is
 * leasing are skipped. The selection is materialised, so that the planner cannot run it more than once and exceed the limit.
 */
export async function takeRows<Row>(
  db: Queryable,
  { table, key, where, orderBy, limit, set, returning }: RowsToTake,
): Promise<readonly Row[]> {
  const columnList = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));
  const name = sql.table(table);
  const { rows } = await sql<Row>`
    with taken as materialized (
      select ${columnList(key)} from ${name} where ${where}
      order by ${sql.ref(orderBy)} limit ${limit} for update skip locked
    )
    update ${name} set ${set} where (${columnList(key)}) in (select ${columnList(key)} from taken)
    returning ${returning === undefined ? sql`*` : columnList(returning)}`.execute(db);
  return rows;
}

interface DueRows extends Omit<RowsToTake, "orderBy" | "set"> {
  /** The column with a row's due time. */
  due: string;
  /** Leases rows that are due at this time. */
  at: Temporal.Instant;
  /** When they are due again, unless they are finished or put back by then. */
  until: Temporal.Instant;
  /** Further assignments. */
  set?: RawBuilder<unknown>;
}

/** Leases rows for a time, longest due first. Such a lease has no owner, only an end. */
export async function takeDueRows<Row>(
  db: Queryable,
  { due, at, until, where, set, ...rows }: DueRows,
): Promise<readonly Row[]> {
  const column = sql.ref(due);
  const leased = sql`${column} = ${until.toString()}::timestamptz`;
  return await takeRows<Row>(db, {
    ...rows,
    where: sql`${column} <= ${at.toString()}::timestamptz and ${where}`,
    orderBy: due,
    set: set === undefined ? leased : sql`${leased}, ${set}`,
  });
}
