import { type Expression, ExpressionWrapper, type OperationNodeSource, type RawBuilder, sql } from "kysely";
import type { Queryable } from "./database.ts";

/** A statement that changes rows and returns something, whose answer nobody reads. It begins with no `with` of its own. */
export type Write = Expression<unknown>;

export function toWrite(statement: OperationNodeSource): Write {
  return new ExpressionWrapper(statement.toOperationNode());
}

/**
 * Sends writes as one statement, in their order. None sees the changes of another, so that no two of them may change the
 * same row. `last` are further parts of its `with` clause, which run after them.
 */
export async function writeTogether(
  db: Queryable,
  writes: readonly Write[],
  last?: RawBuilder<unknown>,
): Promise<void> {
  if (writes.length === 0 && last === undefined) return;
  const parts = writes.map((write, index) => sql`${sql.raw(`written_${index}`)} as (${write})`);
  // PostgreSQL runs a write when its answer is asked for.
  const counts = writes.map((_, index) => sql.raw(`(select count(*) from written_${index})`));
  const all = last === undefined ? parts : [...parts, last];
  await sql`with ${sql.join(all)} select ${sql.join(counts)}`.execute(db);
}
