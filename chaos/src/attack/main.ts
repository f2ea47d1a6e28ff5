import { parseArgs } from "node:util";
import { type Output, UsageError } from "../../../server/src/commands/command-line.ts";
import { attacks } from "./attacks/index.ts";
import { runAttacks } from "./run.ts";

const HELP = `Attacks both hosts of a service of its own with hostile clients over raw sockets, while honest clients work, and then the same
service without the guard of each attack, which must then be noticed.

  npm run attack -- [--attack <name>]… [--brief]

  --attack <name>  Only this one: ${attacks.map(({ name }) => `"${name}"`).join(", ")}.
  --brief          Counts outside calls, queues and memory, and measures no time.

Exit code: 0 every bound is met and every control fails, 1 not so, 2 called wrongly, 130 interrupted.
`;

/** Runs one command line and returns its exit code. */
async function attackProgram(args: readonly string[], output: Output, signal: AbortSignal): Promise<number> {
  try {
    const { values } = parse(args);
    if (values.help === true) {
      output.out(HELP);
      return 0;
    }
    const unknown = values.attack.find((name) => !attacks.some((attack) => attack.name === name));
    if (unknown !== undefined) throw new UsageError(`There is no attack "${unknown}".`);
    const chosen = attacks.filter(({ name }) => values.attack.length === 0 || values.attack.includes(name));
    const say = (line: string): void => output.out(`${line}\n`);
    const brief = values.brief === true;
    return (await runAttacks({ attacks: chosen, brief, environment: {}, say, signal })) ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return 130;
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof UsageError)) {
      output.error(`${message}\n`);
      return 1;
    }
    output.error(`${message}\nHelp: npm run attack -- --help\n`);
    return 2;
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        attack: { type: "string", multiple: true, default: [] },
        brief: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => interrupted.abort());
const output = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};
process.exitCode = await attackProgram(process.argv.slice(2), output, interrupted.signal);
// An interrupted attack is not waited for.
if (interrupted.signal.aborted) process.exit();
