import { type RawBuilder, sql } from "kysely";
import type { WorkCondition, WorkTable } from "../../kernel/contracts/work-table.ts";
import type { Queryable } from "../../platform/database/database.ts";

/** The unfinished work of one kind. */
export interface OpenWork {
  kind: string;
  count: number;
  /** Since when the oldest has waited. Undefined if there is none. */
  oldestSince: Temporal.Instant | undefined;
  /** How many have waited since before the given moment. */
  stuck: number;
}

/** Includes kinds without work. */
export async function readOpenWork(
  db: Queryable,
  tables: readonly WorkTable[],
  stuckBefore: Temporal.Instant,
): Promise<readonly OpenWork[]> {
  const { rows } = await sql<{ place: number; kind: string; open: bigint; oldest: Temporal.Instant; stuck: bigint }>`
    ${sql.join(
      tables.map((table, place) => countOpen(table, place, stuckBefore)),
      sql` union all `,
    )}`.execute(db);
  return tables.flatMap(({ kind }, place) => {
    const names = typeof kind === "string" ? { [kind]: kind } : kind.names;
    return Object.entries(names).map(([value, name]) => {
      const row = rows.find((one) => one.place === place && one.kind === value);
      if (row === undefined) return { kind: name, count: 0, oldestSince: undefined, stuck: 0 };
      return { kind: name, count: Number(row.open), oldestSince: row.oldest, stuck: Number(row.stuck) };
    });
  });
}

function countOpen({ table, kind, since, open }: WorkTable, place: number, stuckBefore: Temporal.Instant) {
  const kindSql = typeof kind === "string" ? sql.lit(kind) : sql.ref(kind.column);
  return sql`
    select ${sql.lit(place)} as place, ${kindSql} as kind, count(*) as open, min(${sql.ref(since)}) as oldest,
      count(*) filter (where ${sql.ref(since)} < ${stuckBefore.toString()}::timestamptz) as stuck
    from ${sql.table(table)} where ${sql.join(open.map(toSql), sql` and `)} group by 2`;
}

function toSql(condition: WorkCondition): RawBuilder<unknown> {
  const column = sql.ref(condition.column);
  const literalList = (values: readonly string[]) => sql.join(values.map((value) => sql.lit(value)));
  if ("isNull" in condition) return sql`${column} is null`;
  return "in" in condition
    ? sql`${column} in (${literalList(condition.in)})`
    : sql`${column} not in (${literalList(condition.notIn)})`;
}
