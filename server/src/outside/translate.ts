import { CHAIN_AWAY, chainAway, databaseAway, Failure } from "../domain/errors.ts";
import { isDatabaseAway } from "../platform/database/transient.ts";

/** What a part threw, as a failure that callers can be told of. */
export function translate(error: unknown): unknown {
  if (error instanceof Failure) return error.code === CHAIN_AWAY ? chainAway(error) : error;
  return isDatabaseAway(error) ? databaseAway(error) : error;
}
