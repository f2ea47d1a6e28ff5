import { CHAIN_AWAY, chainAway, databaseAway, Failure } from "../domain/errors.ts";
import { isDatabaseAway } from "../platform/database/transient.ts";

/** Translates a thrown error into a failure for callers. */
export function translate(error: unknown): unknown {
  if (error instanceof Failure) return error.code === CHAIN_AWAY ? chainAway(error) : error;
  return isDatabaseAway(error) ? databaseAway(error) : error;
}
