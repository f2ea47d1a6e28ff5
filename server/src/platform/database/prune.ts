import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "./database.ts";

const ROWS_OF_A_PIECE = 2_000;
/** The rest is left to the next run, as a stop waits for the current one. */
const LONGEST_MILLISECONDS = 3_000;

/**
 * Removes rows in batches: one statement over a busy day's rows would hold their locks and its snapshot for minutes.
 * `removeSome` removes at most `limit` rows and returns how many it found.
 */
export async function pruneInPieces(removeSome: (limit: number) => Promise<number>): Promise<number> {
  const begun = performance.now();
  for (let removed = 0; ; ) {
    const found = await removeSome(ROWS_OF_A_PIECE);
    removed += found;
    if (found < ROWS_OF_A_PIECE || performance.now() - begun > LONGEST_MILLISECONDS) return removed;
  }
}

/** Prunes rows of all tenants. `isOld` must match an index. */
export async function pruneRows(db: Queryable, table: string, isOld: RawBuilder<unknown>): Promise<number> {
  return await pruneInPieces(async (limit) => {
    const name = sql.table(table);
    const { numAffectedRows } = await sql`delete from ${name} where ctid = any (array(
      select ctid from ${name} where ${isOld} limit ${limit} for update skip locked))`.execute(db);
    return Number(numAffectedRows ?? 0n);
  });
}
