import { type Expression, ExpressionWrapper, type OperationNodeSource, sql } from "kysely";
import type { Queryable } from "./database.ts";

/** A statement that changes rows and returns something, whose answer nobody reads. It begins with no `with` of its own. */
export type Write = Expression<unknown>;

export function toWrite(statement: OperationNodeSource): Write {
  return new ExpressionWrapper(statement.toOperationNode());
}

/**
 * Sends writes as one statement, in their order. None sees the changes of another, so that no two of them may change the
 * same row.
 */
export async function writeTogether(db: Queryable, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return;
  const parts = writes.map((write, index) => sql`${sql.raw(`written_${index}`)} as (${write})`);
  // PostgreSQL runs a write when its answer is asked for.
  const counts = writes.map((_, index) => sql.raw(`(select count(*) from written_${index})`));
  await sql`with ${sql.join(parts)} select ${sql.join(counts)}`.execute(db);
}
