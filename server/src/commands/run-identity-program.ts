import { readConfig } from "../config/config.ts";
import type { Program } from "./command-line.ts";
import { type Operator, withIdentity } from "./open-database.ts";
import { runAsCommand } from "./run-as-command.ts";

/** Runs a program on identities as this process. */
export async function runIdentityProgram(program: Program<Operator>): Promise<void> {
  await runAsCommand(program, (options, work) => withIdentity(readConfig(process.env), options, work));
}
