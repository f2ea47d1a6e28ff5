import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { type Output, UsageError } from "../../server/src/commands/command-line.ts";
import { approvals } from "./approvals/index.ts";
import type { Area } from "./area.ts";
import { calls } from "./calls/index.ts";
import { chain } from "./chain/index.ts";
import { channels } from "./channels/index.ts";
import { conversationModel, conversationRules } from "./conversation/index.ts";
import { crosschain } from "./crosschain/index.ts";
import { disruption } from "./disruption/index.ts";
import { escrow } from "./escrow/index.ts";
import { mixed } from "./mixed/index.ts";
import { paid } from "./paid/index.ts";
import { runChaos } from "./run.ts";
import { servicing } from "./servicing/index.ts";
import { workflows } from "./workflows/index.ts";

const areas: readonly Area[] = [
  calls,
  chain,
  paid,
  servicing,
  escrow,
  workflows,
  approvals,
  crosschain,
  conversationRules,
  conversationModel,
  channels,
  disruption,
  mixed,
];
/** Several areas by one name. */
const groups: Readonly<Record<string, readonly Area[]>> = { conversation: [conversationRules, conversationModel] };
/** Every area, one after the other. */
const ALL = "all";
const MOST_ROUNDS = 10_000;
const MOST_RUNS = 100_000;

const HELP = `Kills the service, its database, its chain and its outside systems with SIGKILL during a storm of calls, and then compares the books.

  npm run chaos -- --area <area> [--rounds <n> | --runs <n>] [--seed <text>] [--break <guard>] [--brief] [--keep]

${areas.map(({ name, summary, guards }) => `  --area ${name}    ${summary}\n                  --break ${guards.join(" | ")}`).join("\n")}
  --area conversation    conversation-rules and conversation-model, or with --break the one that has the guard.
  --area all      Every area, one after the other, each with the rounds and the seed.
  --rounds <n>    1 to ${MOST_ROUNDS}; 2 when left out. A round kills every part at least once.
  --runs <n>      1 to ${MOST_RUNS}, for the areas workflows, channels, conversation-rules and conversation-model: as many rounds as so many runs of a workflow,
                  or dialogues, take.
  --seed <text>   Repeats the decisions of an earlier run; the timing is never quite the same. Random when left out.
  --break <guard> Switches a guard of the service off: the run must then fail, or it would prove nothing.
  --brief         The rounds of the run share the kills of one round among themselves.
  --keep          Keeps the run's folder with its database and logs.

Exit code: 0 every invariant holds, 1 one does not, 2 called wrongly, 130 interrupted.
`;

interface Arguments {
  areas: readonly Area[];
  rounds: number;
  runs: number | undefined;
  seed: string;
  broken: string | undefined;
  brief: boolean;
  keep: boolean;
}

/** Undefined: help was asked for. */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parse(args);
  if (values.help === true) return undefined;
  const broken = values.break;
  const chosen = chooseAreas(values.area, broken);
  const [first] = chosen;
  if (first === undefined) {
    const names = [...areas.map(({ name }) => name), ...Object.keys(groups), ALL];
    throw new UsageError(`--area is one of: ${names.join(", ")}.`);
  }
  const rounds = /^\d{1,6}$/.test(values.rounds) ? Number(values.rounds) : 0;
  if (rounds < 1 || rounds > MOST_ROUNDS) throw new UsageError(`--rounds is a whole number from 1 to ${MOST_ROUNDS}.`);
  const runs = readRuns(values.runs);
  const seed = values.seed ?? String(randomInt(1_000_000_000));
  if (!/^[\w.-]{1,64}$/.test(seed)) throw new UsageError("--seed is up to 64 letters, digits, dots and hyphens.");
  if (broken !== undefined && chosen.length > 1) throw new UsageError("--break needs one area.");
  if (broken !== undefined && !first.guards.includes(broken)) {
    throw new UsageError(`--break is one of: ${first.guards.join(", ")}.`);
  }
  return { areas: chosen, rounds, runs, seed, broken, brief: values.brief === true, keep: values.keep === true };
}

function chooseAreas(name: string | undefined, broken: string | undefined): readonly Area[] {
  if (name === ALL) return areas;
  const group = groups[name ?? ""];
  if (group === undefined) return areas.filter((area) => area.name === name);
  const [guarded = group[0]] = group.filter(({ guards }) => broken !== undefined && guards.includes(broken));
  return broken === undefined || guarded === undefined ? group : [guarded];
}

function readRuns(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const runs = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (runs < 1 || runs > MOST_RUNS) throw new UsageError(`--runs is a whole number from 1 to ${MOST_RUNS}.`);
  return runs;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        area: { type: "string" },
        rounds: { type: "string", default: "2" },
        runs: { type: "string" },
        seed: { type: "string" },
        break: { type: "string" },
        brief: { type: "boolean" },
        keep: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Runs one command line and returns its exit code. */
export async function chaosProgram(args: readonly string[], output: Output, signal: AbortSignal): Promise<number> {
  try {
    const read = readArguments(args);
    if (read === undefined) {
      output.out(HELP);
      return 0;
    }
    const say = (line: string): void => output.out(`${line}\n`);
    let holds = true;
    for (const area of read.areas) holds = (await runChaos({ ...read, area, say, signal })) && holds;
    return holds ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) {
      output.error(`${message}\nHelp: npm run chaos -- --help\n`);
      return 2;
    }
    if (signal.aborted) return 130;
    output.error(`${message}\n`);
    return 1;
  }
}

if (import.meta.main) {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => interrupted.abort());
  const output = {
    out: (text: string) => void process.stdout.write(text),
    error: (text: string) => void process.stderr.write(text),
  };
  process.exitCode = await chaosProgram(process.argv.slice(2), output, interrupted.signal);
}
