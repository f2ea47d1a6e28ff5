import { join } from "node:path";
import type { Log } from "../../ports/log.ts";
import type { Part } from "../part.ts";
import { databaseUrl, readAccess, SERVICE_DATABASE } from "./access.ts";
import { ensureDatabases } from "./databases.ts";
import { closeServer, openServer } from "./server.ts";

const postgresFolder = (dataDir: string): string => join(dataDir, "postgres");

/** Undefined before the first start. Contains the password. */
export const embeddedDatabaseUrl = (dataDir: string): string | undefined => {
  const access = readAccess(postgresFolder(dataDir));
  return access && databaseUrl(access, SERVICE_DATABASE);
};

/** The embedded PostgreSQL with the service's database. */
export const postgresPart = (dataDir: string, log: Log, progress: (line: string) => void): Part<"postgres"> => {
  const folder = postgresFolder(dataDir);
  const logPath = join(dataDir, "logs", "postgres.log");
  return {
    name: "postgres",
    logPath,
    async open({ mayMovePort, started, signal }) {
      const running = await openServer({ folder, logPath, log, fsync: true, mayMovePort, progress, started, signal });
      const access = readAccess(folder);
      if (access) await ensureDatabases(databaseUrl(access, "postgres"), [SERVICE_DATABASE]);
      return running;
    },
    close: closeServer,
  };
};
