import pg from "pg";

/**
 * SQLSTATE classes and codes after which the same statement can succeed: connection lost, server stopping, statement time-out
 * (waiting for a lock or a disk), serialisation, deadlock.
 */
const TRANSIENT_STATES = /^(08|57P|57014|53|40001|40P01|25006)/;
const TRANSIENT_SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** True if the database was away or asks for a retry; false if the statement itself is at fault. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return TRANSIENT_STATES.test(error.code ?? "");
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && TRANSIENT_SYSTEM_CODES.has(error.code)) return true;
  return (
    error.message.startsWith("Connection terminated") ||
    error.message.startsWith("timeout exceeded when trying to connect") ||
    error.message === "Client has encountered a connection error and is not queryable"
  );
}
