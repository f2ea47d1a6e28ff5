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

const CREATE_TIMEOUT_MS = 60_000;

/** A fresh, empty database with a random name. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const admin = adminUrl();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await withClient(admin, (client) => client.query(`create database ${name}`), CREATE_TIMEOUT_MS);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await withClient(
        admin,
        (client) => client.query(`drop database if exists ${name} with (force)`),
        CREATE_TIMEOUT_MS,
      );
    },
  };
};
