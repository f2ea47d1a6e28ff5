import { randomBytes } from "node:crypto";
import { withClient } from "../../src/embedded/postgres/databases.ts";

export interface TestDatabase {
  url: string;
  /** Also ends the connections that are still open. */
  drop(): Promise<void>;
}

/** The administrative URL of the run's PostgreSQL (see global-setup.ts). */
export const adminUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error("TEST_DATABASE_URL is unset: run tests through vitest with the repository's configuration");
  return url;
};

const CREATE_TIMEOUT_MILLISECONDS = 60_000;

/** The run's migrated database (see global-setup.ts), which nobody works in: databases are copied from it. */
const migratedTemplate = (): string => {
  const name = process.env.TEST_DATABASE_TEMPLATE;
  if (!name)
    throw new Error("TEST_DATABASE_TEMPLATE is unset: run tests through vitest with the repository's configuration");
  return name;
};

const createDatabase = async (template: string): Promise<TestDatabase> => {
  const admin = adminUrl();
  const name = `test_${randomBytes(8).toString("hex")}`;
  // Copied as files: a third of the work of PostgreSQL's default, which writes every page to its log too.
  const statement = `create database ${name} template ${template} strategy file_copy`;
  await withClient(admin, (client) => client.query(statement), CREATE_TIMEOUT_MILLISECONDS);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await withClient(
        admin,
        (client) => client.query(`drop database if exists ${name} with (force)`),
        CREATE_TIMEOUT_MILLISECONDS,
      );
    },
  };
};

/** A fresh, empty database with a random name. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase("template1");

/** One that has every migration of the service. */
export const createMigratedDatabase = (): Promise<TestDatabase> => createDatabase(migratedTemplate());
