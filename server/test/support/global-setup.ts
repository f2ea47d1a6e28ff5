import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schema } from "../../src/contributions.ts";
import { buildDashboard } from "../../src/outside/dashboard/dashboard-bundle.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrateToLatest } from "../../src/platform/database/migrate.ts";
import { LOADED_MOST, makeCompileCache } from "./compile-cache.ts";
import { bundlePath, REPOSITORY } from "./programs.ts";
import { createTestDatabase } from "./test-database.ts";
import { startTestPostgres } from "./test-postgres.ts";

/**
 * One PostgreSQL for the whole run, in TEST_DATABASE_URL; each test makes its own database in it (test-database.ts).
 * A server named by the caller in that variable is used instead.
 */
async function setUpPostgres(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) return undefined;
  // No test of this server asks what survives a power cut.
  const postgres = await startTestPostgres({ fsync: false, inMemory: true });
  process.env.TEST_DATABASE_URL = postgres.adminUrl;
  // When the run ends without its teardown.
  process.once("exit", postgres.stopAtOnce);
  return async () => {
    process.off("exit", postgres.stopAtOnce);
    delete process.env.TEST_DATABASE_URL;
    await postgres.stop();
  };
}

/** In TEST_DATABASE_TEMPLATE: the name of a migrated database, to copy. Migrating one costs far more than copying it. */
async function setUpTemplate(): Promise<() => Promise<void>> {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { poolSize: 1, onError: () => undefined });
  await migrateToLatest(url, database, schema);
  await database.close();
  process.env.TEST_DATABASE_TEMPLATE = new URL(url).pathname.slice(1);
  return async () => {
    delete process.env.TEST_DATABASE_TEMPLATE;
    await drop();
  };
}

/**
 * In TEST_PROGRAMS_FOLDER: what tests start as processes of their own, bundled (programs.ts). Only where the whole suite runs, which
 * says so in TEST_WHOLE_SUITE: a single file is done sooner with the programs as they stand.
 */
async function setUpPrograms(): Promise<() => void> {
  if (process.env.TEST_WHOLE_SUITE === undefined) return () => undefined;
  const { bundlePrograms } = await import("./bundle-programs.ts");
  const { folder, remove } = await bundlePrograms();
  process.env.TEST_PROGRAMS_FOLDER = folder;
  process.once("exit", remove);
  return () => {
    process.off("exit", remove);
    delete process.env.TEST_PROGRAMS_FOLDER;
    remove();
  };
}

/** In NODE_COMPILE_CACHE, which Node reads in every process; a folder named by the caller is used instead. */
function setUpCompileCache(): (() => void) | undefined {
  if (process.env.NODE_COMPILE_CACHE) return undefined;
  const bundles = process.env.TEST_PROGRAMS_FOLDER;
  const asTheyStand = LOADED_MOST.map((path) => join(REPOSITORY, path));
  const [service = ""] = asTheyStand;
  // The workers load the service as it stands in any case.
  const cache = makeCompileCache(
    bundles === undefined ? asTheyStand : [service, ...LOADED_MOST.map((path) => bundlePath(bundles, path))],
  );
  process.env.NODE_COMPILE_CACHE = cache.folder;
  process.once("exit", cache.remove);
  return () => {
    process.off("exit", cache.remove);
    delete process.env.NODE_COMPILE_CACHE;
    cache.remove();
  };
}

/** In TEST_BROWSER_FOLDER, into which the first test that needs a browser unpacks it (browser.ts). */
function setUpBrowserFolder(): () => void {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-test-browser-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  process.env.TEST_BROWSER_FOLDER = folder;
  process.once("exit", remove);
  return () => {
    process.off("exit", remove);
    delete process.env.TEST_BROWSER_FOLDER;
    remove();
  };
}

export default async (): Promise<() => Promise<void>> => {
  // Once for the run: each product that a test starts would build it in its own DATA_DIR.
  await buildDashboard();
  const removePrograms = await setUpPrograms();
  const removeCompileCache = setUpCompileCache();
  const removeBrowser = setUpBrowserFolder();
  const stopPostgres = await setUpPostgres();
  const dropTemplate = await setUpTemplate();
  return async () => {
    await dropTemplate();
    await stopPostgres?.();
    removeBrowser();
    removeCompileCache?.();
    removePrograms();
  };
};
