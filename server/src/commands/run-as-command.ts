import { type Program, type Report, runProgram } from "./command-line.ts";
import type { CommandOptions } from "./open-database.ts";

/** Runs a program as this process: arguments, streams, exit code. */
export async function runAsCommand<Context>(
  program: Program<Context>,
  withContext: (options: CommandOptions, work: (context: Context) => Promise<Report>) => Promise<Report>,
): Promise<void> {
  // The work is short and closes what it opened; an interruption would leave a database server running.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  // A closed reader, such as `| head`, must not leave anything open either.
  process.stdout.on("error", () => undefined);
  const output = {
    out: (text: string) => void process.stdout.write(text),
    error: (text: string) => void process.stderr.write(text),
  };
  const say = (_fields: object, message: string) => output.error(`${message}\n`);
  const log = { info: () => undefined, warn: say, error: say };
  const progress = (line: string) => output.error(`${line}\n`);
  // Stopping the embedded parts waits on timers that do not keep a process alive.
  const staysAlive = setInterval(() => undefined, 60_000);
  process.exitCode = await runProgram(program, process.argv.slice(2), output, (work) =>
    withContext({ log, progress }, work),
  );
  clearInterval(staysAlive);
}
