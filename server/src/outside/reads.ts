import pg from "pg";
import type { Config } from "../config/config.ts";
import { createStores } from "../contributions.ts";
import { listTooSlow } from "../domain/errors.ts";
import type { StoreParts } from "../kernel/contracts/stores.ts";
import type { Reads } from "../kernel/contracts/whole.ts";
import { NoTurn, Turns } from "../platform/batching/turns.ts";
import { type OpenDatabase, openDatabase } from "../platform/database/database.ts";

/** The server's code for a statement that ran into its time limit. */
const STATEMENT_TIMEOUT = "57014";
/** The pool's message if no connection became free in time. */
const NO_CONNECTION = "timeout exceeded when trying to connect";
const MOST_WAITING_OF_TENANT = 50;

interface ReadsOptions extends Omit<StoreParts, "db"> {
  databaseUrl: string;
  onError: (error: Error) => void;
}

interface OpenedReads extends Pick<OpenDatabase, "close"> {
  reads: Reads;
}

/** Connections reserved for lists; a tenant uses at most half of them. */
export function openReads(
  config: Pick<Config, "databaseReadPoolSize" | "databaseReadTimeoutMilliseconds">,
  { databaseUrl, onError, clock, vault }: ReadsOptions,
): OpenedReads {
  const { databaseReadPoolSize: poolSize, databaseReadTimeoutMilliseconds: timeoutMilliseconds } = config;
  const { db, close } = openDatabase(databaseUrl, {
    poolSize,
    onError,
    statementTimeoutMilliseconds: timeoutMilliseconds,
    connectionPatienceMilliseconds: timeoutMilliseconds,
  });
  const stores = createStores(db, clock, vault);
  const turns = new Turns({
    atOnce: Math.max(1, Math.floor(poolSize / 2)),
    mostWaiting: MOST_WAITING_OF_TENANT,
    patienceMilliseconds: timeoutMilliseconds,
  });
  const reads: Reads = async (tenantId, read) => {
    try {
      return await turns.take(tenantId, () => read(stores));
    } catch (error) {
      throw isTooSlow(error) ? listTooSlow(timeoutMilliseconds, error) : error;
    }
  };
  return { reads, close };
}

function isTooSlow(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === STATEMENT_TIMEOUT;
  return error instanceof NoTurn || (error instanceof Error && error.message.startsWith(NO_CONNECTION));
}
