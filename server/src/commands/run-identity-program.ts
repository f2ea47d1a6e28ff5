import { resolve } from "node:path";
import type { Identity } from "../ports/identity.ts";
import { type Program, runProgram, UsageError } from "./command-line.ts";
import { type IdentitySettings, withIdentity } from "./open-identity.ts";

const DEFAULT_DATA_DIR = resolve(import.meta.dirname, "../../../.data");

/** The part of the configuration that these commands use. */
function readIdentitySettings(env: NodeJS.ProcessEnv): IdentitySettings {
  const given = (name: string) => (env[name] === "" ? undefined : env[name]);
  const networkMode = given("NETWORK_MODE") ?? "sandbox";
  if (networkMode !== "sandbox" && networkMode !== "production") {
    throw new UsageError("NETWORK_MODE is sandbox or production.");
  }
  return {
    dataDir: resolve(given("DATA_DIR") ?? DEFAULT_DATA_DIR),
    databaseUrl: given("DATABASE_URL"),
    masterKeyFile: given("MASTER_KEY_FILE"),
    networkMode,
  };
}

/** Runs a program over identities as the process that it is: arguments, environment, streams, exit code. */
export async function runIdentityProgram(program: Program<Identity>): Promise<void> {
  // The work takes a moment and closes what it opened; cut off in the middle it would leave a database server running.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  // A reader that has gone, such as `| head`, is no reason to leave anything open either.
  process.stdout.on("error", () => undefined);
  const output = {
    out: (text: string) => void process.stdout.write(text),
    error: (text: string) => void process.stderr.write(text),
  };
  const say = (_fields: object, message: string) => output.error(`${message}\n`);
  const log = { info: () => undefined, warn: say, error: say };
  // Stopping the embedded parts waits on timers that do not keep a process alive.
  const staysAlive = setInterval(() => undefined, 60_000);
  process.exitCode = await runProgram(program, process.argv.slice(2), output, async (work) =>
    withIdentity(readIdentitySettings(process.env), { log, progress: (line) => output.error(`${line}\n`) }, work),
  );
  clearInterval(staysAlive);
}
