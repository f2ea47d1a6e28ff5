import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { Failure } from "../domain/errors.ts";
import { nearest } from "../domain/near-match.ts";
import { inTrace } from "../domain/trace.ts";

/** The command was called incorrectly; the message shows the usage. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A note for programs whose commands all print JSON on request. */
export const JSON_NOTE = "Every command accepts --json. Exit code: 0 success, 1 failure, 2 usage error.";

export interface Arguments {
  text(option: string): string | undefined;
  required(option: string): string;
  flag(option: string): boolean;
  positional(index: number): string;
}

/** A command's answer: for a person, and for a program (`--json`). */
export interface Report {
  text: string;
  json: unknown;
}

export interface Command<Context> {
  name: string;
  summary: string;
  /** After the command's name, for example `<tenantId> [--rotate]`. */
  usage: string;
  /** Names of the required arguments, in order. */
  positionals: readonly string[];
  options: ParseArgsOptionsConfig;
  /** Checks the arguments before anything is opened, and returns the operation. */
  prepare(args: Arguments): (context: Context) => Promise<Report>;
}

export interface Program<Context> {
  /** As run by npm: `tenant` is `npm run tenant --`. */
  name: string;
  summary: string;
  /** A program with a single command names it "", which is not typed. */
  commands: readonly Command<Context>[];
  notes: readonly string[];
}

export interface Output {
  out(text: string): void;
  error(text: string): void;
}

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const commonOptions: ParseArgsOptionsConfig = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } };

/** Runs a command line and returns its exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runProgram<Context>(
  program: Program<Context>,
  args: readonly string[],
  output: Output,
  withContext: (work: (context: Context) => Promise<Report>) => Promise<Report>,
): Promise<number> {
  const call = `npm run ${program.name} --`;
  try {
    const isSingle = program.commands[0]?.name === "";
    const [name, ...rest] = isSingle && !["--help", "-h", "help"].includes(args[0] ?? "") ? ["", ...args] : args;
    if (name === undefined) {
      output.error(formatHelp(program));
      return EXIT_USAGE;
    }
    if (name === "--help" || name === "-h" || name === "help") {
      output.out(formatHelp(program));
      return EXIT_OK;
    }
    const command = program.commands.find((candidate) => candidate.name === name);
    if (command === undefined) throw new UsageError(unknownText("command", name, program.commands.map(commandName)));
    const parsed = parse(command, rest, `${call} ${command.name}`.trimEnd());
    if (parsed.flag("help")) {
      output.out(`${command.summary}\n\n  ${formatUsage(program, command)} [--json]\n`);
      return EXIT_OK;
    }
    // Checks that all are present before any is read.
    for (const index of command.positionals.keys()) parsed.positional(index);
    const work = () => withContext(command.prepare(parsed));
    const report = await inTrace(undefined, work, undefined, { program: "command" });
    output.out(parsed.flag("json") ? `${JSON.stringify(report.json, null, 2)}\n` : `${report.text}\n`);
    return EXIT_OK;
  } catch (error) {
    const wrongCall = error instanceof UsageError || (error instanceof Failure && error.code === "invalid_input");
    output.error(`${describe(error)}\n`);
    if (wrongCall) output.error(`Help: ${call} --help\n`);
    return wrongCall ? EXIT_USAGE : EXIT_FAILED;
  }
}

function commandName(command: { name: string }): string {
  return command.name;
}

function parse(command: Command<never>, rest: readonly string[], call: string): Arguments {
  const options = { ...commonOptions, ...command.options };
  const { values, positionals, tokens } = parseArgs({
    args: [...rest],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const known = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (known === undefined)
      throw new UsageError(
        unknownText(
          "option",
          token.rawName,
          Object.keys(options).map((option) => `--${option}`),
        ),
      );
    if (seen.has(token.name)) throw new UsageError(`${token.rawName} was given twice.`);
    seen.add(token.name);
    if (known.type === "boolean" && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
    const missing = token.value === undefined || (!token.inlineValue && /^--?[A-Za-z]/.test(token.value));
    if (known.type === "string" && missing) throw new UsageError(`${token.rawName} needs a value.`);
  }
  const surplus = positionals[command.positionals.length];
  if (surplus !== undefined) {
    // npm takes options for itself unless "--" precedes them; only their values arrive.
    throw new UsageError(`Unexpected argument "${surplus}". Options come after "--": ${call} …`);
  }
  const text = (option: string) => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  return {
    text,
    required(option) {
      const value = text(option);
      if (value === undefined) throw new UsageError(`--${option} is missing.`);
      return value;
    },
    flag: (option) => values[option] === true,
    positional(index) {
      const value = positionals[index];
      if (value === undefined) throw new UsageError(`<${command.positionals[index]}> is missing.`);
      return value;
    },
  };
}

function unknownText(what: string, given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  return `Unknown ${what} ${given}. ${near === undefined ? `Known: ${known.join(", ")}.` : `Did you mean ${near}?`}`;
}

function formatHelp<Context>(program: Program<Context>): string {
  const commands = program.commands.map((command) => `  ${formatUsage(program, command)}\n      ${command.summary}`);
  return `${program.summary}\n\n${commands.join("\n")}\n\n${program.notes.join("\n")}\n`;
}

function formatUsage({ name }: { name: string }, command: { name: string; usage: string }): string {
  return ["npm run", name, "--", command.name, command.usage].filter((word) => word !== "").join(" ");
}

/** One line that says what to do; never a stack trace. */
function describe(error: unknown): string {
  if (error instanceof Failure && error.issues !== undefined) {
    return error.issues
      .map((issue) => (issue.path === "" ? issue.message : `${issue.path}: ${issue.message}`))
      .join("\n");
  }
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map((inner) => describe(inner)).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}

/** Pads columns to their widest cell. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
