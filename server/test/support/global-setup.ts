import { startTestPostgres } from "./test-postgres.ts";

/**
 * One PostgreSQL for the whole run, in TEST_DATABASE_URL; each test makes its own database in it (test-database.ts).
 * A server named by the caller in that variable is used instead.
 */
export default async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env.TEST_DATABASE_URL) return undefined;
  // No test of this server asks what survives a power cut.
  const postgres = await startTestPostgres({ fsync: false });
  process.env.TEST_DATABASE_URL = postgres.adminUrl;
  // When the run ends without its teardown.
  process.once("exit", postgres.stopAtOnce);
  return async () => {
    process.off("exit", postgres.stopAtOnce);
    delete process.env.TEST_DATABASE_URL;
    await postgres.stop();
  };
};
