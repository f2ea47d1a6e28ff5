import { parseArgs } from "node:util";
import pg from "pg";
import { schema } from "../server/src/contributions.ts";
import { ledgerImbalance } from "../server/src/modules/ledger/store.ts";
import { openDatabase } from "../server/src/platform/database/database.ts";
import { migrateToLatest } from "../server/src/platform/database/migrate.ts";
import { startTestPostgres } from "../server/test/support/test-postgres.ts";
import { FULL_SIZE, fill, findGrowing, measureStatements, sizesOfMillion } from "./support/growth.ts";

/** Fills a database as years would, and checks that no statement reads more for it. Exit code 0: none does. */
const { values } = parseArgs({ options: { size: { type: "string", default: "1" } } });
const share = Number(values.size);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const size = {
  usage: Math.round(FULL_SIZE.usage * share),
  calls: Math.round(FULL_SIZE.calls * share),
  transactions: Math.round(FULL_SIZE.transactions * share),
};

const postgres = await startTestPostgres({ fsync: false });
const database = openDatabase(postgres.adminUrl, { poolSize: 1, onError: () => undefined });
const watcher = new pg.Client({ connectionString: postgres.adminUrl });
try {
  await migrateToLatest(postgres.adminUrl, database, schema);
  await watcher.connect();
  const begun = performance.now();
  await fill(watcher, size);
  const { rows } = await watcher.query<{ size: string }>(
    "select pg_size_pretty(pg_database_size(current_database())) as size",
  );
  say(`Filled in ${Math.round((performance.now() - begun) / 1_000)} s: ${JSON.stringify(size)}, ${rows[0]?.size}.`);
  for (const { name, megabytes } of await sizesOfMillion(watcher)) {
    say(`${name.padEnd(26)} ${megabytes.padStart(8)} MB a million rows, with indexes`);
  }
  const measured = await measureStatements(database, watcher);
  for (const { name, milliseconds, rowsRead, sequentialScans } of measured) {
    say(
      `${name.padEnd(26)} ${milliseconds.toFixed(1).padStart(8)} ms ${String(rowsRead).padStart(9)} rows ${sequentialScans} scans`,
    );
  }
  const summed = performance.now();
  await ledgerImbalance(database.db);
  say(`The job behind /metrics sums the ledger in ${(performance.now() - summed).toFixed(0)} ms, once a minute.`);
  const growing = findGrowing(measured);
  say(growing.length === 0 ? "No statement grows." : `These grow: ${growing.map(({ name }) => name).join(", ")}.`);
  process.exitCode = growing.length === 0 ? 0 : 1;
} finally {
  await watcher.end();
  await database.close();
  await postgres.stop();
}
