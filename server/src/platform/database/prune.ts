import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "./database.ts";

const ROWS_OF_A_PIECE = 2_000;
/** What is left then is for the next run: a stop waits for the one that is under way. */
const LONGEST_MILLISECONDS = 3_000;

/**
 * Removes rows piece by piece: one statement over all that a busy day left would hold their locks and its snapshot for minutes.
 * `removeSome` removes at most so many, and says how many it found.
 */
export async function pruneInPieces(removeSome: (limit: number) => Promise<number>): Promise<number> {
  const begun = performance.now();
  for (let removed = 0; ; ) {
    const found = await removeSome(ROWS_OF_A_PIECE);
    removed += found;
    if (found < ROWS_OF_A_PIECE || performance.now() - begun > LONGEST_MILLISECONDS) return removed;
  }
}

/** Of all tenants. `isOld` is in the words of an index. */
export async function pruneRows(db: Queryable, table: string, isOld: RawBuilder<unknown>): Promise<number> {
  return await pruneInPieces(async (limit) => {
    const name = sql.table(table);
    const { numAffectedRows } = await sql`delete from ${name} where ctid = any (array(
      select ctid from ${name} where ${isOld} limit ${limit} for update skip locked))`.execute(db);
    return Number(numAffectedRows ?? 0n);
  });
}
