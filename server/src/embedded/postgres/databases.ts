import pg from "pg";
import { errorCode } from "../../platform/files/error-code.ts";
import { EmbeddedError, errorText } from "../embedded-error.ts";

const CONNECT_TIMEOUT_MILLISECONDS = 10_000;
/** For a responsive server: creating a database copies one on disk. */
const QUERY_TIMEOUT_MILLISECONDS = 60_000;

/** Runs `work` with a new connection and always closes it. */
export const withClient = async <Result>(
  connectionString: string,
  use: (client: pg.Client) => Promise<Result>,
  timeoutMilliseconds?: number,
): Promise<Result> => {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: timeoutMilliseconds ?? CONNECT_TIMEOUT_MILLISECONDS,
    query_timeout: timeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS,
  });
  // A connection that breaks while idle reports here; the pending query rejects by itself.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const firstText = async (client: pg.Client, sql: string): Promise<string | undefined> => {
  const { rows } = await client.query<{ value: string }>(sql);
  return rows[0]?.value;
};

export const askDataFolder = (connectionString: string, timeoutMilliseconds: number): Promise<string | undefined> =>
  withClient(
    connectionString,
    (client) => firstText(client, "select current_setting('data_directory') as value"),
    timeoutMilliseconds,
  );

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const DUPLICATE_DATABASE = "42P04";
const UNIQUE_VIOLATION = "23505";

const createDatabase = async (client: pg.Client, name: string): Promise<void> => {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
  if (rowCount) return;
  try {
    await client.query(`create database ${quote(name)}`);
  } catch (error) {
    // Another process created it at the same moment.
    if (errorCode(error) === DUPLICATE_DATABASE || errorCode(error) === UNIQUE_VIOLATION) return;
    throw error;
  }
};

/** Creates missing databases on the server of the given (administrative) URL. */
export const ensureDatabases = (adminUrl: string, names: readonly string[]): Promise<void> =>
  withClient(adminUrl, async (client) => {
    for (const name of names) await createDatabase(client, name);
  });

const describeHost = (connectionString: string): string => {
  try {
    return new URL(connectionString).host || "its socket";
  } catch {
    return "its host";
  }
};

/** By PostgreSQL and system error codes. */
const remedies: Readonly<Record<string, string>> = {
  "28P01": "the password is wrong; correct it in DATABASE_URL.",
  "28000": "this user may not connect from here; correct the user in DATABASE_URL, or allow it in pg_hba.conf.",
  "3D000": "there is no such database; create it, or correct its name in DATABASE_URL.",
  "42501": "this user may not use it; grant it access to the database, or set another user in DATABASE_URL.",
  "53300": "it has no free connection; raise its max_connections, or close other connections.",
  "57P03": "it is starting or stopping; start again in a moment.",
  ECONNREFUSED: "nothing listens there; start it, or correct host and port in DATABASE_URL.",
  ECONNRESET: "it ended the connection; check its log, and whether it requires TLS (sslmode=require in DATABASE_URL).",
  ENOTFOUND: "no host has this name; correct it in DATABASE_URL.",
  EAI_AGAIN: "the host's name cannot be looked up now; check the name server, or use an IP address in DATABASE_URL.",
  ENOENT: "it has no socket there; start it, or correct the host in DATABASE_URL.",
  EACCES: "this user may not open its socket; start as a user who may, or set a host and port in DATABASE_URL.",
  ETIMEDOUT: "it is not answering; check firewall, host and port.",
  EHOSTUNREACH: "its network cannot be reached; check network, host and port.",
  ENETUNREACH: "its network cannot be reached; check network, host and port.",
};

const whatToDo = (code: string | undefined): string =>
  remedies[code ?? ""] ?? "start it, or correct the address, user, password or database.";

/** Throws with a one-line reason, without the password, if the operator's server cannot be used. */
export const checkReachable = async (connectionString: string): Promise<void> => {
  try {
    await withClient(connectionString, (client) => client.query("select 1"));
  } catch (error) {
    throw new EmbeddedError(
      `DATABASE_URL names a server at ${describeHost(connectionString)} that cannot be used (${errorCode(error) ?? errorText(error)}): ${whatToDo(errorCode(error))}`,
    );
  }
};

const LONGEST_NAME_BYTES = 63;

/** The URL of the supplier sandbox's database on the server of a service's database: `<name>_sandbox`, created if missing. */
export const ensureSandboxDatabase = async (serviceUrl: string): Promise<string> => {
  const name = await withClient(serviceUrl, async (client) => {
    const current = await firstText(client, "select current_database() as value");
    const sandbox = `${(current ?? "wayfare").slice(0, LONGEST_NAME_BYTES - "_sandbox".length)}_sandbox`;
    try {
      await createDatabase(client, sandbox);
    } catch (error) {
      throw new EmbeddedError(
        `The database server refused to create the supplier sandbox's database (${errorText(error)}): have an administrator run CREATE DATABASE ${quote(sandbox)} OWNER of the same user, then start again.`,
      );
    }
    return sandbox;
  });
  if (!URL.canParse(serviceUrl)) {
    throw new EmbeddedError("Write DATABASE_URL as postgres://user:password@host:port/database.");
  }
  const url = new URL(serviceUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
};
