import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Output, UsageError } from "../../server/src/commands/command-line.ts";
import { type App, startApp } from "../../server/src/compose.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { conformanceExtras } from "./fixtures/index.ts";
import { describeRuns, type Run } from "./report.ts";
import { isConformant, runSuite } from "./run-suite.ts";
import { suites } from "./suites.ts";

const HELP = `Runs the official MCP conformance suites against both MCP endpoints of a service of its own, without network.

  npm run conformance -- [--break fixtures] [--keep]

  --break fixtures  Starts the service without the suites' fixtures: the run must then fail, or it would prove nothing.
  --keep            Keeps the run's folder with everything that the suites said.

Exit code: 0 every suite passes on both endpoints, 1 one does not, 2 called wrongly, 130 interrupted.
`;

interface Arguments {
  fixtures: boolean;
  keep: boolean;
}

/** Undefined: help was asked for. */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parse(args);
  if (values.help === true) return undefined;
  if (values.break !== undefined && values.break !== "fixtures") throw new UsageError("--break is: fixtures.");
  return { fixtures: values.break === undefined, keep: values.keep === true };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { break: { type: "string" }, keep: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Every suite against every endpoint, one after the other. */
export async function runSuites(options: {
  appUrl: string;
  edgeUrl: string;
  folder: string;
  signal: AbortSignal;
}): Promise<Run[]> {
  const { appUrl, edgeUrl, folder, signal } = options;
  const endpoints = [
    { name: "app", path: "/api/mcp", url: `${appUrl}/api/mcp` },
    { name: "edge", path: "/mcp", url: `${edgeUrl}/mcp` },
  ];
  const runs: Run[] = [];
  for (const suite of suites) {
    for (const { name, path, url } of endpoints) {
      const result = await runSuite(suite, { url, folder: join(folder, `${suite.name}-${name}`), signal });
      runs.push({ suite, endpoint: `${name} ${path}`, result });
    }
  }
  return runs;
}

async function runAgainstOwnService({ fixtures, keep }: Arguments, output: Output, signal: AbortSignal) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-conformance-"));
  let app: App | undefined;
  try {
    // Nothing of the caller's environment, which could point the run at something that matters.
    const config = readConfig({
      DATA_DIR: join(folder, "data"),
      PORT: "0",
      EDGE_PORT: "0",
      LOG_LEVEL: "error",
    });
    app = await startApp(config, { signal, ...(fixtures ? { decorate: { mcpExtras: () => conformanceExtras } } : {}) });
    const runs = await runSuites({ ...app, folder, signal });
    output.out(`${describeRuns(runs)}\n`);
    return runs.every(({ result }) => isConformant(result));
  } finally {
    await app?.stop();
    if (keep) output.out(`kept: ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** Runs one command line and returns its exit code. */
export async function conformanceProgram(
  args: readonly string[],
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  try {
    const read = readArguments(args);
    if (read === undefined) {
      output.out(HELP);
      return 0;
    }
    return (await runAgainstOwnService(read, output, signal)) ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) {
      output.error(`${message}\nHelp: npm run conformance -- --help\n`);
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
  // Stopped parts may leave handles that would keep the process or end it as "unsettled".
  const keepAlive = setInterval(() => undefined, 60_000);
  process.exitCode = await conformanceProgram(process.argv.slice(2), output, interrupted.signal);
  clearInterval(keepAlive);
}
